"""The dock of a session, whose question sets may still be being written."""

from __future__ import annotations

from collections.abc import Sequence

from ccq_tui.inbox import QuestionRequest, Request
from ccq_tui.inbox.waiting import Draft, Waiting
from ccq_tui.questions.growth import begun, grown
from ccq_tui.questions.state import Arriving, Page, PanelState
from ccq_tui.screens.session.dock import Dock
from ccq_tui.widgets.lifetime import after
from ccq_tui.widgets.question import QuestionPanel

HELD_UP_SECONDS = 0.5
"""How long a set that is all here may take to be asked before what waits behind it goes first."""


class GrowingDock(Dock):
    """Lets sets grow in the line, and in their panel where that is open."""

    def add(self, request: Request, draft: Draft | None = None, earlier: Sequence[Page] = ()) -> None:
        """Let a request wait; see `Dock.add`. A set that grew until now keeps what was done in it."""
        known = self._line.get(request.id)
        if known is not None and known.arriving and isinstance(request, QuestionRequest):
            self._ask(request, earlier)
            return
        super().add(request, draft, earlier)
        self._make_way_soon()

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
            self._let_panel_go()
        self._line = self._line.asked_first
        self._tidy()
