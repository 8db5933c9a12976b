"""The list of the inbox as data: its keys, its rows, its filter, its groups, its cursor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Self

from ccq_tui.filtered_list import LIST_KEYS, FilteredList
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.key_uses import KeyUse, by_key
from ccq_tui.text import one_line

INBOX = "Inbox"
INBOX_KEYS = (
    *LIST_KEYS,
    KeyUse(("k",), "up", "Move up"),
    KeyUse(("j",), "down", "Move down"),
    KeyUse(("right", "a", "l"), "answer", "Answer it here"),
    KeyUse(("enter",), "go_to", "Go to its session; one without a process is resumed"),
    KeyUse(("slash",), "find", "Filter, with letters that are keys too"),
    KeyUse(("g",), "regroup", "Group the requests by session"),
    KeyUse(("p",), "park", "Park its session, even one in another ccq-tui"),
    KeyUse(("ctrl+d",), "decline", "Decline it; press again, or y, to confirm"),
    KeyUse(("c", "f8"), "copy", "Copy the question and your draft"),
    KeyUse(("ctrl+up",), "scroll_up", "Scroll its details up"),
    KeyUse(("ctrl+down",), "scroll_down", "Scroll its details down"),
    KeyUse(("escape",), "empty", "Clear the filter, then leave"),
    KeyUse(("q", "f2"), "leave", "Leave"),
)
INBOX_ACTIONS = by_key(INBOX_KEYS)


LONGEST_NAME = 60
LONGEST_QUESTION = 300


class SessionPlace(Enum):
    """Place of a request's session."""

    HERE = auto()
    """It is open in this terminal."""
    OTHER = auto()
    """Another process runs it."""
    RESTS = auto()
    """No process runs it, and it can be resumed."""
    GONE = auto()
    """It was deleted, or its directory is missing: nothing can be delivered."""
    ASKER = auto()
    """No session: something else asked, and fetches the answer from the inbox."""
    THERE = auto()
    """It is in Claude Code's own screen, the only place where the request can be answered."""


@dataclass(frozen=True, slots=True)
class InboxRow:
    """A request that waits.

    Attributes:
        stored: The request with what the agent wrote before it.
        session: Name of its session.
        directory: Directory of its session, or "".
        place: Place of its session.
        question: Summary of the request, in one harmless line.
        found_by: Text that a filter searches.
    """

    stored: StoredRequest
    session: str
    directory: str
    place: SessionPlace
    question: str
    found_by: str

    @property
    def id(self) -> str:
        return self.stored.request.id

    @property
    def key(self) -> str:
        return self.id

    @property
    def of_session(self) -> str:
        """The name of its session, or "" if no session asked: the asker is then named already."""
        return "" if self.place is SessionPlace.ASKER else self.session

    @property
    def session_id(self) -> str:
        return self.stored.request.session_id


def row_of(stored: StoredRequest, session: str, directory: str, place: SessionPlace) -> InboxRow:
    """Return the row of a request, given the name and directory of its session, or ""."""
    name = one_line(session, LONGEST_NAME)
    question = one_line(kind_of(stored.request).summary(stored.request), LONGEST_QUESTION)
    return InboxRow(stored, name, directory, place, question, f"{name} {question} {directory}".casefold())


@dataclass(frozen=True, slots=True)
class InboxList(FilteredList[InboxRow]):
    """State of the list of waiting requests, oldest first.

    Attributes:
        grouped: Whether the rows of a session are together.
    """

    grouped: bool = False

    def arranged(self, found: tuple[InboxRow, ...], words: list[str]) -> tuple[InboxRow, ...]:  # noqa: ARG002
        """Return the rows found, by age or grouped by session."""
        if not self.grouped:
            return found
        first = {row.session_id: at for at, row in reversed(list(enumerate(found)))}
        return tuple(sorted(found, key=lambda row: first[row.session_id]))

    def regrouped(self) -> Self:
        """Group the rows by session, or order all of them by age."""
        return self.kept(replace(self, grouped=not self.grouped))

    def merged(self, rows: Iterable[InboxRow]) -> Self:
        """Return the list with more rows; one that is there already is replaced in its place."""
        new = {row.id: row for row in rows}
        kept = [new.pop(row.id, row) for row in self.rows]
        # Asked again, a request keeps its number: it goes back to where it was.
        return self.with_rows(sorted([*kept, *new.values()], key=lambda row: row.stored.number))

    def without(self, request_id: str) -> Self:
        return self.with_rows(row for row in self.rows if row.id != request_id)
