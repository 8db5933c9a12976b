"""The part of the transcript that knows how much of a request in it was ever on the screen."""

from __future__ import annotations

from textual.message import Message

from ccq_tui.widgets.transcript.blocks import PlanBlock
from ccq_tui.widgets.transcript.selecting import Selecting


class Sight(Selecting):
    """Brings the head of a plan into view, and remembers which of its lines were in view since."""

    class Looked(Message, namespace="transcript"):
        """More of the plan that is decided on was in view."""

    _decided: PlanBlock | None = None
    _in_view: frozenset[tuple[int, int]] = frozenset()
    _in_view_at = 0

    def show_plan(self, request_id: str) -> bool:
        """Bring the head of a plan into view, if it is not, and look from now on how much of it is seen.

        Args:
            request_id: The plan's request.

        Returns:
            Whether the view was moved.
        """
        blocks = self.model.blocks
        plans = (block for block in reversed(blocks) if isinstance(block, PlanBlock))
        self._decided = next((block for block in plans if block.request.id == request_id), None)
        self._in_view = frozenset()
        if self._decided is None:
            return False
        head, view = self._layout.before(self._decided.at), self._viewport
        moved = not view.top <= head < view.top + view.height
        if moved:
            lines = self._layout.before(self._decided.at + 1) - head
            self.show(self._decided.at, 0, 0, lines)
        self._look()
        return moved

    def unseen_of_plan(self) -> int:
        """Return how many lines of the plan that is decided on were never in view."""
        block = self._decided
        if block is None or block.at < 0:
            return 0
        parts = range(self._layout.parts(block.at))
        return max(0, sum(self._layout.height(block.at, part) for part in parts) - len(self._in_view))

    def _look(self) -> None:
        block, layout, view = self._decided, self._layout, self._viewport
        if block is None or block.at < 0:
            return
        if self._columns != self._in_view_at:
            self._in_view, self._in_view_at = frozenset(), self._columns  # wrapped anew
        first, last = layout.before(block.at), layout.before(block.at + 1)
        bottom = view.top + view.height - bool(self.unseen)  # the last line says how much came below
        lines = range(max(first, view.top), min(last, bottom))
        seen = self._in_view | {layout.find(line)[1:] for line in lines}
        if seen != self._in_view:
            self._in_view = seen
            self.post_message(self.Looked())

    def _place(self) -> None:
        super()._place()
        self._look()
