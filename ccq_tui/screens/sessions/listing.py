"""What is listed: the sessions of this terminal, of the inbox and of Claude Code's records, read by pages."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, lru_cache, partial
from itertools import chain
from pathlib import Path

from ccq_tui.agent.events import SessionState
from ccq_tui.agent.reader import EarlierSession, delete_earlier, earlier_sessions, rename_earlier
from ccq_tui.bridges.claude_code.native_sessions import NativeSessions, beside_hooks
from ccq_tui.claude_files import claude_directory, recorded_sessions
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.place import Look, Place, place_of
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.processes import alive
from ccq_tui.runtime.runtime import Runtime
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.model import (
    UNSTORED,
    ListHeading,
    RequestRow,
    SessionRow,
    foreign_row,
    request_row,
)
from ccq_tui.screens.sessions.open_sessions import OpenSessions
from ccq_tui.text import last_sentence
from ccq_tui.words import SHORT
from ccq_tui.worktrees.model import can_be_there

_logger = logging.getLogger(__name__)

FIRST_PAGE, PAGE = 40, 100
"""Sessions read at once: a page takes as long as another task of the store may wait."""
OVER = frozenset({SessionState.PARKED, SessionState.FAILED, SessionState.ENDED})
"""States in which a session of this terminal has no process."""
MOST_SESSIONS = 2_000
"""Most stored sessions that are listed, beside those in which something waits."""


def listed_ids(store: Store) -> list[str]:
    """Return the sessions and other askers to list, those in which something waits longest first."""
    stored = (one.id for one in store.sessions.page(limit=MOST_SESSIONS))
    return list(dict.fromkeys((*store.requests.waiting_counts(), *stored)))


def read_rows(
    store: Store, ids: Iterable[str], look: Look, known: Callable[[str], OpenRequest | None]
) -> dict[str, SessionRow | None]:
    """Return the rows of sessions and other askers; None for one that is no longer to be listed."""
    undelivered = store.requests.undelivered_counts()
    rows = {name: _row(store, name, look, known) for name in ids}
    return {name: row and replace(row, undelivered=undelivered.get(name, 0)) for name, row in rows.items()}


def _row(
    store: Store, name: str, look: Look, known: Callable[[str], OpenRequest | None]
) -> SessionRow | None:
    waiting = store.requests.waiting(name, limit=1_000)
    requests = tuple(request_row(one, known(one.request.id)) for one in waiting)
    if waiting and (origin := waiting[0].request.origin).is_foreign:
        return foreign_row(origin, name, requests, Place.FOREIGN)
    if (session := store.sessions.get(name)) is None:
        row = replace(UNSTORED, key=name, session_id=name, session=name[:SHORT], requests=requests)
        return row if requests else None
    return SessionRow(
        key=name,
        session_id=name,
        session=session.name or Path(session.directory).name or name[:SHORT],
        place=place_of(session, look) if session.directory else Place.NO_DIRECTORY,
        state=str(session.state),
        since=store.sessions.since(session).timestamp(),
        runs=alive(session.owner),
        requests=requests,
        directory=session.directory,
        cost=session.cost,
        last_line=session.last_line,
        done=session.done,
        labels=session.labelled,
    )


def _with_draft(store: Store, key: str) -> tuple[StoredRequest | None, Draft | None]:
    stored = store.requests.get(key)
    kept = store.drafts.get(stored.request) if stored is not None and stored.has_draft else None
    return stored, kept.draft if kept is not None else None


def earlier_row(session: EarlierSession) -> SessionRow:
    """Return the row of a session that Claude Code alone knows."""
    name, last = session.session_id, session.last
    row = replace(UNSTORED, key=name, session_id=name, place=Place.RESTS, since=session.modified, last=last)
    return replace(
        row,
        session=session.summary or name[:SHORT],
        directory=session.directory,
        # Where there is no repository the CLI calls the branch HEAD.
        branch="" if session.branch == "HEAD" else session.branch,
        last_line=last_sentence(next((text for who, text in reversed(last) if who == "assistant"), "")),
    )


class KeptSessions:
    """The sessions that Claude Code keeps, also those of its own screen; the last ones read are kept."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._environment = {**os.environ, **runtime.launch.program.environment}
        self._native = NativeSessions(claude_directory(self._environment))
        self._kept: dict[str, tuple[SessionRow, ...]] = {}

    @property
    def inbox(self) -> Inbox:
        """The inbox beside them."""
        return self._runtime.inbox

    def known(self, launch: Launch, *, everywhere: bool) -> tuple[SessionRow, ...]:
        """Return those of a directory, or of all, that were read last."""
        return self._kept.get("" if everywhere else str(launch.settings.directory), ())

    async def read(self, launch: Launch, *, everywhere: bool) -> None:
        """Read those of a directory, or of all; raises `ReaderError`."""
        found = await earlier_sessions(launch, everywhere=everywhere)
        self._kept["" if everywhere else str(launch.settings.directory)] = tuple(map(earlier_row, found))

    async def recorded(self) -> frozenset[str] | None:
        """Return the ids of all, or None where they are unknown."""
        return await asyncio.to_thread(recorded_sessions, self._environment)

    async def native_waiting(self) -> list[StoredRequest]:
        """Return requests in Claude Code's own screen alone; none if the settings say so.

        Raises `InboxError`.
        """
        shows = self._runtime.launch.settings.native_sessions
        found = await asyncio.to_thread(self._native.waiting) if shows else []
        return await self.inbox.run(lambda store: beside_hooks(store, found)) if found else []

    async def rename(self, launch: Launch, session_id: str, title: str) -> None:
        """Give a session a title in Claude Code's record and in the inbox; raises `ReaderError`."""
        await rename_earlier(launch, session_id, title)

        def name(store: Store) -> None:
            if store.sessions.get(session_id) is not None:
                store.sessions.upsert(session_id, name=title)

        try:
            await self.inbox.run(name)
        except InboxError as error:
            # Its record has the title, and names it at its next resume.
            _logger.warning("The inbox does not have the title of a session: %s", error)

    async def delete(self, launch: Launch, row: SessionRow) -> None:
        """Delete a session's file, and the session from the inbox; raises `ReaderError`."""
        if row.place is Place.RESTS:
            await delete_earlier(launch, row.session_id)
        self._kept = {
            place: tuple(one for one in rows if one.session_id != row.session_id)
            for place, rows in self._kept.items()
        }
        try:
            await self.inbox.run(lambda store: store.sessions.forget(row.session_id))
            await self.inbox.run(lambda store: store.requests.forget(row.session_id))
        except InboxError as error:
            _logger.warning("The inbox keeps the answers of a deleted session: %s", error)


@dataclass(eq=False, repr=False)
class Listing:
    """Reads what is listed, and puts it together.

    Attributes:
        changed: Called after each page.
        drawn: Waits until what was read is on the screen: a thread that reads would hold up its frame.
        clock: Monotonic clock, in seconds.
        stored: The rows read from the store, by session.
        native: Those of Claude Code's own screen, by asker.
        unreadable: The number of requests that could not be read.
    """

    _sessions: OpenSessions
    _records: KeptSessions
    changed: Callable[[], object]
    drawn: Callable[[], Awaitable[object]]
    clock: Callable[[], float]
    stored: dict[str, SessionRow] = field(default_factory=dict)
    native: dict[str, SessionRow] = field(default_factory=dict)
    unreadable: int = 0

    def __post_init__(self) -> None:
        self._inbox = self._records.inbox
        self._changed: set[str] = set()
        self._is_old = self._reads = False
        self._ahead = time.time() - self.clock()
        """Seconds from the program's clock to the one since 1970."""

    # -- read -----------------------------------------------------------------------------------------------

    def is_to_read(self, *sessions: str) -> bool:
        """Note sessions that have changed, or all; return whether nothing reads them yet."""
        self._changed.update(sessions)
        self._is_old |= not sessions
        reads, self._reads = self._reads, True
        return not reads

    async def read(self) -> None:
        """Read what has changed until nothing has; raises `InboxError`."""
        try:
            while self._is_old or self._changed:
                everything, self._is_old = self._is_old, False
                ids, self._changed = list(self._changed), set()
                await (self._read_all() if everything else self._read_some(ids, await self._look()))
        finally:
            self._reads = False

    async def _read_all(self) -> None:
        """Read the store page by page, who waits longest first."""
        inbox, look = self._inbox, await self._look()
        first = await inbox.run(lambda store: list(store.requests.waiting_counts())[:FIRST_PAGE])
        await self._read_some(first, look)
        await self.drawn()
        ids, shown = await inbox.run(listed_ids), len(first)
        for at in range(shown, len(ids), PAGE):
            await self._read_some(ids[at : at + PAGE], look, shows=at >= 2 * shown)
            shown = at if at >= 2 * shown else shown  # to put many rows together takes a while
        self.stored = {name: self.stored[name] for name in ids if name in self.stored}
        self.unreadable = await inbox.run(lambda store: len(store.requests.unreadable))

    async def _look(self) -> Look:
        at = datetime.now(UTC)
        return Look(cache(can_be_there), await self._records.recorded(), at)

    async def _read_some(self, ids: Sequence[str], look: Look, *, shows: bool = True) -> None:
        inbox = self._inbox
        found = await inbox.run(lambda store: read_rows(store, ids, look, inbox.known))
        for name, row in found.items():
            self.stored.pop(name, None)
            self.stored |= {name: row} if row is not None else {}
        if shows:
            self.changed()

    async def read_native(self) -> None:
        """Read the requests in Claude Code's own screen, and drop those that no longer wait."""
        try:
            found = await self._records.native_waiting()
        except InboxError:
            return  # `read` says so
        rows = {
            (name := one.request.session_id): foreign_row(
                one.request.origin, name, (request_row(one),), Place.NATIVE
            )
            for one in found
        }
        if rows != self.native:
            self.native = rows
            self.changed()

    async def request(self, row: RequestRow) -> tuple[StoredRequest | None, Draft | None]:
        """Return the request of a row as it is stored, or None where it cannot be read, and its draft."""
        if (opened := self._inbox.known(row.key)) is not None:
            return opened.stored, opened.draft
        try:
            if row.session_id in self.native:
                found = await self._records.native_waiting()
                return next((one for one in found if one.request.id == row.key), None), None
            return await self._inbox.run(partial(_with_draft, key=row.key))
        except InboxError:
            return None, None

    def drop(self, key: str, session_id: str) -> None:
        """Take a request out of the list."""
        if (row := self.stored.get(session_id)) is not None:
            self.stored[session_id] = row.without({key})
        self.changed()

    # -- put together ---------------------------------------------------------------------------------------

    def rows(self, launch: Launch, *, everywhere: bool) -> list[SessionRow]:
        """Return all sessions and askers, those that have ended of a directory or of all."""
        here = [self._here(at, one) for at, one in enumerate(self._sessions, 1)]
        rows = {row.session_id or row.key: row for row in here}
        records = {one.key: one for one in self._records.known(launch, everywhere=everywhere)}
        for name, row in chain(self.native.items(), self.stored.items()):
            near = everywhere or row.directory == str(launch.settings.directory) or name in records
            if name not in rows and (near or row.heading is not ListHeading.EARLIER):
                rows[name] = row
        for name, record in records.items():
            if (known := rows.get(name)) is None or not known.number:
                rows[name] = record if known is None else with_record(known, record)
        over = self._inbox.over
        for name, row in rows.items():
            if any(one.key in over for one in row.requests):
                rows[name] = row.without(over)
        return [row for row in rows.values() if row.ours or row.requests]

    def _here(self, at: int, screen: SessionScreen) -> SessionRow:
        view, name, inbox = screen.view, screen.session.known_id, self._inbox
        stored = self.stored.get(name, UNSTORED)
        left = {one.key: one for one in stored.requests if inbox.known(one.key) is None}
        waiting = {one.request.id: request_row(one.stored, one) for one in screen.session.waiting}
        runs = view.state not in OVER
        return replace(
            stored,
            key=screen.mode,
            session_id=name,
            session=view.name,
            place=Place.HERE,
            state=str(view.state),
            since=view.since + self._ahead,
            runs=runs,
            requests=tuple((waiting | left).values()),
            number=at if at < 10 else 0,
            directory=str(view.cwd),
            branch=screen.around.branch,
            background=sum(task.background for task in view.tasks),
            undelivered=0 if runs else stored.undelivered,
            cost=stored.cost if view.cost is None else view.cost,
            last_line=view.last_line or stored.last_line,
            shown=screen is self._sessions.front,
            unused=screen.unused,
        )


@lru_cache(maxsize=1024)
def with_record(row: SessionRow, record: SessionRow) -> SessionRow:
    """Return a session with what Claude Code's record knows better."""
    if row.place is Place.UNKNOWN:
        return replace(record, requests=row.requests)
    since = record.since if row.heading is ListHeading.EARLIER else row.since
    known = replace(row, session=record.session, since=since)
    return replace(known, branch=record.branch, last=record.last)
