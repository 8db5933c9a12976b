"""The list of the inbox as data: its rows, its filter, its groups, its cursor."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum, auto

from ccq_tui.inbox.listing import summary
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.text import one_line

LONGEST_NAME = 60
LONGEST_QUESTION = 300


class Place(Enum):
    """Where the session of a request is."""

    HERE = auto()
    """It is open in this terminal."""
    OTHER = auto()
    """Another process runs it."""
    RESTS = auto()
    """No process runs it, and it can be resumed."""
    GONE = auto()
    """It was deleted, or its directory is missing: nothing can be delivered."""
    ASKER = auto()
    """There is none: something else asked, and takes the answer out of the inbox."""


@dataclass(frozen=True, slots=True)
class InboxRow:
    """A request that waits.

    Attributes:
        stored: The request with what the agent wrote before it.
        session: What its session is called.
        directory: Where its session works, or "".
        place: Where its session is.
        question: What is asked, in one harmless line.
        found_by: What a filter looks at.
    """

    stored: StoredRequest
    session: str
    directory: str
    place: Place
    question: str
    found_by: str

    @property
    def id(self) -> str:
        """The request's id."""
        return self.stored.request.id

    @property
    def session_id(self) -> str:
        """The Claude session id."""
        return self.stored.request.session_id


def row_of(stored: StoredRequest, session: str, directory: str, place: Place) -> InboxRow:
    """Return the row of a request, with what its session is called and where it works, or ""."""
    name = one_line(session, LONGEST_NAME)
    question = one_line(summary(stored.request), LONGEST_QUESTION)
    return InboxRow(stored, name, directory, place, question, f"{name} {question} {directory}".casefold())


@dataclass(frozen=True, slots=True)
class InboxList:
    """What waits, as it is looked at.

    Attributes:
        rows: All rows, oldest first.
        filter: What was typed to find some.
        grouped: Whether the rows of a session stand together.
        cursor: Which of the rows shown has the cursor.
        in_sight: The rows on the screen as they were last told, or None for a surface that shows all.
    """

    rows: tuple[InboxRow, ...] = ()
    filter: str = ""
    grouped: bool = False
    cursor: int = 0
    in_sight: frozenset[int] | None = field(default=None, compare=False)

    @property
    def taken(self) -> InboxRow | None:
        """The row that a key takes: the one under the cursor, unless it was scrolled out of sight."""
        return self.under if self.in_sight is None or self.cursor in self.in_sight else None

    @property
    def shown(self) -> tuple[InboxRow, ...]:
        """The rows that have every word of the filter, in the order in which they are drawn."""
        words = self.filter.casefold().split()
        if not words and not self.grouped:
            return self.rows
        found = tuple(row for row in self.rows if all(word in row.found_by for word in words))
        if not self.grouped:
            return found
        first = {row.session_id: at for at, row in reversed(list(enumerate(found)))}
        return tuple(sorted(found, key=lambda row: first[row.session_id]))

    @property
    def under(self) -> InboxRow | None:
        """The row under the cursor, or None when nothing is shown."""
        shown = self.shown
        return shown[self.cursor] if self.cursor < len(shown) else None

    def get(self, request_id: str) -> InboxRow | None:
        """Return the row of a request, or None."""
        return next((row for row in self.rows if row.id == request_id), None)

    def moved(self, by: int) -> InboxList:
        """Move the cursor, wrapping at either end."""
        count = len(self.shown)
        return replace(self, cursor=(self.cursor + by) % count) if count else self

    def put(self, at: int) -> InboxList:
        """Put the cursor on a row shown; beyond an end it stays on the last there."""
        return replace(self, cursor=max(0, min(at, len(self.shown) - 1)))

    def filtered(self, text: str) -> InboxList:
        """Look for something else, with the cursor where it was if that is still shown."""
        return self if text == self.filter else self._same_row(replace(self, filter=text))

    def regrouped(self) -> InboxList:
        """Let the rows of a session stand together, or all rows by age."""
        return self._same_row(replace(self, grouped=not self.grouped))

    def with_rows(self, rows: list[InboxRow]) -> InboxList:
        """Return the list with more rows; one that is there already is replaced in its place."""
        new = {row.id: row for row in rows}
        kept = [new.pop(row.id, row) for row in self.rows]
        # Asked again, a request keeps its number: it goes back to where it was.
        every = sorted([*kept, *new.values()], key=lambda row: row.stored.number)
        return self._same_row(replace(self, rows=tuple(every)))

    def without(self, request_id: str) -> InboxList:
        """Return the list without a request."""
        return self._same_row(replace(self, rows=tuple(row for row in self.rows if row.id != request_id)))

    def _same_row(self, after: InboxList) -> InboxList:
        """Keep the cursor on its request; where that is gone, on the one that took its place."""
        under = self.under
        at = next((at for at, row in enumerate(after.shown) if under and row.id == under.id), None)
        return after.put(self.cursor if at is None else at)
