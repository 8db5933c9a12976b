"""Wakes parked sessions whose questions were answered, where no ccq-tui is open."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.port import InboxChange, Settled
from ccq_tui.inbox.requests import Cancelled
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.processes import alive
from ccq_tui.remote.publication import LASTS
from ccq_tui.runtime.person import Configured
from ccq_tui.runtime.runtime import NotOpenedError, Runtime
from ccq_tui.runtime.session import OVER, SupervisedSession
from ccq_tui.timeouts import set_within
from ccq_tui.words import SHORT

_logger = logging.getLogger(__name__)


@asynccontextmanager
async def waking(settings: Settings, *, state: Path | None = None) -> "AsyncIterator[Waker]":
    """Make a waker and its runtime, which trusts what a person trusts; nothing of them is left at the end.

    Args:
        settings: The settings of the program; each directory may have its own.
        state: The directory of state; None for that of the system.
    """
    program = ProgramArguments(flags={}, state=state)
    runtime = Runtime(Launch(settings=settings, program=program), Configured([]))
    try:
        yield Waker(runtime)
    finally:
        await runtime.close()


class Waker:
    """Resumes a session without a process once one of its questions is answered, and lets it work on.

    A woken session is as any other: it asks, parks by its time limits, and waits for room. It is started only
    in a directory that a person trusts, and ended once it has nothing to do.

    Args:
        runtime: The runtime, with a person who trusts no more; to be closed by its owner.
        grace: Seconds in which another process may wake a session.
        idle: Seconds after which an idle session is ended.
    """

    # Seconds in which an open ccq-tui that shows a session may wake it.
    # Seconds after which a woken session with nothing to do is ended: it can be resumed anywhere then.
    def __init__(self, runtime: Runtime, *, grace: float = 2.0, idle: float = 10.0) -> None:
        self._runtime = runtime
        self.inbox = runtime.inbox
        self._grace = grace
        self._idle = idle
        self._brought: set[str] = set()
        """The requests for whose answers a session was resumed: once each."""

    async def run(self) -> None:
        """Wake sessions until cancelled; first those answered while nobody did."""
        self._runtime.follow(self._inbox_changed)
        try:
            for session_id in await self.inbox.run(lambda store: store.requests.undelivered_counts()):
                self._runtime.run_beside(self._wake(session_id))
        except InboxError as error:
            _logger.warning("It is not known which sessions have answers: %s", error)
        await asyncio.Event().wait()

    def _inbox_changed(self, change: InboxChange) -> None:
        if isinstance(change, Settled) and not isinstance(change.outcome, Cancelled):
            self._runtime.run_beside(self._wake(change.request.session_id))

    async def _wake(self, session_id: str) -> None:
        await asyncio.sleep(self._grace)
        named = session_id[:SHORT]
        try:
            left = await self.inbox.run(lambda store: _undelivered(store, session_id))
            if self._runtime.named(session_id) or left <= self._brought:
                return
            self._brought |= left
            session = await self._runtime.resume(session_id)
        except (NotOpenedError, InboxError) as error:
            _logger.warning("Session %s has an answer and %s", named, error)
            return
        _logger.info("Session %s was resumed for an answer", named)
        await self._stay(session)
        _logger.info("Session %s is %s", named, session.facts.state)
        self._runtime.forget(session)
        self._runtime.run_beside(self._wake(session_id))  # an answer may have come while it was ending

    async def _stay(self, session: SupervisedSession) -> None:
        """Wait until a session has parked or ended, or end it once it has nothing to do."""
        news = asyncio.Event()
        session.subscribe(lambda _: news.set())
        while session.facts.state not in OVER:
            news.clear()
            if not await set_within(news, self._idle if session.can_give_way else None):
                break
        await session.end("nothing to do, and nobody at it")


def _undelivered(store: Store, session_id: str) -> set[str]:
    """Return the requests answered of late whose session has no process to take the answers."""
    known, since = store.sessions.get(session_id), datetime.now(UTC) - LASTS
    if known is None or known.done or alive(known.owner):
        return set()
    left = ((one, kind_of(one.request)) for one in store.requests.undelivered(session_id))
    return {
        one.request.id for one, kind in left if kind.OUTLIVES and one.settled_at and one.settled_at > since
    }
