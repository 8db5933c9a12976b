"""Waiting requests from the store, as rows of the inbox screen."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

from ccq_tui.bridges.claude_code.native_sessions import without_asked
from ccq_tui.inbox.format import unread_words
from ccq_tui.inbox.reach import Look, Reach, reach_of
from ccq_tui.inbox.store.rows import RequestState, StoredRequest, StoredSession
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.processes import this_process
from ccq_tui.screens.inbox.inbox_list import InboxList, InboxRow, SessionPlace, row_of
from ccq_tui.screens.overlay import Feed
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.words import SHORT
from ccq_tui.worktrees.model import can_be_there

_logger = logging.getLogger(__name__)

PAGES = 200
"""Most pages of the store to list."""
PLACES = {
    Reach.RUNS: SessionPlace.OTHER,
    Reach.RESTS: SessionPlace.RESTS,
    Reach.NO_DIRECTORY: SessionPlace.GONE,
    Reach.NO_RECORD: SessionPlace.GONE,
    Reach.UNKNOWN: SessionPlace.GONE,
}
PAGE = 50
"""Requests of a page: more than fit on the screen, and few enough that the first appear soon."""


@dataclass(eq=False)
class InboxFeed(Feed[InboxList]):
    """Keeps the list up to date; lists requests in memory alone, too, if the disk cannot be read.

    Attributes:
        undelivered: Number of answers that have not reached Claude yet, as far as is known.
    """

    _manager: SessionManager
    _draw: Callable[[], None]
    _say: Callable[[str], None]
    state: InboxList = field(default_factory=InboxList)
    undelivered: int = 0
    _reads_native: bool = False

    async def read_all(self) -> None:
        """List waiting requests page by page, so that the first appear before the last are read."""
        inbox, recorded = self._manager.inbox, await self._manager.recorded()
        gone, after = {row.id for row in self.state.rows if row.place is not SessionPlace.THERE}, 0
        try:
            for _ in range(PAGES):
                rows = await inbox.run(partial(read_page, after=after, recorded=recorded))
                if not rows:
                    break
                self._take(rows)
                gone -= {row.id for row in rows}
                after = rows[-1].stored.number
            unreadable = await inbox.run(lambda store: len(store.requests.unreadable))
        except InboxError as error:
            self._cannot_read(error)
            return
        self._take(here := held_rows(inbox.unsaved()))
        for name in gone - {row.id for row in here}:  # another file does not have what was listed
            self.drop(name)
        if unreadable:
            self._say(f"{unread_words(unreadable)} · the log names them")

    async def read_one(self, request_id: str) -> None:
        """List a request that is new or has changed."""
        inbox = self._manager.inbox
        try:
            row = await inbox.run(lambda store: read_row(store, request_id))
        except InboxError as error:
            self._cannot_read(error)
            return
        held = held_rows(one for one in inbox.unsaved() if one.request.id == request_id)
        if rows := held or ([row] if row is not None else []):
            self._take(rows)

    async def read_native(self) -> None:
        """List the requests in Claude Code's own screen, and drop those that no longer wait."""
        if self._reads_native:
            return
        self._reads_native = True
        try:
            found = await self._manager.native_waiting(without_asked)
        except InboxError as error:
            _logger.debug("Native sessions cannot be told from those of hooks: %s", error)
            return
        finally:
            self._reads_native = False
        rows = [
            row_of(one, one.request.origin.called, one.request.origin.directory, SessionPlace.THERE)
            for one in found
        ]
        there = {row.id for row in rows}
        gone = [one.id for one in self.state.rows if one.place is SessionPlace.THERE and one.id not in there]
        state = self.state.merged(rows)
        for name in gone:
            state = state.without(name)
        self.show(state)

    async def count_undelivered(self) -> None:
        """Count the answers that have not reached Claude yet."""
        try:
            counts = await self._manager.inbox.run(lambda store: store.requests.undelivered_counts())
        except InboxError as error:
            _logger.warning("Answers that were not delivered cannot be counted: %s", error)
            return
        self.undelivered = sum(counts.values())
        self._draw()

    def drop(self, request_id: str) -> None:
        """Take a request out of the list."""
        self.show(self.state.without(request_id))

    def _take(self, rows: list[InboxRow]) -> None:
        self.show(self.state.merged(placed(rows, self._manager.sessions.titles())))

    def _cannot_read(self, error: InboxError) -> None:
        """List the requests that this process holds, and say that there may be more."""
        self._take(held_rows(self._manager.inbox.unsaved(written=True)))
        self._say(f"The inbox cannot be read: {error} · only requests held here are listed")


def read_page(store: Store, after: int, recorded: Collection[str] | None = None) -> list[InboxRow]:
    """Return a page of waiting requests, oldest first, after the request with a number."""
    known: dict[str, tuple[StoredSession | None, SessionPlace]] = {}
    look = Look(cache(can_be_there), recorded)
    return [_row(store, stored, known, look) for stored in store.requests.waiting(after=after, limit=PAGE)]


def held_rows(requests: Iterable[StoredRequest]) -> list[InboxRow]:
    """Return the rows of requests in memory alone; their sessions are open in this terminal."""
    return [row_of(one, one.request.session_id[:SHORT], "", SessionPlace.RESTS) for one in requests]


def read_row(store: Store, request_id: str) -> InboxRow | None:
    """Return the row of a waiting request, or None; a session that asks or parks now is not deleted."""
    stored = store.requests.get(request_id)
    return (
        _row(store, stored, {}, Look(can_be_there))
        if stored is not None and stored.state is RequestState.PENDING
        else None
    )


def placed(rows: Iterable[InboxRow], here: Mapping[str, str]) -> list[InboxRow]:
    """Return the rows with their present places; ``here`` has the names of this terminal's sessions by id."""
    return [
        row_of(row.stored, here[row.session_id], row.directory, SessionPlace.HERE)
        if row.session_id in here and not row.stored.request.origin.is_foreign
        else row
        if row.place is not SessionPlace.HERE
        else replace(row, place=SessionPlace.RESTS)
        for row in rows
    ]


def _row(
    store: Store,
    stored: StoredRequest,
    known: dict[str, tuple[StoredSession | None, SessionPlace]],
    look: Look,
) -> InboxRow:
    name, origin = stored.request.session_id, stored.request.origin
    if origin.is_foreign:
        return row_of(stored, origin.called, origin.directory, SessionPlace.ASKER)
    if name not in known:
        session = store.sessions.get(name)
        known[name] = (session, place_of(session, look))
    session, place = known[name]
    directory = session.directory if session else ""
    called = session.name if session else ""
    return row_of(stored, called or Path(directory).name or name[:SHORT], directory, place)


def place_of(session: StoredSession | None, look: Look) -> SessionPlace:
    """Return the place of a session, None for one that is not stored; checks processes and files."""
    if session is not None and not session.directory:
        return SessionPlace.GONE
    if session is not None and session.owner == this_process():
        return SessionPlace.RESTS  # `placed` knows which of this process's sessions are open
    return PLACES[reach_of(session, look)]
