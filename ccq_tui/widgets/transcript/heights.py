"""Ordered heights with sums, which find a row's first line or a line's row without walking over all."""

from __future__ import annotations

from collections.abc import Iterable


class Heights:
    """A list of heights that answers sums and searches in logarithmic time (a Fenwick tree)."""

    __slots__ = ("_tree", "_values")

    def __init__(self, values: Iterable[int] = ()) -> None:
        self._values: list[int] = []
        self._tree: list[int] = [0]
        for value in values:
            self.append(value)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> int:
        return self._values[index]

    @property
    def total(self) -> int:
        """The sum of all heights, in lines."""
        return self.before(len(self._values))

    def append(self, value: int) -> None:
        self._values.append(value)
        position = len(self._values)
        # A node holds the sum of its own value and of the nodes under it.
        total, child = value, position - 1
        lowest = position - (position & -position)
        while child > lowest:
            total += self._tree[child]
            child -= child & -child
        self._tree.append(total)

    def set(self, index: int, value: int) -> int:
        """Change one height; return the number of lines it grew by."""
        delta = value - self._values[index]
        if delta:
            self._values[index] = value
            position = index + 1
            while position < len(self._tree):
                self._tree[position] += delta
                position += position & -position
        return delta

    def truncate(self, length: int) -> None:
        """Drop every height from ``length`` on; the cost is that of the dropped ones."""
        del self._values[length:]
        del self._tree[length + 1 :]

    def before(self, index: int) -> int:
        """Return the sum of the heights before ``index``, in lines."""
        total = 0
        while index > 0:
            total += self._tree[index]
            index -= index & -index
        return total

    def find(self, line: int) -> tuple[int, int]:
        """Return the row that holds a line, the nearest beyond either end, and the line's offset in it."""
        if not self._values:
            return 0, 0
        line = max(0, min(line, self.total - 1))
        index, step = 0, 1 << (len(self._values).bit_length() - 1)
        while step:
            after = index + step
            if after <= len(self._values) and self._tree[after] <= line:
                index = after
                line -= self._tree[after]
            step >>= 1
        return min(index, len(self._values) - 1), line


class GrowingHeights:
    """Heights that grow at either end at the same small cost: a long past comes in parts."""

    __slots__ = ("_above", "_below")

    def __init__(self) -> None:
        self._above = Heights()  # heights added at the beginning, the last to come first
        self._below = Heights()

    def __len__(self) -> int:
        return len(self._above) + len(self._below)

    def __getitem__(self, index: int) -> int:
        heights, place = self._at(index)
        return heights[place]

    def _at(self, index: int) -> tuple[Heights, int]:
        above = len(self._above)
        return (self._above, above - 1 - index) if index < above else (self._below, index - above)

    @property
    def total(self) -> int:
        """The sum of all heights, in lines."""
        return self._above.total + self._below.total

    def append(self, value: int) -> None:
        self._below.append(value)

    def prepend(self, value: int) -> None:
        """Add a height at the beginning."""
        self._above.append(value)

    def set(self, index: int, value: int) -> int:
        """Change one height; return the number of lines it grew by."""
        heights, place = self._at(index)
        return heights.set(place, value)

    def truncate(self, length: int) -> None:
        """Drop every height from ``length`` on."""
        above = len(self._above)
        if length < above:
            kept = [self[index] for index in range(length)]
            self._above, self._below = Heights(), Heights(kept)
        else:
            self._below.truncate(length - above)

    def before(self, index: int) -> int:
        """Return the sum of the heights before ``index``, in lines."""
        above = len(self._above)
        if index >= above:
            return self._above.total + self._below.before(index - above)
        return self._above.total - self._above.before(above - index)

    def find(self, line: int) -> tuple[int, int]:
        """Return the row that holds a line, the nearest beyond either end, and the line's offset in it."""
        line = max(0, min(line, self.total - 1))
        above = self._above.total
        if line >= above and len(self._below):
            index, offset = self._below.find(line - above)
            return len(self._above) + index, offset
        if not len(self._above):
            return 0, 0
        place, rest = self._above.find(above - 1 - line)
        return len(self._above) - 1 - place, self._above[place] - 1 - rest
