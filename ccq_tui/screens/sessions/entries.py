"""What is said of each session where all of them are listed, as data."""

from __future__ import annotations

from collections.abc import Sequence

from ccq_tui.screens.session.view import SIGNS, SessionView, duration
from ccq_tui.text import one_line
from ccq_tui.widgets.entries import Entry
from ccq_tui.worktrees.model import worktree_at

NAME_LENGTH = 60
"""Characters of a name at most; how many fit is for whoever draws it."""


def entry_of(number: int, view: SessionView, waiting: int, now: float, *, shown: bool) -> Entry:
    """Return what is said of a session.

    Args:
        number: Its place, from 1.
        view: What is known of it.
        waiting: How many requests wait in it.
        now: Seconds of the clock that ``view.since`` is of.
        shown: Whether it is the one on the screen.
    """
    sign, word = SIGNS[view.state]
    name = one_line(view.title, NAME_LENGTH) or one_line(view.name, NAME_LENGTH)
    seconds = max(0, int(now - view.since))
    state = f"{word} {duration(seconds)}" if seconds else word
    if view.branch and worktree_at(view.cwd) is not None:
        state += f" · {one_line(view.branch, NAME_LENGTH)}"
    return Entry(number, name, sign, state, waiting, shown)


def next_waiting(entries: Sequence[Entry]) -> Entry | None:
    """Return the session after the shown one, and around, in which something waits; None where none does."""
    at = next((index for index, entry in enumerate(entries) if entry.shown), -1)
    around = [*entries[at + 1 :], *entries[: at + 1]]
    return next((entry for entry in around if entry.waiting and not entry.shown), None)


def stepped(entries: Sequence[Entry], step: int) -> Entry | None:
    """Return the session so many places after the shown one, and around."""
    if not entries:
        return None
    at = next((index for index, entry in enumerate(entries) if entry.shown), 0)
    return entries[(at + step) % len(entries)]
