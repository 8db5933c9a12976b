"""Heights in order, with sums: where a row begins and which row holds a line, without walking over all."""

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
        """Add a height at the end."""
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
        """Change one height.

        Returns:
            By how many lines it grew.
        """
        delta = value - self._values[index]
        if delta:
            self._values[index] = value
            position = index + 1
            while position < len(self._tree):
                self._tree[position] += delta
                position += position & -position
        return delta

    def truncate(self, length: int) -> None:
        """Forget every height from ``length`` on; costs what is forgotten."""
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
        """Find the row that holds a line.

        Args:
            line: The line, counted from 0; beyond either end it is moved to that end.

        Returns:
            The row's index and the line's offset in it; (0, 0) when there are no rows.
        """
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
