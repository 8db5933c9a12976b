"""Sorts the input of a panel by the request that it was meant for.

A panel asks one request after the other, and keys are on their way while one replaces another: no key typed
for one may decide the next.
"""

from __future__ import annotations

from enum import Enum

from textual import events
from textual.message import Message

from ccq_tui.inbox.draft import Draft
from ccq_tui.widgets.keys import copy_of, text_of

Typed = events.Key | events.Paste


class Fate(Enum):
    """Fate of a key or a paste."""

    TAKEN = "taken"
    """It is for the request being asked."""
    KEPT = "kept"
    """It came after the request was settled here; `InputQueue.rest` gives it back."""
    LATE = "late"
    """It was typed for a request that is no longer asked."""
    DROPPED = "dropped"
    """The same, but a key that types no text: it has no use elsewhere."""


class InputQueue:
    """Counts the input under way to a panel.

    Attributes:
        turn: Number of the request: input meant for one is not for the next.
        under_way: Number of keys and pastes in the panel's queue.
        came_ahead: Whether the input being handled was typed before the panel was drawn.
    """

    def __init__(self) -> None:
        self.turn = 0
        self.under_way = 0
        self.came_ahead = False
        self._ahead = 0
        self._behind = False
        self._late: list[Typed] = []

    def begin(self) -> int:
        """Start a request; input queued until `begun` was typed before anybody could see it."""
        self._behind = True
        return self.turn

    def begun(self, turn: int) -> None:
        """Note that all input queued when a turn began is handled."""
        self._behind = turn != self.turn

    def rest(self) -> list[Typed]:
        """Stop asking; return the input typed after the last request was settled."""
        self.turn += 1
        late, self._late = self._late, []
        return late

    def queued(self, message: Message) -> None:
        """Count input that entered the panel's queue: nothing may overtake it."""
        if isinstance(message, events.Key | events.Paste):
            self.under_way += 1

    def are_ahead(self) -> None:
        """Note that all input in the queue was typed before the panel was drawn."""
        self._ahead = self.under_way

    def sort(self, event: Typed, state: Draft, *, rests: bool, drawn: bool) -> Fate:
        """Return the fate of a key or a paste that leaves the panel's queue."""
        self.under_way -= 1
        self.came_ahead, self._ahead = self._ahead > 0 or not drawn, max(0, self._ahead - 1)
        types = isinstance(event, events.Paste) or bool(text_of(event))
        if state.outcome is not None or state.guard.returned:
            self._late.append(copy_of(event))
            return Fate.KEPT
        if rests or self._behind or (state.hidden and types):
            return Fate.LATE if types else Fate.DROPPED
        return Fate.TAKEN
