"""The sessions of this process, and the effects of the inbox on them."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine

from ccq_tui.agent import events as ev
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import DraftUpdated, InboxChange, Settled
from ccq_tui.inbox.sent_commands import SentCommand
from ccq_tui.inbox.store.commands import CommandKind, CommandState, StoredCommand
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.processes import alive, this_process
from ccq_tui.runtime.events import SessionEvent
from ccq_tui.runtime.ownership import result_of
from ccq_tui.runtime.port import SessionFactory
from ccq_tui.runtime.session import OVER, SupervisedSession

_logger = logging.getLogger(__name__)

IDLE_SECONDS = 3.0
"""Seconds without an event or a key in a session before it gives way."""


class Supervisor:
    """Opens and ends the sessions of a process; brings them the decisions of other surfaces and processes.

    Args:
        make_session: Makes the agent's session of a launch.
        clock: Returns seconds of a monotonic clock.
        most_live: Most sessions that may have a process of Claude at a time; further ones wait until one of
            them ends or is idle. The value at the opening of the first session counts.
    """

    def __init__(
        self, make_session: SessionFactory, *, clock: Callable[[], float] = time.monotonic, most_live: int = 8
    ) -> None:
        self._make_session = make_session
        self._clock = clock
        self.most_live = most_live
        self._slots: asyncio.Semaphore | None = None
        self._sessions: list[SupervisedSession] = []
        self._inbox: Inbox | None = None
        self._unsubscribe: Callable[[], None] = lambda: None
        self._tasks: set[asyncio.Task[None]] = set()
        self._looking: asyncio.TimerHandle | None = None
        """The next check for sessions that may give way."""

    @property
    def sessions(self) -> tuple[SupervisedSession, ...]:
        """All sessions, in the order in which they were opened."""
        return tuple(self._sessions)

    def named(self, session_id: str) -> SupervisedSession | None:
        """Return the session that has a Claude session id, or resumes it, or None."""
        return next((one for one in self._sessions if session_id and one.known_id == session_id), None)

    # -- opening and ending ---------------------------------------------------------------------------------

    def open(self, launch: Launch) -> SupervisedSession:
        """Open a session; it runs once its `start` is called.

        Args:
            launch: The launch of the session; its directory is trusted.
        """
        if self._slots is None:
            self._slots = asyncio.Semaphore(self.most_live)
        session = SupervisedSession(launch, self._make_session, clock=self._clock, slots=self._slots)
        session.opened = lambda name: self._inbox.known(name) if self._inbox is not None else None
        session.subscribe(self._note_room)
        self._sessions.append(session)
        return session

    def _note_room(self, event: SessionEvent) -> None:
        """Make room when a session may wait for it, or may give way from now on."""
        match event:
            case (
                ev.StateChanged(ev.SessionState.QUEUED | ev.SessionState.IDLE)
                | ev.TaskEnded()
                | ev.RequestSettled()
            ):
                self._make_room()
            case _:
                pass

    def _make_room(self) -> None:
        """Let idle sessions give way to those that wait for a process, the least recently used first."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        waiting = sum(one.facts.state is ev.SessionState.QUEUED for one in self._sessions)
        coming = sum(one.gives_way for one in self._sessions)
        idle = sorted((one for one in self._sessions if one.can_give_way), key=lambda one: one.last_used)
        wanted = max(0, waiting - coming)
        pauses = [session.last_used + IDLE_SECONDS - self._clock() for session in idle[:wanted]]
        for session, pause in zip(idle, pauses, strict=False):
            if pause <= 0:
                session.give_way()
        if wanted > len(idle) and any(one.in_use() for one in self._sessions):
            pauses.append(IDLE_SECONDS)  # the end of a command is no event
        if later := [pause for pause in pauses if pause > 0]:
            self._looking = asyncio.get_running_loop().call_later(min(later), self._make_room)

    def forget(self, session: SupervisedSession) -> None:
        """Stop supervising a session that has ended."""
        if session in self._sessions:
            self._sessions.remove(session)

    async def end(self) -> None:
        """End all sessions, and wait until their processes are gone."""
        self._unsubscribe()
        if self._looking is not None:
            self._looking.cancel()
        await asyncio.gather(*(session.end() for session in self._sessions))
        if self._tasks:
            await asyncio.wait(self._tasks)

    # -- the inbox ------------------------------------------------------------------------------------------

    def follow(self, inbox: Inbox) -> None:
        """Pass on to the sessions the decisions and requests of other processes.

        Args:
            inbox: The inbox of all processes.
        """
        self._unsubscribe()
        self._inbox = inbox
        self._unsubscribe = inbox.subscribe(self._changed)

    def _changed(self, change: InboxChange) -> None:
        if isinstance(change, Settled):
            for session in self.sessions:
                session.take_settled(change)
        elif isinstance(change, DraftUpdated):
            for session in self.sessions:
                session.take_draft(change)
        elif isinstance(change, StoredCommand):
            self._begin(self._carry_out(change))

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _logger.error("Work beside the sessions failed", exc_info=error)

    async def _carry_out(self, command: StoredCommand) -> None:
        """Do what somebody elsewhere commands a session of this process, or refuse with a reason."""
        session, inbox = self.named(command.session_id), self._inbox
        if session is None or inbox is None or not session.can_take(command.kind):
            return  # another process has it, or nobody
        why, number = session.why_not(command.kind), command.number

        def take(store: Store) -> bool:
            known = store.sessions.get(command.session_id)
            if known is not None and known.owner not in (None, this_process()) and alive(known.owner):
                return False
            if why:
                store.commands.finish(number, CommandState.REFUSED, why)
            return not why and store.commands.take(number, this_process())

        try:
            if await inbox.run(take) and (words := session.carry_out(command)):
                await inbox.run(lambda store: store.commands.finish(number, CommandState.DONE, words))
        except InboxError as error:
            _logger.warning("A command to a session is not answered: %s", error)

    async def park(self, session_id: str, actor: Actor) -> str:
        """Park a session, whichever process runs it.

        Args:
            session_id: The session.
            actor: Who asks, for the history of the process that runs it.

        Returns:
            The result, in words that follow the session's name; "" if this process parks it.

        Raises:
            InboxError: The process that runs it cannot be asked.
        """
        session = self.named(session_id)
        if session is not None and session.facts.state not in OVER:
            if why := session.why_not_parkable:
                return why
            session.agent.park()
            return ""
        if self._inbox is None:
            return "is not running"
        return (await result_of(self._inbox.run, SentCommand(CommandKind.PARK, session_id, actor))).words
