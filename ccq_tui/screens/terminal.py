"""What goes to the terminal beside the screen: its title, the person's own editor."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
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


KEPT = "The editor ended with an error; what it saved is kept"
NOT_UTF8 = "The editor did not save UTF-8; “�” stands for what cannot be read"


class EditorError(Exception):
    """The editor could not be used; the message is for a person, and nothing was changed."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A text that came out of an editor.

    Attributes:
        text: The text as saved.
        problem: What went wrong all the same, for a person, or "".
    """

    text: str
    problem: str = ""


async def edit_text(app: App[Any], text: str) -> Edited | None:
    """Let the person edit a text in $VISUAL or $EDITOR; the terminal is the editor's meanwhile.

    The event loop goes on: a session must be read from however long somebody writes.

    Args:
        app: The app to suspend.
        text: The text to begin with.

    Returns:
        The text as saved, also by an editor that failed afterwards, without the newline that editors put at
        the end; None when it was not changed or when an editor has the terminal already.

    Raises:
        EditorError: There is no editor, it failed and saved nothing, or the screen cannot be lent.
    """
    if is_lent(app):
        return None  # the key was pressed twice
    failed: Exception | None = None
    edited: Edited | None = None
    try:
        with app.suspend(), interrupts_for_the_editor():
            try:
                edited = await asyncio.to_thread(_edited, text)
            except (click.ClickException, OSError) as error:
                # Raised inside, it would keep the screen from coming back.
                failed = error
    except SuspendNotSupported as error:
        raise EditorError("this terminal cannot be lent to an editor") from error
    if failed is not None:
        raise EditorError(_why(failed)) from failed
    return edited


def _edited(text: str) -> Edited | None:
    """Run the editor on a file of its own until it ends; None where it changed nothing."""
    given = (text if text.endswith("\n") or not text else f"{text}\n").encode(errors="replace")
    failed: click.ClickException | None = None
    with TemporaryDirectory(prefix="ccq-tui-") as directory:
        file = Path(directory, "text.md")
        file.write_bytes(given)
        try:
            click.edit(filename=str(file))
        except click.ClickException as error:
            failed = error
        saved = file.read_bytes()
    if saved != given:
        read = saved.decode(errors="replace").replace("\r\n", "\n")
        problem = KEPT if failed else NOT_UTF8 if "\ufffd" in read and "\ufffd" not in text else ""
        return Edited(read if text.endswith("\n") else read.removesuffix("\n"), problem)
    if failed is not None:
        raise failed
    return None


def is_lent(app: App[Any]) -> bool:
    """Whether another program has the terminal: keys that were on their way still arrive then."""
    return bool(getattr(app._driver, "lent", False))


def _why(error: Exception) -> str:
    if isinstance(error, click.ClickException):
        return f"{error.message} · set VISUAL or EDITOR to one that runs"
    return f"the editor cannot be used: {error}"


@contextmanager
def interrupts_for_the_editor() -> Iterator[None]:
    """Let Ctrl+C in the editor be the editor's: it reaches all processes of the terminal."""
    before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
