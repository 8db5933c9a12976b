"""The current block: marked in the margin, moved from block to block, folded and unfolded."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ccq_tui.transcript import blocks as bl
from ccq_tui.widgets.transcript.viewport import Pane, Viewport

MARK = "▌"
"""Sign in the margin beside the current block."""


class BlockMark:
    """Keeps track of the current block."""

    def __init__(self, viewport: Viewport, pane: Pane, changed: Callable[[], object]) -> None:
        self._viewport = viewport
        self._layout = viewport.layout
        self._pane = pane
        self._changed = changed
        self._block: bl.Block | None = None

    @property
    def block(self) -> bl.Block | None:
        """The current block, or None."""
        return self._block if self._block is not None and self._block.at >= 0 else None

    def move(self, direction: int, kind: type[bl.Block] = bl.Block) -> bool:
        """Mark the next block of a kind, the first time a visible one; return whether there was one."""
        block, blocks = self.block, self._layout.blocks
        if not blocks:
            return False
        start = block.at + direction if block is not None else self._seen(direction)
        found = neighbour(blocks, start, direction, kind)
        if found is None:
            return False
        self.put(blocks[found])
        return True

    def _seen(self, direction: int) -> int:
        """Return the first block completely in view, or the last block in view, by the mark's direction."""
        layout, top, height = self._layout, self._viewport.top, self._viewport.height
        if direction < 0:
            return layout.find(top + height - 1)[0]
        index = layout.find(top)[0]
        return index + (layout.before(index) < top and index + 1 < len(layout.blocks))

    def put(self, block: bl.Block) -> None:
        """Make a block the current one and show it."""
        self._block = block
        self._viewport.held = True
        self.show()
        self._changed()

    def show(self) -> None:
        """Scroll to the current block, if there is one."""
        if (block := self.block) is not None:
            lines = self._layout.before(block.at + 1) - self._layout.before(block.at)
            self._pane.show(block.at, 0, 0, lines)

    def leave(self) -> bool:
        """Mark nothing; return whether a block was marked."""
        if self._block is None:
            return False
        self._block = None
        self._viewport.held = False
        self._changed()
        return True

    def toggle(self) -> bool:
        """Unfold the current block, or fold it again; return whether it has a longer form."""
        block = self.block
        if block is None or not block.foldable:
            return False
        self._pane.fold(block, folded=not block.folded)
        self.put(block)
        return True

    def follow(self) -> None:
        """Update the mark after a change of the blocks."""
        if self._block is not None:
            if self._block.at < 0:
                self.leave()
                self._pane.update()
                self._pane.refresh()
            self._changed()

    def rows(self, bottom: int) -> range:
        """Return the rows of the view that the current block has above one row."""
        block, layout, top = self.block, self._layout, self._viewport.top
        if block is None:
            return range(0)
        first = layout.before(block.at) + layout.gap(block.at) - top
        return range(first, min(layout.before(block.at + 1) - top, bottom))


def neighbour(
    blocks: Sequence[bl.Block], start: int, direction: int, kind: type[bl.Block] = bl.Block
) -> int | None:
    """Return the index of the next block of a kind, from an index on, or None; skip the ends of turns."""
    for index in range(start, len(blocks) if direction > 0 else -1, direction):
        if isinstance(blocks[index], kind) and not isinstance(blocks[index], bl.ResultBlock):
            return index
    return None
