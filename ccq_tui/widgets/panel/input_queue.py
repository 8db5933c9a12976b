"""What is typed into a panel, sorted by the request that it was meant for.

A panel asks one request after the other, and keys are on their way while one takes the place of another: none
that was typed for one may decide the next.
"""

from __future__ import annotations

from enum import Enum

from textual import events
from textual.message import Message

from ccq_tui.inbox.waiting_line import Draft
from ccq_tui.widgets.keys import copy_of, text_of

Typed = events.Key | events.Paste


class Fate(Enum):
    """What becomes of something typed."""

    TAKEN = "taken"
    """It is for the request that is asked."""
    KEPT = "kept"
    """It came after the request was settled here; `InputQueue.rest` gives it back."""
    LATE = "late"
    """It was typed for a request that is not asked any more."""
    DROPPED = "dropped"
    """The same, and it types nothing: it was meant for what is no more."""


class InputQueue:
    """Counts what is under way to a panel.

    Attributes:
        turn: Counts the requests: what was meant for one is not for the next.
        under_way: How many keys and pastes are in the panel's queue.
        came_ahead: Whether what is handled now was typed before the panel was drawn.
    """

    def __init__(self) -> None:
        self.turn = 0
        self.under_way = 0
        self.came_ahead = False
        self._ahead = 0
        self._behind = False
        self._late: list[Typed] = []

    def begin(self) -> int:
        """Begin with a request; what is in the queue until `begun` was typed before anybody could see it."""
        self._behind = True
        return self.turn

    def begun(self, turn: int) -> None:
        """Note that all is done that was in the queue when a turn began."""
        self._behind = turn != self.turn

    def rest(self) -> list[Typed]:
        """Begin with no request; return what was typed after the last one was settled."""
        self.turn += 1
        late, self._late = self._late, []
        return late

    def queued(self, message: Message) -> None:
        """Count what came into the panel's queue: what is not handled yet must not be overtaken."""
        if isinstance(message, events.Key | events.Paste):
            self.under_way += 1

    def are_ahead(self) -> None:
        """Note that all that is in the queue was typed before the panel was drawn."""
        self._ahead = self.under_way

    def sort(self, event: Typed, state: Draft, *, rests: bool, drawn: bool) -> Fate:
        """Say what becomes of something typed, as it comes out of the panel's queue."""
        self.under_way -= 1
        self.came_ahead, self._ahead = self._ahead > 0 or not drawn, max(0, self._ahead - 1)
        types = isinstance(event, events.Paste) or bool(text_of(event))
        if state.outcome is not None or state.guard.returned:
            self._late.append(copy_of(event))
            return Fate.KEPT
        if rests or self._behind or (state.hidden and types):
            return Fate.LATE if types else Fate.DROPPED
        return Fate.TAKEN
