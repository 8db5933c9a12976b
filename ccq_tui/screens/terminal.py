"""Output to the terminal beside the screen, such as its title, and input typed ahead."""

from __future__ import annotations

import sys
from typing import Any

from textual.app import App

from ccq_tui.compat.textual.driver import write
from ccq_tui.text import one_line


def set_title(app: App[Any], title: str) -> None:
    """Set the terminal's title; control characters in it are made harmless."""
    write(app, f"\x1b]0;{one_line(title, 120)}\x07")


def keep_title(app: App[Any]) -> None:
    """Make the terminal keep its present title, for `restore_title`."""
    write(app, "\x1b[22;0t")


def restore_title(app: App[Any]) -> None:
    """Restore the terminal's title; one that keeps none gets an empty title, which shells replace."""
    set_title(app, "")
    write(app, "\x1b[23;0t")


def forget_typed() -> None:
    """Discard unread input: no shell must get what was meant for this program."""
    try:
        import termios

        termios.tcflush(sys.__stdin__, termios.TCIFLUSH)  # type: ignore[arg-type]
    except (ImportError, TypeError, ValueError, OSError, termios.error):
        return  # there is no terminal, or it is gone with what was typed
