"""Earlier sessions as a list shows them: with what waits in each, and whether it runs somewhere."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from textual.app import App

from ccq_tui.agent.options import SessionOptions
from ccq_tui.agent.reader import EarlierSession, delete_earlier, earlier_sessions, rename_earlier
from ccq_tui.inbox import InboxError
from ccq_tui.inbox.durable import DurableInbox
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.store import Store
from ccq_tui.processes import alive
from ccq_tui.screens.pickers.pick_list import PickRow

_logger = logging.getLogger(__name__)

MOST_QUESTIONS = 3
"""Most requests previewed of a session."""


class KeepsInbox(Protocol):
    """The program as the keeper of the inbox."""

    @property
    def inbox(self) -> DurableInbox:
        """The inbox of all sessions."""


@dataclass(frozen=True, slots=True)
class Shelved:
    """A session of the list.

    Attributes:
        session: Claude Code's record of it.
        waiting: Its waiting requests, one line each, at most `MOST_QUESTIONS`.
        count: Number of its waiting requests.
        runs: Whether a ccq-tui runs it now, this one or another.
    """

    session: EarlierSession
    waiting: tuple[str, ...] = ()
    count: int = 0
    runs: bool = False


class Shelf:
    """Source of a list of sessions, which also renames and deletes them."""

    def __init__(self, options: SessionOptions, inbox: DurableInbox, without: str = "") -> None:
        self.options = options
        self._inbox = inbox
        self._without = without

    async def sessions(self, *, everywhere: bool = False) -> tuple[Shelved, ...]:
        """List the sessions of the directory, or of all, the newest first; raises `ReaderError`."""
        found = await earlier_sessions(self.options, everywhere=everywhere)
        others = [one for one in found if one.session_id != self._without]
        try:
            return await self._inbox.run(lambda store: _shelved(store, others))
        except InboxError:
            # Other places report that the inbox cannot be read; the sessions are there all the same.
            return tuple(Shelved(one) for one in others)

    async def rename(self, session: EarlierSession, title: str) -> None:
        """Give a session a title in Claude Code's record and in the inbox; raises `ReaderError`."""
        await rename_earlier(self.options, session.session_id, title)

        def name(store: Store) -> None:
            if store.sessions.get(session.session_id) is not None:
                store.sessions.upsert(session.session_id, name=title)

        try:
            await self._inbox.run(name)
        except InboxError as error:
            # Its record has the title, and names it at its next resume.
            _logger.warning("The inbox does not have the title of a session: %s", error)

    async def delete(self, session: EarlierSession) -> None:
        """Delete a session's file, and its settled questions from the inbox; raises `ReaderError`."""
        await delete_earlier(self.options, session.session_id)
        try:
            await self._inbox.run(lambda store: store.requests.forget(session.session_id))
        except InboxError as error:
            _logger.warning("The inbox keeps the answers of a deleted session: %s", error)


def shelf_of(app: App[Any], options: SessionOptions, without: str = "") -> Shelf:
    """Return the sessions that a program can resume, all but one."""
    return Shelf(options, cast("KeepsInbox", app).inbox, without)


def _shelved(store: Store, sessions: Sequence[EarlierSession]) -> tuple[Shelved, ...]:
    counts = store.requests.waiting_counts()
    found = []
    for one in sessions:
        count, known = counts.get(one.session_id, 0), store.sessions.get(one.session_id)
        waiting = store.requests.waiting(one.session_id, limit=MOST_QUESTIONS) if count else []
        lines = tuple(kind_of(stored.request).summary(stored.request) for stored in waiting)
        found.append(Shelved(one, lines, count, known is not None and alive(known.owner)))
    return tuple(found)


def session_row(one: Shelved, now: float, *, everywhere: bool = False) -> PickRow:
    session = one.session
    # Where there is no repository the CLI calls the branch HEAD.
    branch = "" if session.branch == "HEAD" else session.branch[:20]
    marks = (
        f"? {one.count}" if one.count else "",
        "open" if one.runs else "",
        branch,
        age(now - session.modified),
    )
    return PickRow(
        session.session_id,
        session.summary or session.session_id,
        session.directory if everywhere else "",
        right=" · ".join(mark for mark in marks if mark),
    )


def age(seconds: float) -> str:
    """Return an age in the largest unit that fits."""
    for length, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= length:
            return f"{int(seconds // length)} {unit} ago"
    return "now"


def shelved_now(sessions: Sequence[Shelved], *, everywhere: bool) -> tuple[PickRow, ...]:
    """Return the rows of sessions as they are now."""
    now = time.time()
    return tuple(session_row(one, now, everywhere=everywhere) for one in sessions)
