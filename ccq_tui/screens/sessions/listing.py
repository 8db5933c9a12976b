"""What is listed: the sessions of this terminal, of the inbox and of Claude Code's records, read by pages."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from ccq_tui.agent.events import SessionState
from ccq_tui.agent.reader import EarlierSession, ReaderError, delete_earlier, earlier_sessions, rename_earlier
from ccq_tui.bridges.claude_code.native_sessions import NativeSessions, beside_hooks
from ccq_tui.claude_files import claude_directory, recorded_sessions
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.format import unread_words
from ccq_tui.inbox.place import Place, ResumeChecks, place_of
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.processes import alive
from ccq_tui.screens.list_screen import ListScreen
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.model import (
    UNSTORED,
    ListHeading,
    SessionList,
    SessionRow,
    foreign_row,
    request_row,
)
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.text import last_sentence
from ccq_tui.widgets.lifetime import is_live, start_work
from ccq_tui.words import SHORT
from ccq_tui.worktrees.model import can_be_there

FIRST_PAGE, PAGE = 40, 100
"""Sessions read at once: a page takes as long as another task of the store may wait."""
OVER = frozenset({SessionState.PARKED, SessionState.FAILED, SessionState.ENDED})
"""States in which a session of this terminal has no process."""
AGES_SECONDS = 5
"""Seconds between two looks at processes, and at the ages of rows."""
UNREADABLE = (
    "⚠ The inbox cannot be read: {} · only what this ccq-tui holds is listed · ccq-tui doctor says more"
)

_logger = logging.getLogger(__name__)


def listed_ids(store: Store) -> list[str]:
    """Return the sessions and other askers to list, those in which something waits longest first."""
    # Most stored sessions that are listed, beside those in which something waits.
    stored = (one.id for one in store.sessions.page(limit=2_000))
    return list(dict.fromkeys((*store.requests.waiting_counts(), *stored)))


def read_rows(store: Store, ids: Iterable[str], checks: ResumeChecks) -> dict[str, SessionRow | None]:
    """Return the rows of sessions and other askers; None for one that is no longer to be listed."""
    undelivered = store.requests.undelivered_counts()
    rows = {name: _row(store, name, checks) for name in ids}
    return {name: row and replace(row, undelivered=undelivered.get(name, 0)) for name, row in rows.items()}


def _row(store: Store, name: str, checks: ResumeChecks) -> SessionRow | None:
    waiting = store.requests.waiting(name, limit=1_000)
    requests = tuple(request_row(one, _draft(store, one)) for one in waiting)
    if waiting and (origin := waiting[0].request.origin).is_foreign:
        return foreign_row(origin, name, requests, Place.FOREIGN)
    if (session := store.sessions.get(name)) is None:
        row = replace(UNSTORED, key=name, session_id=name, session=name[:SHORT], requests=requests)
        return row if requests else None
    return SessionRow(
        key=name,
        session_id=name,
        session=session.name or Path(session.directory).name or name[:SHORT],
        place=place_of(session, checks) if session.directory else Place.NO_DIRECTORY,
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


def _draft(store: Store, stored: StoredRequest) -> Draft | None:
    kept = store.drafts.get(stored.request) if stored.has_draft else None
    return kept.draft if kept is not None else None


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


class Listing:
    """Reads what the list of sessions shows, and puts it together.

    Attributes:
        manager: What opens sessions, with the inbox.
        base: The launch whose command line an earlier session gets, or None for that of the session.
        say: Shows a text above the keys.
        everywhere: Whether the earlier sessions of all directories are listed.
        all_read: Whether the reading of the store has ended.
        stored: The rows read from the store, by session.
        native: Those of Claude Code's own screen, by asker.
    """

    def __init__(
        self,
        around: ListScreen[Any, SessionList],
        manager: SessionManager,
        base: Launch | None,
        say: Callable[..., None],
        changed: Callable[[], None],
    ) -> None:
        self.manager, self.base, self.say = manager, base, say
        self.everywhere = self.all_read = False
        self._around, self._put_together, self._inbox = around, changed, manager.inbox
        self.stored: dict[str, SessionRow] = {}
        self.native: dict[str, SessionRow] = {}
        self._unreadable = 0
        """The number of requests that could not be read."""
        self._native_sessions = NativeSessions(claude_directory(self.launch.environ()))
        self._changed: set[str] = set()
        self._is_old = self._reads = False
        self._ahead = time.time() - around.clock()
        """Seconds from the program's clock to the one since 1970."""

    @property
    def launch(self) -> Launch:
        return self.base or self.manager.launch

    @property
    def directory(self) -> Path:
        return self.launch.settings.directory

    # -- read -----------------------------------------------------------------------------------------------

    def read_soon(self, *sessions: str) -> None:
        """Read sessions again, or all, after what is being read."""
        self._changed.update(sessions)
        self._is_old |= not sessions
        if not self._reads:
            self._reads = True
            start_work(self._around, self._read, name="list")

    async def _read(self) -> None:
        """Read what has changed until nothing has."""
        before = self._unreadable
        try:
            while self._is_old or self._changed:
                everything, self._is_old = self._is_old, False
                ids, self._changed = list(self._changed), set()
                await (self._read_all() if everything else self._read_some(ids, await self._resume_checks()))
        except InboxError as error:
            self.say(UNREADABLE.format(error), 60.0)
        finally:
            self._reads = False
        if self._unreadable > before:
            self.say(f"{unread_words(self._unreadable)} · the log names them", 60.0)
        self.all_read = True
        self._put_together()
        self._around.draw()

    def poll(self) -> None:
        """Look at what reports nothing by itself, and update the times."""
        work, around = self._read_native, self._around
        start_work(around, work, name="native sessions", group="native", exclusive=True)
        if int(around.clock()) % AGES_SECONDS == 0:
            # A process that was killed reports nothing.
            elsewhere = [name for name, row in self.stored.items() if row.place is Place.ELSEWHERE]
            if elsewhere:
                self.read_soon(*elsewhere)
        around.draw()

    def read_records(self) -> None:
        """Read the sessions that Claude Code keeps."""
        start_work(self._around, self._read_records, name="earlier sessions", group="records", exclusive=True)

    @property
    def _scope(self) -> str:
        """The directory whose earlier sessions are listed, or "" for those of all."""
        return "" if self.everywhere else str(self.directory)

    async def _read_records(self) -> None:
        scope = self._scope
        try:
            found = await earlier_sessions(self.launch, everywhere=not scope)
            self.manager.records[scope] = tuple(map(earlier_row, found))
        except ReaderError as error:
            self.say(f"Earlier sessions cannot be read: {error}")
        self._put_together()

    async def _read_all(self) -> None:
        """Read the store page by page, who waits longest first."""
        inbox, checks = self._inbox, await self._resume_checks()
        first = await inbox.run(lambda store: list(store.requests.waiting_counts())[:FIRST_PAGE])
        await self._read_some(first, checks)
        # Until that is on the screen: a thread that reads would hold up its frame.
        self._around.refresh()
        await self._around.wait_for_refresh()
        ids, shown = await inbox.run(listed_ids), len(first)
        for at in range(shown, len(ids), PAGE):
            await self._read_some(ids[at : at + PAGE], checks, shows=at >= 2 * shown)
            shown = at if at >= 2 * shown else shown  # to put many rows together takes a while
        self.stored = {name: self.stored[name] for name in ids if name in self.stored}
        self._unreadable = await inbox.run(lambda store: len(store.requests.unreadable))

    async def _resume_checks(self) -> ResumeChecks:
        at, recorded = datetime.now(UTC), await asyncio.to_thread(recorded_sessions, self.launch.environ())
        return ResumeChecks(cache(can_be_there), recorded, at)

    async def _read_some(self, ids: Sequence[str], checks: ResumeChecks, *, shows: bool = True) -> None:
        inbox = self._inbox
        found = await inbox.run(lambda store: read_rows(store, ids, checks))
        for name, row in found.items():
            self.stored.pop(name, None)
            self.stored |= {name: row} if row is not None else {}
        if shows:
            self._put_together()

    async def _read_native(self) -> None:
        """Read the requests in Claude Code's own screen alone, and drop those that no longer wait."""
        shows = self.launch.settings.native_sessions
        found = await asyncio.to_thread(self._native_sessions.waiting) if shows else []
        try:
            found = await self._inbox.run(lambda store: beside_hooks(store, found)) if found else []
        except InboxError:
            return  # `_read` says so
        rows = {
            (name := one.request.session_id): foreign_row(
                one.request.origin, name, (request_row(one),), Place.NATIVE
            )
            for one in found
        }
        if rows != self.native:
            self.native = rows
            self._put_together()

    def do_to(self, row: SessionRow, work: Callable[[SessionRow], Awaitable[str]], first: str = "") -> None:
        """Do something with a session, even if its list is left meanwhile; say how that went."""

        async def do() -> None:
            result = await work(row)
            if is_live(self._around):
                self.say(result)
                self.read_soon(row.session_id)

        if first:
            self.say(first)
        start_work(self._around.app, do, name="session", group="sessions")

    async def rename(self, row: SessionRow, *, title: str) -> str:
        """Give a session a title in Claude Code's record and the inbox; return why not, in words, or ""."""
        return await self._change(row.session_id, rename_earlier(self.launch, row.session_id, title), title)

    async def delete(self, row: SessionRow) -> str:
        """Delete a session's file, and the session from the inbox; return why not, in words, or ""."""
        name = row.session_id
        return await self._change(
            name, delete_earlier(self.launch, name) if row.place is Place.RESTS else None
        )

    async def _change(self, name: str, changing: Awaitable[object] | None, title: str = "") -> str:
        """Wait until a record is changed, then give the session its title; without one, forget it."""
        try:
            if changing is not None:
                await changing
        except ReaderError as error:
            return f"It could not be done: {error}"
        for scope, rows in self.manager.records.items():
            kept = (one for one in rows if title or one.session_id != name)
            titled = (replace(one, session=title) if one.session_id == name else one for one in kept)
            self.manager.records[scope] = tuple(titled)

        def change(store: Store) -> None:
            if not title:
                store.sessions.forget(name)
                store.requests.forget(name)
            elif store.sessions.get(name) is not None:
                store.sessions.upsert(name, name=title)

        try:
            await self._inbox.run(change)
        except InboxError as error:
            # A title is in the record, which names the session at its next resume.
            _logger.warning("The inbox keeps what it knows of a changed session: %s", error)
        return ""

    # -- put together ---------------------------------------------------------------------------------------

    def rows(self) -> list[SessionRow]:
        """Return all sessions and askers, those that have ended of the list's directory or of all."""
        here = [self._here(at, one) for at, one in enumerate(self.manager.sessions, 1)]
        rows = {row.session_id or row.key: row for row in here}
        records = {one.key: one for one in self.manager.records.get(self._scope, ())}
        for name, row in chain(self.native.items(), self.stored.items()):
            near = self._scope in ("", row.directory) or name in records
            if name not in rows and (near or row.heading is not ListHeading.EARLIER):
                rows[name] = row
        for name, record in records.items():
            if (known := rows.get(name)) is None or not known.number:
                rows[name] = record if known is None else with_record(known, record)
        over = self._inbox.over
        for name, row in rows.items():
            if len(waiting := tuple(one for one in row.requests if one.key not in over)) < len(row.requests):
                rows[name] = replace(row, requests=waiting)
        return [row for row in rows.values() if row.ours or row.requests]

    def _here(self, at: int, screen: SessionScreen) -> SessionRow:
        view, name, inbox = screen.view, screen.session.known_id, self._inbox
        stored = self.stored.get(name, UNSTORED)
        left = {one.key: one for one in stored.requests if inbox.known(one.key) is None}
        waiting = {one.request.id: request_row(one.stored, one.draft) for one in screen.session.waiting}
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
            shown=screen is self.manager.sessions.front,
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
