"""What goes to the terminal beside the screen: its title, the person's own editor."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
from textual.app import App, SuspendNotSupported

from ccq_tui.text import one_line


def send(app: App[Any], sequence: str) -> None:
    """Write a sequence to the terminal, in order with the frames."""
    # Textual has no public way to do so.
    driver = app._driver
    if driver is not None and sequence and not app.is_headless:
        driver.write(sequence)


def set_title(app: App[Any], title: str) -> None:
    """Set the terminal's title; control characters in it are made harmless."""
    send(app, f"\x1b]0;{one_line(title, 120)}\x07")


def forget_typed() -> None:
    """Throw away what was typed and not read: no shell is to get what was meant for this program."""
    try:
        import termios

        termios.tcflush(sys.__stdin__, termios.TCIFLUSH)  # type: ignore[arg-type]
    except (ImportError, TypeError, ValueError, OSError, termios.error):
        return  # there is no terminal, or it is gone with what was typed


class EditorError(Exception):
    """The editor could not be used; the message is for a person, and nothing was changed."""


async def edit_text(app: App[Any], text: str) -> str | None:
    """Let the person edit a text in $VISUAL or $EDITOR; the terminal is the editor's meanwhile.

    The event loop goes on: a session must be read from however long somebody writes.

    Args:
        app: The app to suspend.
        text: The text to begin with.

    Returns:
        The text as saved, without the newline that editors put at the end, or None when it was not changed or
        when an editor has the terminal already.

    Raises:
        EditorError: There is no editor, it failed, or the screen cannot be lent.
    """
    if is_lent(app):
        return None  # the key was pressed twice
    failed: Exception | None = None
    edited: str | None = None
    try:
        with app.suspend(), interrupts_for_the_editor():
            try:
                edited = await asyncio.to_thread(click.edit, text, extension=".md", require_save=True)
            except (click.ClickException, UnicodeDecodeError, OSError) as error:
                # Raised inside, it would keep the screen from coming back.
                failed = error
    except SuspendNotSupported as error:
        raise EditorError("this terminal cannot be lent to an editor") from error
    if failed is not None:
        raise EditorError(_why(failed)) from failed
    if edited is None:
        return None
    return edited if text.endswith("\n") else edited.removesuffix("\n")


def is_lent(app: App[Any]) -> bool:
    """Whether another program has the terminal: keys that were on their way still arrive then."""
    return bool(getattr(app._driver, "lent", False))


def _why(error: Exception) -> str:
    if isinstance(error, click.ClickException):
        return f"{error.message} · set VISUAL or EDITOR to one that runs"
    if isinstance(error, UnicodeDecodeError):
        return "what the editor saved is not UTF-8; it was left out"
    return f"the editor cannot be used: {error}"


@contextmanager
def interrupts_for_the_editor() -> Iterator[None]:
    """Let Ctrl+C in the editor be the editor's: it reaches all processes of the terminal."""
    before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
