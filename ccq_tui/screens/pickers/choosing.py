"""Choosing from a list as data: its rows, its filter, its cursor."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ccq_tui.questions.input_guard import is_fresh


@dataclass(frozen=True, slots=True)
class PickRow:
    """Something to choose.

    Attributes:
        value: What is chosen.
        label: What it is called.
        description: What it is, or "".
        right: A word at the right end of its line, such as a key, or "".
        current: Whether it is what holds now.
    """

    value: str
    label: str
    description: str = ""
    right: str = ""
    current: bool = False


@dataclass(frozen=True, slots=True)
class Choosing:
    """A list that is being chosen from.

    Attributes:
        rows: All rows.
        filter: What was typed to find a row.
        cursor: Which of the rows shown has the cursor.
        in_sight: The rows on the screen as they were last told, or None for a surface that shows all.
        quiet_since: When the list came up by itself, or the last key of the grace after that; or None.
    """

    rows: tuple[PickRow, ...]
    filter: str = ""
    cursor: int = 0
    in_sight: frozenset[int] | None = field(default=None, compare=False)
    quiet_since: float | None = field(default=None, compare=False)

    @property
    def taken(self) -> PickRow | None:
        """The row that a key takes: the one under the cursor, unless it was scrolled out of sight."""
        return self.under if self.in_sight is None or self.cursor in self.in_sight else None

    @property
    def shown(self) -> tuple[PickRow, ...]:
        """The rows that have every word of the filter, those whose label begins with it first."""
        words = self.filter.casefold().split()
        if not words:
            return self.rows
        found = [row for row in self.rows if all(word in _text(row) for word in words)]
        return tuple(sorted(found, key=lambda row: _rank(row, words[0])))

    @property
    def under(self) -> PickRow | None:
        """The row under the cursor, or None when nothing is shown."""
        shown = self.shown
        return shown[self.cursor] if self.cursor < len(shown) else None

    def came_up(self, at: float) -> Choosing:
        """Return the list as it comes up, or gets its rows, without a key that asks for that right then."""
        return replace(self, quiet_since=at)

    def judged(self, at: float, *, takes: bool) -> tuple[bool, Choosing]:
        """Say whether a key was meant for the list; only one that takes a row can do any harm.

        Args:
            at: When it came.
            takes: Whether it would take a row.

        Returns:
            Whether it was, and the list after it: the grace ends with a moment without a key.
        """
        if not is_fresh(self.quiet_since, at):
            return True, self
        return not takes, replace(self, quiet_since=at)

    def moved(self, by: int) -> Choosing:
        """Move the cursor, wrapping at either end."""
        count = len(self.shown)
        return replace(self, cursor=(self.cursor + by) % count) if count else self

    def put(self, at: int) -> Choosing:
        """Put the cursor on a row shown; beyond an end it stays on the last there."""
        return replace(self, cursor=max(0, min(at, len(self.shown) - 1)))

    def filtered(self, text: str) -> Choosing:
        """Look for something else; the cursor goes to the best row, or back to what holds now."""
        if text == self.filter:
            return self
        after = replace(self, filter=text, cursor=0)
        return after if text.strip() else replace(after, cursor=_current(self.rows))


def choosing(rows: tuple[PickRow, ...]) -> Choosing:
    """Begin to choose, with the cursor on what holds now."""
    return Choosing(rows, cursor=_current(rows))


def _current(rows: tuple[PickRow, ...]) -> int:
    return next((index for index, row in enumerate(rows) if row.current), 0)


def _text(row: PickRow) -> str:
    return f"{row.label} {row.description} {row.right}".casefold()


def _rank(row: PickRow, word: str) -> int:
    label = row.label.casefold().lstrip("/")
    return 0 if label.startswith(word.lstrip("/")) else 1 if word in label else 2
