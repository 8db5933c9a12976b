"""Ordered heights, which find a row's first line or a line's row without adding all up each time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

CHUNK = 500
"""Rows added up in one go when a line is looked for."""


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

    def set(self, index: int, value: int) -> int:
        """Change one height; return the number of lines it grew by."""
        delta = value - self._values[index]
        if delta:
            self._values[index] = value
            self.total += delta
            del self._sums[index + 1 :]
        return delta

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
            self.before(min(len(self), len(self._sums) + CHUNK))
        index = bisect_right(self._sums, line) - 1
        return index, line - self._sums[index]
