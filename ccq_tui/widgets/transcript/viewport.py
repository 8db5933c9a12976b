"""The visible lines: following the end, or keeping their place while things change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ccq_tui.transcript.blocks import Block
from ccq_tui.widgets.transcript.layout import CACHED_LINES, Layout

CONTEXT = 2
"""Lines shown above or below a place brought into view."""
CACHED_SCREENS = 4
"""Number of screens kept drawn."""
NEAR = 4
"""Screens of movement up to which the lines on the way are measured; a longer move is a jump."""


class Pane(Protocol):
    """The widget as the parts of a transcript need it."""

    def show(self, index: int, part: int, offset: int, lines: int) -> None:
        """Scroll as little as needed to show lines of a part of a block, and stay there."""

    def fold(self, block: Block, *, folded: bool) -> None:
        """Fold a block, or unfold it."""

    def update(self) -> None:
        """Update view, scroll bar and screen to the blocks."""

    def refresh(self) -> object:
        """Draw all lines again."""


class Viewport:
    """A window of some height on a layout. Only what it shows is measured.

    Attributes:
        layout: The layout that it shows a part of.
        height: Lines visible at once.
        top: The first visible line, in the layout's lines.
        following: Whether the end is kept in view.
        held: Whether the place is kept even at the end, because something there is being looked at.
    """

    def __init__(self, layout: Layout) -> None:
        self.height = 24
        self.top = 0
        self.following = True
        self.held = False
        self.layout = layout
        self._block: Block | None = None
        self._index = self._part = self._offset = 0
        self._seen: tuple[Block, int] | None = None

    @property
    def bottom(self) -> int:
        """The furthest position of the top."""
        return max(0, self.layout.total - self.height)

    @property
    def unseen(self) -> int:
        """Lines that came below since the end was left."""
        if self.following or self._seen is None or self._seen[0].at < 0:
            return 0
        block, lines = self._seen
        return max(0, self.layout.total - self.layout.before(block.at) - lines)

    def settle(self) -> None:
        """Measure the visible lines and set ``top`` accordingly, after any change."""
        if not self.layout.blocks:
            self.top = 0
            return
        if self.following:
            self._measure_up(len(self.layout.blocks), 0, self.height)
            self._anchor(self.bottom)
            return
        self._find_anchor()
        self._measure_down(self.height)
        line = self._line()
        if line < self.bottom:
            self.top = line
        elif self.held:
            self._anchor(self.bottom)
        else:
            self.follow()

    def prepare(self, enough: Callable[[], bool]) -> bool:
        """Measure for `settle` until it is enough, at least one part; return whether all is measured."""
        if not self.following:
            return True
        return self._measure_up(len(self.layout.blocks), 0, self.height, enough)

    def resize(self, width: int, height: int) -> None:
        """Take another size, keeping the text at the top in place."""
        self.height = max(1, height)
        self.layout.cached = max(CACHED_LINES, CACHED_SCREENS * self.height)
        if width != self.layout.width:
            if self.layout.blocks and not self.following:
                self._find_anchor()
                before = max(1, self.layout.height(self._index, self._part))
                self.layout.width = width
                after = self.layout.measure(self._index, self._part)
                self._offset = min(self._offset * after // before, max(0, after - 1))
            self.layout.width = width
        self.settle()

    def follow(self) -> None:
        """Go to the end and stay there."""
        self.following = True
        self._seen = None
        self.settle()

    def home(self) -> None:
        if self.layout.blocks:
            self._leave_end()
            self._anchor(0)
            self.settle()

    def move(self, line: int) -> None:
        """Put the top at a line of the present count, which measuring on the way may change."""
        layout = self.layout
        if not layout.blocks:
            return
        delta = line - self.top
        if abs(delta) > NEAR * self.height:
            index, part, offset = layout.find(line)
            offset = min(offset, max(0, layout.measure(index, part) - 1))
            wanted = layout.before(index, part) + offset
        else:
            self._find_anchor()
            self._measure_up(self._index, self._part, -delta)
            self._measure_down(self.height + delta)
            wanted = self._line() + delta
        self._leave_end()
        self._anchor(max(0, wanted))
        self.settle()

    def show(self, index: int, part: int, offset: int, lines: int) -> None:
        """Move as little as needed to bring lines of a part into view, the first if not all fit.

        Leave the end.
        """
        layout = self.layout
        if not layout.blocks:
            return
        room = max(1, self.height - bool(self.unseen))  # the last line counts the lines below
        lines = min(lines, room)
        top = self.top - layout.before(index, part)
        # Measure the surroundings first: a guess in between would put the lines elsewhere.
        self._measure_up(index, part, self.height)
        self._index, self._part, self._offset = index, part, 0
        self._measure_down(offset + 2 * self.height)
        first = self._line() + offset
        top += self._line()
        margin = min(CONTEXT, (room - lines) // 2)
        if first < top or first + lines > top + room:
            near = abs(first - top) <= 2 * self.height
            below = first + lines + margin - room
            top = below if near and first > top and lines < room else first - margin
        self._leave_end()
        self._anchor(max(0, min(top, self.bottom)))
        self.settle()

    def _leave_end(self) -> None:
        if self.following:
            last = len(self.layout.blocks) - 1
            self._seen = (self.layout.blocks[last], self.layout.total - self.layout.before(last))
        self.following = False

    def _anchor(self, line: int) -> None:
        """Remember the text at a line, so that the place can be found again."""
        self.top = line
        self._index, self._part, self._offset = self.layout.find(line)
        self._block = self.layout.blocks[self._index]

    def _find_anchor(self) -> None:
        """Update the remembered place to the present blocks."""
        last = len(self.layout.blocks) - 1
        if self._block is not None and self._block.at >= 0:
            self._index = self._block.at
        self._index = min(self._index, last)
        self._block = self.layout.blocks[self._index]
        parts = self.layout.parts(self._index)
        if self._part >= parts:
            self._part, self._offset = max(0, parts - 1), 0
        # A part guessed as a whole may have been split into many since.
        while self._part < parts - 1 and self._offset >= self.layout.height(self._index, self._part):
            self._offset -= self.layout.height(self._index, self._part)
            self._part += 1
        self._offset = max(0, min(self._offset, self.layout.height(self._index, self._part) - 1))

    def _line(self) -> int:
        return self.layout.before(self._index, self._part) + self._offset

    def _measure_down(self, lines: int) -> None:
        """Measure from the anchor on until ``lines`` lines are covered."""
        covered = -self._offset
        for index, part in self.layout.parts_from(self._index, self._part):
            if covered >= lines:
                break
            covered += self.layout.measure(index, part)

    def _measure_up(
        self, index: int, part: int, lines: int, enough: Callable[[], bool] = lambda: False
    ) -> bool:
        """Measure the parts above one until ``lines`` lines are covered; return False if stopped before."""
        covered = 0
        while covered < lines:
            if part == 0:
                if index == 0:
                    return True
                index -= 1
                part = self.layout.parts(index)
                continue
            part -= 1
            known = self.layout.measured(index, part)
            covered += self.layout.measure(index, part)
            if not known and covered < lines and enough():
                return False
        return True
