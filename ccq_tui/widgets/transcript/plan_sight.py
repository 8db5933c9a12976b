"""Tracks how much of the plan being decided on was ever on the screen."""

from __future__ import annotations

from collections.abc import Callable

from ccq_tui.transcript.blocks import PlanBlock
from ccq_tui.widgets.transcript.viewport import Pane, Viewport


class PlanSight:
    """Brings the head of a plan into view, and remembers which of its lines were in view since."""

    def __init__(self, viewport: Viewport, pane: Pane, looked: Callable[[], object]) -> None:
        self._viewport = viewport
        self._layout = viewport.layout
        self._pane = pane
        self._looked = looked
        self._request = ""
        self._plan: PlanBlock | None = None
        """The block of the request; None before the transcript has it, which may be behind the panel."""
        self._opens = False
        """Whether the panel may still take lines from the view that shows the head."""
        self._in_view: frozenset[tuple[int, int]] = frozenset()
        self._width = 0

    def show(self, request_id: str) -> None:
        """Bring the head of a request's plan into view, and watch it."""
        self._request, self._plan = request_id, None
        self._in_view, self._opens = frozenset(), self._viewport.following
        self.follow()

    def follow(self) -> None:
        """Bring the head into view once the transcript has the plan."""
        layout, view = self._layout, self._viewport
        if self._plan is not None or not self._request:
            return
        plans = (block for block in reversed(layout.blocks) if isinstance(block, PlanBlock))
        self._plan = next((block for block in plans if block.request.id == self._request), None)
        if self._plan is None:
            return
        head = layout.before(self._plan.at)
        if not view.top <= head < view.top + view.height:
            self._pane.show(self._plan.at, 0, 0, layout.before(self._plan.at + 1) - head)
        self.look()

    def resized(self) -> None:
        """Bring the head back into view if the opening panel has just covered its lines."""
        opens, self._opens = self._opens, False
        if opens and self._viewport.following and self._plan is not None and self._plan.at >= 0:
            self.show(self._plan.request.id)
            self._opens = False

    def leave(self) -> None:
        """Stop keeping the head in view: the person goes to the end."""
        self._opens = False

    @property
    def unseen(self) -> int:
        """Number of lines of the plan that were never in view."""
        block, layout = self._plan, self._layout
        if block is None and self._request:
            return 1  # at least
        if block is None or block.at < 0:
            return 0
        lines = sum(layout.height(block.at, part) for part in range(layout.parts(block.at)))
        return max(0, lines - len(self._in_view))

    def look(self) -> None:
        block, layout, view = self._plan, self._layout, self._viewport
        if block is None or block.at < 0:
            return
        if layout.width != self._width:
            self._in_view, self._width = frozenset(), layout.width  # wrapped again
        first, last = layout.before(block.at), layout.before(block.at + 1)
        bottom = view.top + view.height - bool(view.unseen)  # the last line counts the lines below
        lines = range(max(first, view.top), min(last, bottom))
        seen = self._in_view | {layout.find(line)[1:] for line in lines}
        if seen != self._in_view:
            self._in_view = seen
            self._looked()
