"""The inbox of all sessions: opened here, with reports of what waits in it and what changes elsewhere."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from textual.app import App

from ccq_tui.config.keymap import key_of
from ccq_tui.config.paths import inbox_path
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.port import (
    Added,
    DraftUpdated,
    InboxChange,
    InboxRenewed,
    InboxTrouble,
    Notified,
    SessionNoted,
)
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.runtime.supervisor import Supervisor
from ccq_tui.screens.sessions.open_sessions import OpenSessions
from ccq_tui.text import one_line
from ccq_tui.widgets.lifetime import start_work
from ccq_tui.words import SHORT, listed, plural, waiting

_logger = logging.getLogger(__name__)

MOST_NAMED = 3
MOST_SUMMARY = 120
MOST_NAME = 40
MOST_TOLD = 300
END_SECONDS = 2.0
"""Most seconds for what is not written yet when the program ends at once."""
COUNT_SECONDS = 0.1
"""Seconds in which changes are gathered before waiting requests are counted again."""


@dataclass(eq=False)
class InboxWatch:
    """Opens the inbox at its first use, and reports what a person should know of it."""

    _app: App[Any]
    _supervisor: Supervisor
    _sessions: OpenSessions
    _file: Path | None
    _settings: Settings

    def __post_init__(self) -> None:
        self._inbox: Inbox | None = None
        self._counting = False

    def open(self) -> Inbox:
        """Return the inbox of all sessions, opened at the first use."""
        if self._inbox is None:
            file = self._file or inbox_path()
            self._inbox = Inbox.begin(file)
            self._inbox.recalls = self._settings.recall_answers
            # Before anything else reads them.
            self._inbox.submit(lambda store: store.prompts.import_files(file.parent / "drafts"))
            self._inbox.listen()
            self._supervisor.follow(self._inbox)
            self._inbox.subscribe(self._inbox_changed)
            start_work(self._app, partial(self._tell_of_inbox, self._inbox), name="inbox")
        return self._inbox

    async def flush(self) -> None:
        """Wait until everything that was kept so far is on disk."""
        if self._inbox is not None:
            await self._inbox.run(lambda _: None)

    async def close(self) -> None:
        """Write what is not written yet."""
        if self._inbox is not None:
            await self._inbox.close()

    def end(self) -> None:
        """Write what is not written yet, after the event loop has ended."""
        if self._inbox is not None:
            self._inbox.end(END_SECONDS)

    async def _tell_of_inbox(self, inbox: Inbox) -> None:
        try:
            notice = await inbox.opened()
            counts = self._sessions.counts = await inbox.run(lambda store: store.requests.waiting_counts())
            undelivered = await inbox.run(lambda store: named_undelivered(store))
        except InboxError as error:  # `_inbox_changed` says so
            _logger.warning("It is not known what waits: %s", error)
            return
        await self._sessions.begun.wait()
        start_work(self._app, partial(self._prune, inbox), name="inbox prune")
        if notice:
            self._sessions.note([notice], "warning")
        self._sessions.list()
        # A question of the first prompt may be there already: its process starts before the screen.
        opened = {one.record_id for one in self._supervisor.sessions}
        elsewhere = {name: count for name, count in counts.items() if name not in opened}
        # The first screen of a new session says it itself.
        greeted = (front := self._sessions.front) is not None and front.welcome.counts_waiting
        if elsewhere and not greeted and not any(screen.launch.continue_last for screen in self._sessions):
            words = waiting(sum(elsewhere.values()), "request")
            self._sessions.note([f"{words} elsewhere{self._sessions.leads}"])
        if late := [one for one in undelivered if one.session_id not in opened]:
            self._sessions.note([undelivered_words(late)])

    async def _prune(self, inbox: Inbox) -> None:
        """Delete old requests in small steps, so that no answer waits for it."""
        if (age := self._settings.prune_after) is None:
            return
        before = datetime.now(UTC) - timedelta(seconds=age)
        try:
            while await inbox.run(lambda store: store.requests.prune(before)):
                pass
        except InboxError as error:
            _logger.warning("Old requests were not deleted: %s", error)

    def _inbox_changed(self, change: InboxChange) -> None:
        if isinstance(change, InboxTrouble):
            self._warn_soon(f"Questions are kept in memory until the inbox can be written: {change.message}")
            return
        if isinstance(change, InboxRenewed):
            self._warn_soon(change.message, "warning" if change.another else "info")
        if isinstance(change, SessionNoted | DraftUpdated):
            return
        if isinstance(change, Notified):
            self._sessions.note([told := notified_words(change)])
            self._sessions.announce(one_line(change.name, MOST_NAME), told)
            return
        if isinstance(change, Added) and not change.again and change.request.origin.is_foreign:
            asker = one_line(change.request.origin.called, MOST_NAME)
            summary = one_line(kind_of(change.request).summary(change.request), MOST_SUMMARY)
            self._sessions.announce(asker, f"{asker} asks: {summary}", waits=True)
        self._count_soon()

    def _count_soon(self) -> None:
        # The store's thread may report a change as the program ends: nobody would take the count.
        if not self._counting and self._app.is_running:
            self._counting = True
            start_work(self._app, self._count, name="inbox count")

    async def _count(self) -> None:
        await asyncio.sleep(COUNT_SECONDS)
        self._counting = False
        try:
            self._sessions.counts = await self.open().run(lambda store: store.requests.waiting_counts())
        except InboxError as error:
            _logger.warning("What waits cannot be counted: %s", error)
        self._sessions.list()

    def _warn_soon(self, text: str, level: str = "warning") -> None:
        """Show a notice as soon as there is a session to show it in."""
        if self._sessions.begun.is_set() and not self._app.is_running:
            return  # the program has ended

        async def say() -> None:
            await self._sessions.begun.wait()
            self._sessions.note([text], level)

        start_work(self._app, say, name="inbox notice")


@dataclass(frozen=True, slots=True)
class Undelivered:
    """Confirmed answers that have not reached the agent of a session that no process runs."""

    session_id: str
    name: str
    count: int


def named_undelivered(store: Store) -> list[Undelivered]:
    """Return the sessions for which answers are kept, with their names; called in the store's thread."""
    return [
        Undelivered(name, (session.name if session else "") or name[:SHORT], count)
        for name, count in store.requests.undelivered_counts().items()
        for session in (store.sessions.get(name),)
    ]


def undelivered_words(late: Sequence[Undelivered]) -> str:
    """Say which answers have not reached Claude yet."""
    count = sum(one.count for one in late)
    named = listed([one_line(one.name, 40) for one in late], MOST_NAMED)
    answers = f"{plural(count, 'answer')} {'has' if count == 1 else 'have'}"
    sessions = "its session is" if len(late) == 1 else "their sessions are"
    goes = "it goes" if count == 1 else "they go"
    goes += f" there once {sessions} resumed"
    return f"{answers} not reached Claude: {named} · {goes} · {key_of('overview')} shows all"


def notified_words(notified: Notified) -> str:
    """Return a notification from outside a session as one line."""
    return f"{one_line(notified.name, MOST_NAME)}: {one_line(notified.message, MOST_TOLD)}"
