"""Sessions that are not open here, from the inbox and from Claude Code's records: read, named, deleted."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from ccq_tui.agent.options import SessionOptions
from ccq_tui.agent.reader import EarlierSession, delete_earlier, earlier_sessions, rename_earlier
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.place import Look, Place, place_of
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.processes import alive
from ccq_tui.screens.sessions.model import UNSTORED, SessionRow, foreign_row, request_row
from ccq_tui.text import last_sentence
from ccq_tui.words import SHORT

_logger = logging.getLogger(__name__)

MOST_SESSIONS = 2_000
"""Most stored sessions that are listed, beside those in which something waits."""
MOST_OF_ONE = 1_000
"""Most requests of one session that are listed."""


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
    waiting = store.requests.waiting(name, limit=MOST_OF_ONE)
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

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._kept: dict[str, tuple[SessionRow, ...]] = {}

    def known(self, options: SessionOptions, *, everywhere: bool) -> tuple[SessionRow, ...]:
        """Return those of a directory, or of all, that were read last."""
        return self._kept.get("" if everywhere else str(options.cwd), ())

    async def read(self, options: SessionOptions, *, everywhere: bool) -> None:
        """Read those of a directory, or of all; raises `ReaderError`."""
        found = await earlier_sessions(options, everywhere=everywhere)
        self._kept["" if everywhere else str(options.cwd)] = tuple(map(earlier_row, found))

    async def rename(self, options: SessionOptions, session_id: str, title: str) -> None:
        """Give a session a title in Claude Code's record and in the inbox; raises `ReaderError`."""
        await rename_earlier(options, session_id, title)

        def name(store: Store) -> None:
            if store.sessions.get(session_id) is not None:
                store.sessions.upsert(session_id, name=title)

        try:
            await self._inbox.run(name)
        except InboxError as error:
            # Its record has the title, and names it at its next resume.
            _logger.warning("The inbox does not have the title of a session: %s", error)

    async def delete(self, options: SessionOptions, row: SessionRow) -> None:
        """Delete a session's file, and the session from the inbox; raises `ReaderError`."""
        if row.place is Place.RESTS:
            await delete_earlier(options, row.session_id)
        self._kept = {
            place: tuple(one for one in rows if one.session_id != row.session_id)
            for place, rows in self._kept.items()
        }
        try:
            await self._inbox.run(lambda store: store.sessions.forget(row.session_id))
            await self._inbox.run(lambda store: store.requests.forget(row.session_id))
        except InboxError as error:
            _logger.warning("The inbox keeps the answers of a deleted session: %s", error)
