"""What goes to the terminal beside the screen: its title, the person's own editor."""

from __future__ import annotations

from typing import Any

import click
from textual.app import App

from ccq_tui.text import one_line


def set_title(app: App[Any], title: str) -> None:
    """Set the terminal's title; control characters in it are made harmless."""
    # Textual has no public way to write a sequence; its driver keeps it in order with the frames.
    driver = app._driver
    if driver is not None and not app.is_headless:
        driver.write(f"\x1b]0;{one_line(title, 120)}\x07")


def edit_text(app: App[Any], text: str) -> str | None:
    """Let the person edit a text in $VISUAL or $EDITOR; the screen is theirs meanwhile.

    Args:
        app: The app to suspend.
        text: The text to begin with.

    Returns:
        The text as saved, without the newline that editors put at the end, or None when it was not changed.

    Raises:
        click.ClickException: There is no editor, or it failed; nothing was changed.
    """
    with app.suspend():
        edited = click.edit(text, extension=".md", require_save=True)
    if edited is None:
        return None
    return edited if text.endswith("\n") else edited.removesuffix("\n")
