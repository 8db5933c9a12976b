"""The sessions that Claude Code keeps, with what its own screen asks."""

import asyncio
import logging
import os
from collections.abc import Awaitable
from dataclasses import replace

from ccq_tui.agent.reader import EarlierSession, ReaderError, delete_earlier, earlier_sessions, rename_earlier
from ccq_tui.bridges.claude_code.native_sessions import NativeSessions, beside_hooks
from ccq_tui.claude_files import claude_directory, recorded_sessions
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.place import Place
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.runtime.runtime import Runtime
from ccq_tui.screens.sessions.model import UNSTORED, SessionRow
from ccq_tui.text import last_sentence
from ccq_tui.words import SHORT

_logger = logging.getLogger(__name__)


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
        return await self._runtime.inbox.run(lambda store: beside_hooks(store, found)) if found else []

    async def rename(self, launch: Launch, row: SessionRow, *, title: str) -> str:
        """Give a session a title in Claude Code's record and the inbox; return why not, in words, or ""."""
        return await self._change(row.session_id, rename_earlier(launch, row.session_id, title), title)

    async def delete(self, launch: Launch, row: SessionRow) -> str:
        """Delete a session's file, and the session from the inbox; return why not, in words, or ""."""
        name = row.session_id
        return await self._change(name, delete_earlier(launch, name) if row.place is Place.RESTS else None)

    async def _change(self, name: str, changing: Awaitable[object] | None, title: str = "") -> str:
        """Wait until a record is changed, then give the session its title; without one, forget it."""
        try:
            if changing is not None:
                await changing
        except ReaderError as error:
            return f"It could not be done: {error}"
        for place, rows in self._kept.items():
            kept = (one for one in rows if title or one.session_id != name)
            titled = (replace(one, session=title) if one.session_id == name else one for one in kept)
            self._kept[place] = tuple(titled)

        def change(store: Store) -> None:
            if not title:
                store.sessions.forget(name)
                store.requests.forget(name)
            elif store.sessions.get(name) is not None:
                store.sessions.upsert(name, name=title)

        try:
            await self._runtime.inbox.run(change)
        except InboxError as error:
            # A title is in the record, which names the session at its next resume.
            _logger.warning("The inbox keeps what it knows of a changed session: %s", error)
        return ""
