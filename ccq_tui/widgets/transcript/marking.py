"""The part of the transcript that marks one block as the current one."""

from __future__ import annotations

from rich.segment import Segment
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from ccq_tui.widgets.transcript.blocks import Block
from ccq_tui.widgets.transcript.order import Change
from ccq_tui.widgets.transcript.places import Step, neighbour
from ccq_tui.widgets.transcript.scrolling import Scrolling

MARK = "▌"
"""Stands in the margin beside the current block."""


class Marking(Scrolling):
    """Marks a block, moves the mark, folds what is marked."""

    class MarkChanged(Message, namespace="transcript"):
        """Another block is the current one, it looks different, or there is none any more."""

    _mark: Block | None = None
    _mark_seen: tuple[object, ...] = ()

    @property
    def mark(self) -> Block | None:
        """The current block, or None."""
        return self._mark if self._mark is not None and self._mark.at >= 0 else None

    def move_mark(self, direction: int, step: Step) -> bool:
        """Mark the next block of a kind; the first move marks one that is seen.

        Args:
            direction: 1 for further down, -1 for further up.
            step: What counts.

        Returns:
            Whether there was one.
        """
        blocks = self.model.blocks
        if not blocks:
            return False
        start = self.mark.at + direction if self.mark is not None else self._seen(direction)
        found = neighbour(blocks, start, direction, step)
        if found is None:
            return False
        self.put_mark(blocks[found])
        return True

    def _seen(self, direction: int) -> int:
        """Return the first block that is wholly seen, or the last one, seen from where the mark comes."""
        top, height = self._viewport.top, self._viewport.height
        if direction < 0:
            return self._layout.find(top + height - 1)[0]
        index = self._layout.find(top)[0]
        cut = self._layout.before(index) < top and index + 1 < len(self.model.blocks)
        return index + cut

    def put_mark(self, block: Block) -> None:
        """Make a block the current one and show it."""
        self._mark = block
        self._viewport.held = True
        self._show_mark()
        self._tell_mark()

    def _show_mark(self) -> None:
        if (block := self.mark) is not None:
            lines = self._layout.before(block.at + 1) - self._layout.before(block.at)
            self.show(block.at, 0, 0, lines)

    def _keep_shown(self) -> None:
        super()._keep_shown()
        self._show_mark()

    def leave_mark(self, *, keep_place: bool = True) -> None:
        """Mark nothing; the end is followed again if it is in view.

        Args:
            keep_place: False goes to the end.
        """
        if self._mark is not None:
            self._mark = None
            self._viewport.held = False
            self._tell_mark()
        if keep_place:
            self._update()
            self.refresh()
        else:
            self.action_end()

    def toggle_mark(self) -> bool:
        """Unfold the current block, or fold it again.

        Returns:
            Whether it has a longer form.
        """
        block = self.mark
        if block is None or not block.foldable:
            return False
        self.fold(block, folded=not block.folded)
        self.put_mark(block)
        return True

    def fold(self, block: Block, *, folded: bool) -> None:
        """Fold a block, or unfold it."""
        if block.folded != folded:
            self._changed(self.model.set_fold(block, folded=folded))

    def toggle_folds(self) -> None:
        """Unfold all thinking, outputs and long prompts, or fold them again."""
        self._changed(self.model.set_folds(folded=not self.model.folded))

    def action_end(self) -> None:
        """Go to the newest line and follow it; nothing is marked any more."""
        if self._mark is not None:
            self.leave_mark()
        super().action_end()

    def _follow(self, change: Change) -> None:
        super()._follow(change)
        if self._mark is not None:
            if self._mark.at < 0:
                self.leave_mark()
            self._tell_mark()

    def _tell_mark(self) -> None:
        mark = self.mark
        seen = (mark, mark.at, len(self.model.blocks), mark.folded, mark.foldable) if mark is not None else ()
        if seen != self._mark_seen:
            self._mark_seen = seen
            self.post_message(self.MarkChanged())

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw lines, with the mark in the margin that Textual leaves."""
        strips = super().render_lines(crop)
        mark, painter = self.mark, self._painter
        if mark is None or painter is None or crop.x > 0:
            return strips
        first = self._layout.before(mark.at) - self._viewport.top
        first += self._layout.gap(mark.at)
        last = self._layout.before(mark.at + 1) - self._viewport.top
        if self.unseen:
            last = min(last, self.size.height - 1)
        palette = painter.pen.palette
        sign = Strip([Segment(MARK, palette.base + palette["accent"])], 1)
        for y in range(max(first, crop.y), min(last, crop.bottom)):
            strips[y - crop.y] = Strip.join([sign, strips[y - crop.y].crop(1)])
        return strips
