"""The part of the dock for question sets that are still being written."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.containers import Vertical
from textual.message import Message

from ccq_tui.inbox import QuestionRequest, Request
from ccq_tui.inbox.waiting import Draft, Line, Waiting
from ccq_tui.questions.growth import begun, grown
from ccq_tui.questions.state import Arriving, Page, PanelState
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.later import after
from ccq_tui.widgets.question import QuestionPanel

Panel = QuestionPanel | DecisionPanel
HELD_UP_SECONDS = 0.5
"""How long a set that is all here may take to be asked before what waits behind it goes first."""


class Growing(Vertical):
    """Lets sets grow in the line, and in their panel where that is open."""

    class DraftChanged(Message):
        """Something was selected or typed for a request."""

        def __init__(self, waiting: Waiting) -> None:
            super().__init__()
            self.waiting = waiting

    _line: Line
    _panel: Panel | None
    _clock: Callable[[], float]

    def add(self, request: Request, draft: Draft | None = None, earlier: Sequence[Page] = ()) -> None:
        """Let a request wait."""
        raise NotImplementedError

    def _change(self, line: Line) -> None:
        """Have another line."""
        raise NotImplementedError

    def _show_soon(self) -> None:
        """Show the first request after all that happened at once."""
        raise NotImplementedError

    def _close_panel(self) -> None:
        """Close the panel."""
        raise NotImplementedError

    def _say_what_waits(self) -> None:
        """Say above the prompt what waits."""
        raise NotImplementedError

    def arrive(self, request: QuestionRequest, arriving: Arriving, earlier: Sequence[Page] = ()) -> None:
        """Show more of a question set that is still being written.

        Args:
            request: The set as far as it is here.
            arriving: How much that is.
            earlier: Pages of questions that were closed, whose drafts come back with the same questions.
        """
        if request.id not in self._line:
            self.add(request, begun(request.questions, arriving, earlier))
            return
        self._grow(request, arriving, earlier)
        self._make_way_soon()

    def _ask(self, request: QuestionRequest, earlier: Sequence[Page]) -> None:
        """Let a set that was still being written wait like any other, and keep what was done in it."""
        waiting = self._grow(request, None, earlier)
        self._change(self._line)
        if waiting is not None and isinstance(waiting.draft, PanelState) and waiting.draft.has_draft:
            self.post_message(self.DraftChanged(waiting))

    def _grow(
        self, request: QuestionRequest, arriving: Arriving | None, earlier: Sequence[Page]
    ) -> Waiting | None:
        known = self._line.get(request.id)
        if known is None or not isinstance(known.draft, PanelState):
            return None
        if isinstance(self._panel, QuestionPanel) and self._line.head is known:
            draft = self._panel.grow(request.questions, arriving, earlier=earlier)
        else:
            draft = grown(known.draft, request.questions, arriving, self._clock(), earlier=earlier)
        waiting = Waiting(request, draft)
        self._line = self._line.with_item(waiting)
        self._say_what_waits()
        return waiting

    def _make_way_soon(self) -> None:
        """Look after a moment whether the first set is held up by something that waits behind it."""
        head = self._line.head
        if head is not None and head.held_up and self._line.asked.items:
            after(self, HELD_UP_SECONDS, self._make_way)

    def _make_way(self) -> None:
        head = self._line.head
        if head is None or not head.held_up or not self._line.asked.items:
            return
        if self._panel is not None:
            self._line = self._line.with_draft(head.request.id, self._panel.state)
            self._close_panel()
        self._change(self._line.asked_first)
        self._show_soon()
