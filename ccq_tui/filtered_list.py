"""A searchable list as data: its rows, filter and cursor."""

from collections.abc import Hashable, Iterable
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, Self, TypeVar


class ListRow(Protocol):
    """A row of a filtered list."""

    @property
    def key(self) -> Hashable:
        """The row's identity when the rows change."""

    @property
    def found_by(self) -> str:
        """The case-folded text that the filter searches."""


Row = TypeVar("Row", bound=ListRow)


@dataclass(frozen=True, slots=True)
class FilteredList(Generic[Row]):
    """Rows of the inbox, the overview or a picker; shown are those with every word of the filter.

    Attributes:
        rows: All rows.
        filter: The text typed to find rows.
        cursor: Index of the cursor among the rows shown.
        shown: Rows that pass the filter, in the order in which they are drawn.
        lost: Key of the row that had the cursor when the filter left none.
    """

    rows: tuple[Row, ...] = ()
    filter: str = ""
    cursor: int = 0
    shown: tuple[Row, ...] = field(init=False, compare=False, default=())
    lost: Hashable = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Compute the rows shown once: each key reads them many times."""
        words = self.filter.casefold().split()
        found = tuple(row for row in self.rows if all(word in row.found_by for word in words))
        object.__setattr__(self, "shown", self.arranged(found if words else self.rows, words))

    def arranged(self, found: tuple[Row, ...], words: list[str]) -> tuple[Row, ...]:  # noqa: ARG002
        """Return the rows found in the order in which they are drawn."""
        return found

    @property
    def under(self) -> Row | None:
        """The row under the cursor, or None when nothing is shown."""
        return self.shown[self.cursor] if self.cursor < len(self.shown) else None

    def moved(self, by: int) -> Self:
        """Move the cursor, wrapping at either end."""
        return self.put((self.cursor + by) % len(self.shown)) if self.shown else self

    def put(self, at: int) -> Self:
        """Put the cursor on a row shown; beyond an end, on the last row there."""
        moved = copy(self)  # not `replace`, which would find all rows again
        object.__setattr__(moved, "cursor", max(0, min(at, len(self.shown) - 1)))
        return moved

    def after(self, action: str, page: int) -> Self | None:
        """Return the list after an action of the keys of every list, or None for any other action.

        ``page`` is the number of rows on a page.
        """
        match action:
            case "up" | "down":
                return self.moved(-1 if action == "up" else 1)
            case "step_up" | "page_up":
                return self.put(self.cursor - (page if action == "page_up" else 1))
            case "step_down" | "page_down":
                return self.put(self.cursor + (page if action == "page_down" else 1))
            case "first" | "last":
                return self.put(0 if action == "first" else len(self.shown) - 1)
            case _:
                return None

    def filtered(self, text: str) -> Self:
        """Apply another filter; the cursor keeps its row if that is still shown."""
        return self if text == self.filter else self.kept(replace(self, filter=text))

    def with_rows(self, rows: Iterable[Row]) -> Self:
        """Return the list with other rows; the cursor follows its row."""
        return self.kept(replace(self, rows=tuple(rows)))

    def kept(self, after: Self) -> Self:
        """Keep the cursor on its row; where that is gone, on the one that took its place."""
        keys = [row.key for row in after.shown]
        key = self.under.key if self.under is not None else self.lost
        if not keys:
            return replace(after, lost=key)
        return replace(after, lost=None).put(keys.index(key) if key in keys else self.cursor)
