"""A list that a person looks through, as data: its rows, what was typed to find some, its cursor."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, Self, TypeVar

from ccq_tui.key_uses import KeyUse


class ListRow(Protocol):
    """What a row of a filtered list says of itself."""

    @property
    def key(self) -> Hashable:
        """What it is known by when the rows change."""

    @property
    def found_by(self) -> str:
        """The text, case folded, in which words to find are looked for."""


Row = TypeVar("Row", bound=ListRow)
LIST_KEYS = (
    KeyUse(("up", "ctrl+p", "shift+tab"), "up", "Move up"),
    KeyUse(("down", "ctrl+n", "tab"), "down", "Move down"),
    KeyUse(("shift+up",), "step_up", "Move up, to the first"),
    KeyUse(("shift+down",), "step_down", "Move down, to the last"),
    KeyUse(("pageup",), "page_up", "Move up a page"),
    KeyUse(("pagedown",), "page_down", "Move down a page"),
    KeyUse(("home", "ctrl+home"), "first", "Go to the first"),
    KeyUse(("end", "ctrl+end"), "last", "Go to the last"),
)
"""Keys that move the cursor of every list; `FilteredList.after` says where it goes."""


@dataclass(frozen=True, slots=True)
class FilteredList(Generic[Row]):
    """Rows, of which those with every word of the filter are shown: of the inbox, the overview, a picker.

    Attributes:
        rows: All rows.
        filter: What was typed to find some.
        cursor: Which of the rows shown has the cursor.
        in_sight: The rows on the screen as they were last told, or None for a surface that shows all.
        shown: The rows that the filter leaves, in the order in which they are drawn.
        lost: The key of the row that had the cursor when the filter left none.
    """

    rows: tuple[Row, ...] = ()
    filter: str = ""
    cursor: int = 0
    in_sight: frozenset[int] | None = field(default=None, compare=False)
    shown: tuple[Row, ...] = field(init=False, compare=False, default=())
    lost: Hashable = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Find what is shown, once: much is asked of it for every key."""
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

    @property
    def taken(self) -> Row | None:
        """The row that a key takes: the one under the cursor, unless it was scrolled out of sight."""
        return self.under if self.in_sight is None or self.cursor in self.in_sight else None

    def get(self, key: Hashable) -> Row | None:
        """Return the row known by a key, shown or not, or None."""
        return next((row for row in self.rows if row.key == key), None)

    def moved(self, by: int) -> Self:
        """Move the cursor, wrapping at either end."""
        return replace(self, cursor=(self.cursor + by) % len(self.shown)) if self.shown else self

    def put(self, at: int) -> Self:
        """Put the cursor on a row shown; beyond an end it stays on the last there."""
        return replace(self, cursor=max(0, min(at, len(self.shown) - 1)))

    def after(self, action: str, page: int) -> Self | None:
        """Return the list after an action of `LIST_KEYS`, with so many rows on a page.

        None for any other action.
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
        """Look for something else, with the cursor where it was if that is still shown."""
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
