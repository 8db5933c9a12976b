"""A list to choose from, as data: its rows, its filter, its cursor."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

from ccq_tui.filtered_list import FilteredList
from ccq_tui.questions.input_guard import is_fresh


@dataclass(frozen=True, slots=True)
class PickRow:
    """Something to choose.

    Attributes:
        value: Value that choosing it returns.
        label: Its name.
        description: Its description, or "".
        right: A word at the right end of its line, such as a key, or "".
        current: Whether it is the present choice.
    """

    value: str
    label: str
    description: str = ""
    right: str = ""
    current: bool = False

    @property
    def key(self) -> str:
        """Key of the row: its value."""
        return self.value

    @property
    def found_by(self) -> str:
        return f"{self.label} {self.description} {self.right}".casefold()


@dataclass(frozen=True, slots=True)
class Choosing(FilteredList[PickRow]):
    """State of a list to choose from; rows whose label begins with the first word come first.

    Attributes:
        quiet_since: Time when the list opened by itself or the last key of its grace came, or None.
    """

    quiet_since: float | None = field(default=None, compare=False)

    def arranged(self, found: tuple[PickRow, ...], words: list[str]) -> tuple[PickRow, ...]:
        """Return the rows found, the likeliest first."""
        return tuple(sorted(found, key=lambda row: _rank(row, words[0]))) if words else found

    def came_up(self, at: float) -> Self:
        """Return the list as it opens, or gets its rows, without a key that asked for it just then."""
        return replace(self, quiet_since=at)

    def judged(self, at: float, *, takes: bool) -> tuple[bool, Self]:
        """Return whether a key was meant for the list, and the list after it.

        Only a key that takes a row can do harm. The grace ends with a moment without a key.
        """
        if not is_fresh(self.quiet_since, at):
            return True, self
        return not takes, replace(self, quiet_since=at)

    def filtered(self, text: str) -> Self:
        """Filter by another text; the cursor goes to the best row, or back to the present choice."""
        if text == self.filter:
            return self
        return replace(self, filter=text, cursor=0 if text.strip() else _current(self.rows))


def choosing(rows: tuple[PickRow, ...]) -> Choosing:
    """Begin to choose, with the cursor on the present choice."""
    return Choosing(rows, cursor=_current(rows))


def _current(rows: tuple[PickRow, ...]) -> int:
    return next((index for index, row in enumerate(rows) if row.current), 0)


def _rank(row: PickRow, word: str) -> int:
    label = row.label.casefold().lstrip("/")
    return 0 if label.startswith(word.lstrip("/")) else 1 if word in label else 2
