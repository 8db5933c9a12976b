"""The place of every part of every block, known or guessed, and the lines of them that are visible."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate

from textual.strip import Strip

from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript.blocks import Block
from ccq_tui.transcript.document import Document
from ccq_tui.transcript.order import BlockChange

CACHED_LINES = 200
"""Fewest lines kept drawn; each takes some kilobytes of memory, including Textual's own copies."""

_COMPACT = (bl.ToolBlock, bl.PermissionBlock, bl.ThinkingBlock, bl.RetryBlock, bl.NoticeBlock)

Draw = Callable[[bl.Block, int, int, int], list[Strip]]
"""Draws a part of a block, given also the empty lines above it and the width in columns."""


class Heights:
    """A list of heights, with the sums of those that stand before a place already looked at.

    Attributes:
        total: The sum of all heights, in lines.
    """

    __slots__ = ("_sums", "_values", "total")

    def __init__(self, values: Iterable[int] = ()) -> None:
        self._values = list(values)
        self._sums = [0]  # of the heights before each row, as far as anybody asked
        self.total = sum(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> int:
        return self._values[index]

    def append(self, value: int) -> None:
        self._values.append(value)
        self.total += value

    def set(self, index: int, value: int) -> None:
        """Change one height."""
        if delta := value - self._values[index]:
            self._values[index] = value
            self.total += delta
            del self._sums[index + 1 :]

    def truncate(self, length: int) -> None:
        """Drop every height from ``length`` on; the cost is that of the dropped ones."""
        self.total -= sum(self._values[length:])
        del self._values[length:], self._sums[length + 1 :]

    def before(self, index: int) -> int:
        """Return the sum of the heights before ``index``, in lines."""
        known = len(self._sums) - 1
        if index > known:
            self._sums[-1:] = accumulate(self._values[known:index], initial=self._sums[-1])
        return self._sums[index]

    def find(self, line: int) -> tuple[int, int]:
        """Return the row that holds a line, the nearest beyond either end, and the line's offset in it."""
        if not self.total:
            return 0, 0
        line = max(0, min(line, self.total - 1))
        while self._sums[-1] <= line:
            # Rows added up in one go when a line is looked for.
            self.before(min(len(self), len(self._sums) + 500))
        index = bisect_right(self._sums, line) - 1
        return index, line - self._sums[index]


class Rows:
    """The parts of one block: their heights, and the keys under which those were measured."""

    __slots__ = ("body", "head", "heights", "keys")

    def __init__(self) -> None:
        self.heights = Heights()
        self.keys: list[object] = []
        self.body: bl.Body | None = None
        self.head = False


def _is_compact(block: bl.Block) -> bool:
    return isinstance(block, _COMPACT) and block.body is None


class Layout:
    """The heights of all blocks at the present width.

    Attributes:
        blocks: The blocks, in order; the list of the model.
        width: Columns available.
        cached: Number of lines kept drawn.
    """

    def __init__(self, blocks: list[bl.Block], draw: Draw) -> None:
        self.blocks = blocks
        self.width = 80
        self.cached = CACHED_LINES
        self._draw = draw
        self._sums = Heights()
        self._rows: dict[bl.Block, Rows] = {}
        self._cache: dict[tuple[bl.Block, int], tuple[object, list[Strip]]] = {}
        self._cached_lines = 0

    @property
    def total(self) -> int:
        return self._sums.total

    def restyle(self, draw: Draw) -> None:
        """Forget the drawn lines: the colours have changed."""
        self._draw = draw
        self._cache.clear()
        self._cached_lines = 0

    def sync(self, change: BlockChange) -> None:
        """Follow a change of the blocks; the cost is that of the changed ones."""
        if change.moved_from is not None:
            self._sums.truncate(change.moved_from)
            if len(self._rows) > len(self.blocks) + 100:
                self._rows = {block: rows for block, rows in self._rows.items() if block.at >= 0}
        for index in change.changed:
            height = self._fit(index)
            if index < len(self._sums):
                self._sums.set(index, height)
        for index in range(len(self._sums), len(self.blocks)):
            rows = self._rows.get(self.blocks[index])
            self._sums.append(self._fit(index) if rows is None else rows.heights.total)

    def _fit(self, index: int) -> int:
        """Match a block's rows to its parts, as the last one may have been split; return the lines of all."""
        block = self.blocks[index]
        rows = self._rows.setdefault(block, Rows())
        body, head = block.body, block.head
        other = rows.body is not body or rows.head != head
        keep = 0 if other else max(int(head), len(rows.keys) - 1)
        rows.body, rows.head = body, head
        rows.heights.truncate(keep)
        del rows.keys[keep:]
        for part in range(len(rows.keys), int(head) + (len(body) if body is not None else 0)):
            lines = 1 if body is None or part < head else body.estimate(part - head, max(8, self.width - 2))
            rows.heights.append(lines + self.gap(index, part))
            rows.keys.append(None)
        return rows.heights.total

    def parts(self, index: int) -> int:
        """Return the number of parts of a block."""
        self._split(index)
        return len(self._rows[self.blocks[index]].keys)

    def parts_from(self, index: int, part: int) -> Iterator[tuple[int, int]]:
        """Yield the places of the parts from one on."""
        while index < len(self.blocks):
            while part < self.parts(index):
                yield index, part
                part += 1
            index, part = index + 1, 0

    def _split(self, index: int) -> None:
        """Split a text of the past at the first look at it."""
        rows = self._rows[self.blocks[index]]
        body = rows.body
        if isinstance(body, Document) and body.finished:
            body.split_whole()
            if len(rows.keys) != int(rows.head) + len(body):
                self._sums.set(index, self._fit(index))

    def height(self, index: int, part: int) -> int:
        """Return the lines of a part, measured or guessed."""
        return self._rows[self.blocks[index]].heights[part]

    def measured(self, index: int, part: int) -> bool:
        """Return whether a part's height is known rather than guessed."""
        return self._rows[self.blocks[index]].keys[part] == self._key(index, part)

    def before(self, index: int, part: int = 0) -> int:
        """Return the lines above a part."""
        if index >= len(self.blocks):
            return self.total
        return self._sums.before(index) + self._rows[self.blocks[index]].heights.before(part)

    def gap(self, index: int, part: int = 0) -> int:
        """Return the empty lines above a part: above a block, unless one-line blocks are close together."""
        return int(not part and index > 0 and not all(map(_is_compact, self.blocks[index - 1 : index + 1])))

    def find(self, line: int) -> tuple[int, int, int]:
        """Return the block, the part and the line within it at a line of the whole."""
        index, rest = self._sums.find(line)
        part, offset = self._rows[self.blocks[index]].heights.find(rest)
        return index, part, offset

    def _key(self, index: int, part: int) -> object:
        block = self.blocks[index]
        rows = self._rows[block]
        body = rows.body if part >= rows.head else None
        inner = body.key(part - rows.head) if body is not None else 0
        # The first line carries marks of its block, such as "queued"; Markdown never does, and its block
        # changes with every word. Folded and unfolded, a block may have bodies with the same keys.
        marks = block.version if part == 0 and not isinstance(body, Document) else 0
        return self.width, self.gap(index, part), marks, body, inner

    def strips(self, index: int, part: int) -> list[Strip]:
        """Return a part drawn, and update its height."""
        self._split(index)
        block, key = self.blocks[index], self._key(index, part)
        known, drawn = self._take((block, part))
        if known != key:
            drawn = self._draw(block, part, self.gap(index, part), self.width)
        self._cache[block, part] = key, drawn
        self._cached_lines += len(drawn)
        while self._cached_lines > self.cached and len(self._cache) > 1:
            self._take(next(iter(self._cache)))
        rows = self._rows[block]
        rows.keys[part] = key
        rows.heights.set(part, len(drawn))
        self._sums.set(index, rows.heights.total)
        return drawn

    def _take(self, place: tuple[bl.Block, int]) -> tuple[object, list[Strip]]:
        """Take drawn lines from those that are kept, of which the last are the newest."""
        known, lines = self._cache.pop(place, (None, []))
        self._cached_lines -= len(lines)
        return known, lines

    def measure(self, index: int, part: int) -> int:
        """Return the lines of a part, drawing it if its height is only guessed."""
        if not self.measured(index, part):
            self.strips(index, part)
        return self.height(index, part)


CONTEXT = 2
"""Lines shown above or below a place brought into view."""


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

    def measure(self) -> None:
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
        self.layout.cached = max(CACHED_LINES, 4 * self.height)
        if width != self.layout.width:
            if self.layout.blocks and not self.following:
                self._find_anchor()
                before = max(1, self.layout.height(self._index, self._part))
                self.layout.width = width
                after = self.layout.measure(self._index, self._part)
                self._offset = min(self._offset * after // before, max(0, after - 1))
            self.layout.width = width
        self.measure()

    def follow(self) -> None:
        """Go to the end and stay there."""
        self.following = True
        self._seen = None
        self.measure()

    def home(self) -> None:
        if self.layout.blocks:
            self._go(0)

    def move(self, line: int) -> None:
        """Put the top at a line of the present count, which measuring on the way may change."""
        layout = self.layout
        if not layout.blocks:
            return
        delta = line - self.top
        if abs(delta) > 4 * self.height:  # a longer move is a jump
            index, part, offset = layout.find(line)
            offset = min(offset, max(0, layout.measure(index, part) - 1))
            wanted = layout.before(index, part) + offset
        else:
            self._find_anchor()
            self._measure_up(self._index, self._part, -delta)
            self._measure_down(self.height + delta)
            wanted = self._line() + delta
        self._go(wanted)

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
        self._go(min(top, self.bottom))

    def _go(self, line: int) -> None:
        """Put the top at a line, and leave the end."""
        if self.following:
            last = len(self.layout.blocks) - 1
            self._seen = (self.layout.blocks[last], self.layout.total - self.layout.before(last))
        self.following = False
        self._anchor(max(0, line))
        self.measure()

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
