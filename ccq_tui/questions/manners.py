"""The manners of every panel that asks a person: what comes too soon to be meant for it.

Times are seconds of a monotonic clock, given by whoever saw the key or the click.
"""

from __future__ import annotations

GRACE = 0.4
"""Seconds for which a fresh panel ignores keys that decide something."""
CLICK_GRACE = 0.3
"""Seconds after the terminal got the focus in which a click selects nothing."""
GUARDED_KEYS = frozenset({"enter", "space", "escape", *"123456789"})
"""Keys that a fresh panel ignores: they were meant for what was there before."""

DECLINING_KEYS = frozenset({"ctrl+d", "y"})
"""Keys that decline; ignored at first by the question whether to: holding Ctrl+D is no answer."""


def is_fresh(shown_at: float | None, at: float) -> bool:
    """Whether a panel appeared so recently that what happens now was meant for something else.

    Args:
        shown_at: When the panel appeared by itself, or None when a person asked for it.
        at: Now.
    """
    return shown_at is not None and at - shown_at < GRACE


def is_stray_click(hidden: bool, shown_at: float | None, focused_at: float | None, at: float) -> bool:
    """Whether a click was not meant for a panel: it is unseen or fresh, or the terminal just got the focus.

    Args:
        hidden: Whether the panel is folded away.
        shown_at: When the panel appeared by itself, or None.
        focused_at: When the terminal last got the focus, or None.
        at: When the click came.
    """
    if hidden or is_fresh(shown_at, at):
        return True
    return focused_at is not None and at - focused_at < CLICK_GRACE
