"""The list of the inbox as data: its keys, its rows, its filter, its groups, its cursor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from ccq_tui.filtered_list import FilteredList
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.reach import Look, Reach, reach_of
from ccq_tui.inbox.store.rows import StoredRequest, StoredSession
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import this_process
from ccq_tui.text import one_line
from ccq_tui.words import SHORT

MOST_REQUESTS = 10_000
"""Most requests that are listed."""
LONGEST_NAME = 60
LONGEST_QUESTION = 300


class SessionPlace(Enum):
    """Place of a session or of a request's session, in words for people."""

    HERE = "open here"
    """It is open in this terminal."""
    OTHER = "runs in another ccq-tui"
    """Another process runs it."""
    RESTS = "no process"
    """No process runs it, and it can be resumed."""
    GONE = "deleted, or its directory is gone"
    """Nothing can be delivered."""
    ASKER = "in Claude Code's own screen · {panel} answers it here"
    """No session of ours: something else asked, and fetches the answer from the inbox."""
    THERE = "in Claude Code's own screen: answer it there"
    """The request can be answered only there."""


PLACES = {
    Reach.RUNS: SessionPlace.OTHER,
    Reach.RESTS: SessionPlace.RESTS,
    Reach.NO_DIRECTORY: SessionPlace.GONE,
    Reach.NO_RECORD: SessionPlace.GONE,
    Reach.UNKNOWN: SessionPlace.GONE,
}


def place_of(session: StoredSession | None, look: Look) -> SessionPlace:
    """Return the place of a session, None for one that is not stored; checks processes and files."""
    if session is not None and not session.directory:
        return SessionPlace.GONE
    if session is not None and session.owner == this_process():
        return SessionPlace.RESTS  # the screens know which of this process's sessions are open
    return PLACES[reach_of(session, look)]


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
    question: str = field(init=False)
    found_by: str = field(init=False)

    def __post_init__(self) -> None:
        """Make its texts harmless to draw, in one line each."""
        name = one_line(self.session, LONGEST_NAME)
        question = one_line(kind_of(self.stored.request).summary(self.stored.request), LONGEST_QUESTION)
        object.__setattr__(self, "session", name)
        object.__setattr__(self, "question", question)
        object.__setattr__(self, "found_by", f"{name} {question} {self.directory}".casefold())

    @property
    def key(self) -> str:
        """The id of the request."""
        return self.stored.request.id

    @property
    def session_id(self) -> str:
        return self.stored.request.session_id


def read_rows(store: Store, look: Look) -> list[InboxRow]:
    """Return the rows of the waiting requests."""
    found = store.requests.waiting(limit=MOST_REQUESTS)
    names = {one.request.session_id for one in found}
    known = {name: (one := store.sessions.get(name), place_of(one, look)) for name in names}
    return [_row(one, *known[one.request.session_id]) for one in found]


def _row(stored: StoredRequest, session: StoredSession | None, place: SessionPlace) -> InboxRow:
    origin, name = stored.request.origin, session.name if session else ""
    if origin.is_foreign:
        return InboxRow(stored, origin.called, origin.directory, SessionPlace.ASKER)
    directory = session.directory if session else ""
    called = name or Path(directory).name or stored.request.session_id[:SHORT]
    return InboxRow(stored, called, directory, place)


def held_rows(requests: Iterable[StoredRequest]) -> dict[str, InboxRow]:
    """Return the rows of requests in memory alone; their sessions are open in this terminal."""
    rows = (InboxRow(one, one.request.session_id[:SHORT], "", SessionPlace.RESTS) for one in requests)
    return {row.key: row for row in rows}


def placed(row: InboxRow, here: Mapping[str, str]) -> InboxRow:
    """Return a row with its present place; ``here`` has the names of this terminal's sessions by id."""
    if row.session_id not in here or row.stored.request.origin.is_foreign:
        return row
    return InboxRow(row.stored, here[row.session_id], row.directory, SessionPlace.HERE)


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
