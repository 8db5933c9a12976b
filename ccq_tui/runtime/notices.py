"""What a person should know of the inbox: what waits in it, and what changes elsewhere."""

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

from ccq_tui.config.keymap import key_of
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.port import Added, InboxChange, InboxRenewed, InboxTrouble, Notified, Settled
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.runtime.runtime import Runtime
from ccq_tui.text import one_line
from ccq_tui.words import SHORT, listed, plural

_logger = logging.getLogger(__name__)

KEY_SECONDS = 2.0
"""Fewest seconds between two proofs of a person while keys come."""
MOST_NAMED = 3

MOST_NAME = 40


class NoticeSurface(Protocol):
    """The surface on which a person reads the notices."""

    begun: asyncio.Event
    """Set once a person reads there."""

    def note(self, lines: Iterable[str], level: str = "info") -> None:
        """Show a notice, to stay."""

    def announce(self, asker: str, news: str, request_id: str = "") -> None:
        """Show news from outside our sessions, or of a request, also to a person who looks elsewhere."""

    def withdraw(self, request_id: str) -> None:
        """Hide the news of a request that is settled."""

    def set_counts(self, counts: Mapping[str, int]) -> None:
        """Take the number of requests that wait in each session of all processes."""

    def greet(self, elsewhere: int) -> None:
        """Show how many requests wait elsewhere as the program starts."""


class Notices:
    """Reports to one surface what a person should know of the inbox.

    Args:
        runtime: The runtime whose inbox is reported.
        surface: The surface that shows the notices.
    """

    def __init__(self, runtime: Runtime, surface: NoticeSurface) -> None:
        self._runtime = runtime
        self._surface = surface
        self._counting = False
        self._focused: bool | None = None
        self._proven_at = float("-inf")

    def begin(self) -> None:
        """Report from now on; other processes learn that a person reads here."""
        self._runtime.inbox.listen()
        self._runtime.follow(self._inbox_changed)
        self._runtime.run_beside(self._greet())

    def pressed(self) -> None:
        """Note a key press: a person is there, and a terminal that reports its focus has it."""
        focused = None if self._focused is None else True
        if focused != self._focused or time.monotonic() - self._proven_at >= KEY_SECONDS:
            self.focus_reported(focused)

    def focus_reported(self, focused: bool | None) -> None:
        """Note the terminal's report of its focus, or None for a key in one that never reported it."""
        self._focused, self._proven_at = focused, time.monotonic()
        self._runtime.inbox.note_person(focused)

    async def _greet(self) -> None:
        """Report what waits as the program starts, and delete old requests."""
        inbox, surface = self._runtime.inbox, self._surface
        try:
            notice = await inbox.opened()
            counts = await inbox.run(lambda store: store.requests.waiting_counts())
            undelivered = await inbox.run(named_undelivered)
        except InboxError as error:  # `_inbox_changed` says so
            _logger.warning("It is not known what waits: %s", error)
            return
        await surface.begun.wait()
        self._runtime.run_beside(self._prune())
        surface.note([notice] if notice else [], "warning")
        surface.set_counts(counts)
        # A question of the first prompt may be there already: its process starts before the screen.
        sessions = self._runtime.sessions
        opened = {one.record_id for one in sessions}
        elsewhere = sum(count for name, count in counts.items() if name not in opened)
        if elsewhere and not any(one.launch.continue_last for one in sessions):
            surface.greet(elsewhere)
        late = [one for one in undelivered if one[0] not in opened]
        surface.note([undelivered_words(late)] if late else [])

    async def _prune(self) -> None:
        """Delete old requests in small steps, so that no answer waits for it."""
        if (age := self._runtime.launch.settings.prune_after) is None:
            return
        before = datetime.now(UTC) - timedelta(seconds=age)
        try:
            while await self._runtime.inbox.run(lambda store: store.requests.prune(before)):
                pass
        except InboxError as error:
            _logger.warning("Old requests were not deleted: %s", error)

    def _inbox_changed(self, change: InboxChange) -> None:
        match change:
            case InboxTrouble(message):
                self._surface.note(
                    [f"Questions are kept in memory until the inbox can be written: {message}"], "warning"
                )
                return
            case Notified(name):
                self._surface.note([line := notified_words(change)])
                self._surface.announce(one_line(name, MOST_NAME), line)
                return
            case InboxRenewed(message):
                self._surface.note([message])
            case Added(request, again=False) if request.origin.is_foreign:
                asker = one_line(request.origin.called, MOST_NAME)
                summary = one_line(kind_of(request).summary(request), 120)
                self._surface.announce(asker, f"{asker} asks: {summary}", request.id)
            case Settled(request):
                self._surface.withdraw(request.id)
            case Added():
                pass
            case _:
                return
        if not self._counting:
            self._counting = True
            self._runtime.run_beside(self._count())

    async def _count(self) -> None:
        # Seconds in which changes are gathered before waiting requests are counted again.
        await asyncio.sleep(0.1)
        self._counting = False
        try:
            self._surface.set_counts(
                await self._runtime.inbox.run(lambda store: store.requests.waiting_counts())
            )
        except InboxError as error:
            _logger.warning("What waits cannot be counted: %s", error)


def named_undelivered(store: Store) -> list[tuple[str, str, int]]:
    """Return the sessions with answers for an agent that no process runs: their ids, names and counts."""
    counts = store.requests.undelivered_counts()
    known = {name: store.sessions.get(name) for name in counts}
    return [
        (name, (session.name if session else "") or name[:SHORT], counts[name])
        for name, session in known.items()
    ]


def undelivered_words(late: Sequence[tuple[str, str, int]]) -> str:
    """Say which answers have not reached Claude yet."""
    total = sum(count for *_, count in late)
    named = listed([one_line(name, MOST_NAME) for _, name, _ in late], MOST_NAMED)
    answers = f"{plural(total, 'answer')} {'has' if total == 1 else 'have'}"
    sessions = "its session is" if len(late) == 1 else "their sessions are"
    goes = "it goes" if total == 1 else "they go"
    goes += f" there once {sessions} resumed"
    return f"{answers} not reached Claude: {named} · {goes} · {key_of('overview')} shows all"


def notified_words(notified: Notified) -> str:
    """Return a notification from outside a session as one line."""
    return f"{one_line(notified.name, MOST_NAME)}: {one_line(notified.message, 300)}"
