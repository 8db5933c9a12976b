"""The sessions of this process, put together and run without a screen."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ccq_tui.agent import events as ev
from ccq_tui.agent.session import AgentSession
from ccq_tui.config.errors import SettingsError
from ccq_tui.config.launch import Launch
from ccq_tui.config.paths import state_dir
from ccq_tui.config.settings import Settings
from ccq_tui.config.trust import trusts
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import InboxChange, Settled
from ccq_tui.inbox.sent_commands import CommandResult, Ending, SentCommand
from ccq_tui.inbox.store.rows import CommandKind, CommandState, StoredCommand
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.processes import alive, this_process
from ccq_tui.runtime.facts import to_store
from ccq_tui.runtime.launches import SessionSpec, launch_in, launch_of
from ccq_tui.runtime.person import Person, alone, let_in, result_of, runs_elsewhere
from ccq_tui.runtime.session import SessionFactory, SupervisedSession
from ccq_tui.runtime.worktree_cleanup import EndedSession, WorktreeCleanup
from ccq_tui.worktrees.creation import back_in
from ccq_tui.worktrees.model import WorktreeError

if TYPE_CHECKING:
    from ccq_tui.agent.claude.prestart import Prestarted

_logger = logging.getLogger(__name__)

IDLE_SECONDS = 3.0
"""Seconds without an event or a key in a session before it gives way."""


class NotOpenedError(Exception):
    """A session was not opened; the message is for a person, and follows the session's name."""


class Runtime:
    """Opens, wakes and ends the sessions of a process; brings them what other surfaces and processes decide.

    Args:
        launch: What the program was started with: its settings, the flags of its sessions, its directory of
            state.
        person: Answers what must be asked before a session starts.
        make_session: Makes the agent's session of a launch; None for the real one.
        clock: Returns seconds of a monotonic clock.
        ahead: A process of Claude that was started early, for the first session.

    Attributes:
        most_live: Most sessions that may have a process of Claude at a time; further ones wait until one of
            them ends or is idle. The value at the opening of the first session counts.
        cleanup: Removes the worktrees of sessions that have ended.
    """

    def __init__(
        self,
        launch: Launch,
        person: Person,
        *,
        make_session: SessionFactory | None = None,
        clock: Callable[[], float] = time.monotonic,
        ahead: "Prestarted | None" = None,
    ) -> None:
        self.launch = launch
        self.clock = clock
        self.obey(launch.settings)
        self.cleanup = WorktreeCleanup(lambda: self.inbox)
        self._person = person
        self._make_session = make_session or self._agent_session
        self._ahead = ahead
        self._slots: asyncio.Semaphore | None = None
        self._sessions: list[SupervisedSession] = []
        self._inbox: Inbox | None = None
        self._following: list[Callable[[], None]] = []
        """End the subscriptions to the inbox."""
        self._tasks: set[asyncio.Task[object]] = set()
        self._looking: asyncio.TimerHandle | None = None
        """The next check for sessions that may give way."""

    def obey(self, settings: Settings) -> None:
        """Take the settings that hold for all sessions; a directory may have its own."""
        self.most_live = settings.max_live_sessions

    @property
    def inbox(self) -> Inbox:
        """The inbox of all processes, opened at the first use."""
        if self._inbox is None:
            state = self.launch.program.state or state_dir()
            self._inbox = Inbox.begin(state / "inbox.db")
            self._inbox.recalls = self.launch.settings.recall_answers
            self.follow(self._changed)
        return self._inbox

    @property
    def sessions(self) -> tuple[SupervisedSession, ...]:
        """All sessions, in the order in which they were opened."""
        return tuple(self._sessions)

    def named(self, session_id: str) -> SupervisedSession | None:
        """Return the session that has a Claude session id, or resumes it, or None."""
        return next((one for one in self._sessions if session_id and one.known_id == session_id), None)

    def _agent_session(self, tell: Callable[[ev.AgentEvent], None], launch: Launch) -> AgentSession:
        ahead, self._ahead = self._ahead, None
        return AgentSession(launch, self.inbox, tell, ahead=ahead)

    # -- opening and ending ---------------------------------------------------------------------------------

    async def open(self, spec: SessionSpec) -> SupervisedSession:
        """Start a session once it disturbs no other process, its directory is trusted and its worktree made.

        Raises:
            NotOpenedError: The person does not want it, or it cannot be started.
        """
        try:
            launch = await asyncio.to_thread(launch_of, spec, self.launch, asked=False)
        except (SettingsError, WorktreeError) as error:
            raise NotOpenedError(f"was not started in {spec.directory}: {error}") from error
        return await self.begin(launch)

    async def resume(self, session_id: str, *, fork: bool = False) -> SupervisedSession:
        """Start a session again, in its own directory; raises as `open`, or `InboxError`.

        Args:
            session_id: The Claude session id of a session in the inbox.
            fork: Whether to start a copy of it.
        """
        here = self.named(session_id)
        if here is not None and not fork:
            here.restart()
            return here
        known = await self.inbox.run(lambda store: store.sessions.get(session_id))
        if known is None:
            raise NotOpenedError("is not in the inbox")
        if await runs_elsewhere(self.inbox, session_id):
            raise NotOpenedError("runs in another ccq-tui now")
        directory = Path(known.directory)
        try:
            await asyncio.to_thread(back_in, directory, trusts=trusts)
            launch = await asyncio.to_thread(launch_in, directory, "", self.launch, asked=False)
        except (SettingsError, WorktreeError, OSError) as error:
            raise NotOpenedError(f"was not started in {directory}: {error}") from error
        session = await self.begin(replace(launch, resume=session_id, fork=fork))
        await self.inbox.run(lambda store: store.sessions.set_done(session_id, False, self._person.actor))
        return session

    async def begin(self, launch: Launch) -> SupervisedSession:
        """Start a session as `open`, from a launch.

        Args:
            launch: Its launch, with what of its directory awaits trust.

        Raises:
            NotOpenedError: As `open`.
        """
        undisturbing = await alone(self._person, launch, self.inbox)
        if undisturbing is None:
            raise NotOpenedError("runs in another ccq-tui")
        try:
            trusted = await let_in(self._person, undisturbing)
        except (SettingsError, WorktreeError) as error:
            raise NotOpenedError(f"was not started in {launch.settings.directory}: {error}") from error
        if trusted is None:
            raise NotOpenedError(f"was not started: {launch.settings.directory} is not trusted")
        session = self.add(trusted)
        session.start()
        if trusted.prompt:
            session.send(trusted.prompt)
        return session

    def add(self, launch: Launch) -> SupervisedSession:
        """Add a session; it runs once its `start` is called.

        Args:
            launch: The launch of the session; its directory is trusted.
        """
        if self._slots is None:
            self._slots = asyncio.Semaphore(self.most_live)
        session = SupervisedSession(
            launch, self._make_session, self.inbox, clock=self.clock, slots=self._slots
        )
        session.subscribe(self._recorder(session))
        session.subscribe(self._note_room)
        self._sessions.append(session)
        return session

    def _recorder(self, session: SupervisedSession) -> Callable[[ev.AgentEvent], None]:
        """Return a listener that keeps the inbox's row of a session as its facts are."""
        known = session.facts

        def record(event: ev.AgentEvent) -> None:
            nonlocal known
            before, known = known, session.facts
            cause = event.cause if isinstance(event, ev.StateChanged) else ""
            if (fact := to_store(before, known, cause)) is not None:
                self.inbox.sessions.note(known.session_id, fact)

        return record

    def _note_room(self, event: ev.AgentEvent) -> None:
        """Make room when a session may wait for it, or may give way from now on."""
        match event:
            case (
                ev.StateChanged(ev.SessionState.QUEUED | ev.SessionState.IDLE)
                | ev.TaskEnded()
                | ev.RequestSettled()
            ):
                self._make_room()

    def _make_room(self) -> None:
        """Let idle sessions give way to those that wait for a process, the least recently used first."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        waiting = sum(one.facts.state is ev.SessionState.QUEUED for one in self._sessions)
        coming = sum(one.gives_way for one in self._sessions)
        idle = sorted((one for one in self._sessions if one.can_give_way), key=lambda one: one.last_used)
        wanted = max(0, waiting - coming)
        pauses = [session.last_used + IDLE_SECONDS - self.clock() for session in idle[:wanted]]
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
        for unfollow in self._following:
            unfollow()
        if self._looking is not None:
            self._looking.cancel()
        await asyncio.gather(*(session.end() for session in self._sessions))
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    # -- the inbox and other processes -----------------------------------------------------------------------

    def follow(self, listener: Callable[[InboxChange], None]) -> None:
        """Report the changes of the inbox, as `Inbox.subscribe`, until `end`."""
        self._following.append(self.inbox.subscribe(listener))

    def _changed(self, change: InboxChange) -> None:
        if isinstance(change, Settled):
            for session in self.sessions:
                session.take_settled(change)
        elif isinstance(change, StoredCommand):
            self.run_beside(self._carry_out(change))

    def run_beside(self, work: Coroutine[Any, Any, object]) -> asyncio.Task[object]:
        """Run work beside the sessions in a task, until `end`; a failure is logged."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _logger.error("Work beside the sessions failed", exc_info=error)

    async def _carry_out(self, command: StoredCommand) -> None:
        """Do what a person elsewhere commands a session of this process, or refuse with a reason."""
        session = self.named(command.session_id)
        if session is None or not session.can_take(command.kind):
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
            if await self.inbox.run(take) and (words := await session.carry_out(command)):
                await self.inbox.run(lambda store: store.commands.finish(number, CommandState.DONE, words))
        except InboxError as error:
            _logger.warning("A command to a session is not answered: %s", error)

    async def say(
        self, kind: CommandKind, session_id: str, actor: Actor, body: Mapping[str, Any] | None = None
    ) -> CommandResult:
        """Command a session, whichever process runs it.

        Args:
            kind: What it is to do.
            session_id: The session.
            actor: Who commands it, for the history of the process that runs it.
            body: The arguments of the command.

        Raises:
            InboxError: The process that runs it cannot be told.
        """
        session = self.named(session_id)
        if session is None or not session.can_take(kind):
            return await result_of(self.inbox.run, SentCommand(kind, session_id, actor, body))
        if why := session.why_not(kind):
            return CommandResult(Ending.REFUSED, why)
        command = StoredCommand(0, kind, session_id, actor, CommandState.TAKEN, body or {})
        return CommandResult(Ending.DONE, await session.carry_out(command))

    async def close(self) -> bool:
        """End the sessions, whose questions wait on, clear their worktrees, and write everything.

        Returns whether all is on disk.
        """
        await self.end()
        over = [EndedSession(one.launch, one.facts.session_id) for one in self._sessions]
        await self.cleanup.clear_all(over, ended=True)
        return await self.close_inbox()

    async def close_inbox(self) -> bool:
        """Write what is not written yet; return whether that was done."""
        return self._inbox is None or await self._inbox.close()

    def end_threads(self) -> None:
        """Write what is not written yet, after the event loop has ended: in 2 seconds, or not at all."""
        if self._inbox is not None:
            self._inbox.end(2.0)
