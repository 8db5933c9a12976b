"""One session of this process, through all the processes of Claude that it has one after the other."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ccq_tui.agent import events as ev
from ccq_tui.agent.controls import Images, Kept
from ccq_tui.agent.problems import Problem, Remedy
from ccq_tui.agent.session import AgentSession
from ccq_tui.agent.session_name import SessionName
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.open_request import OpenRequest, Signal
from ccq_tui.inbox.port import Added, Grown, InboxChange, Parked, RequestChange, Settled
from ccq_tui.inbox.requests import Cancelled
from ccq_tui.inbox.store.rows import CommandKind, StoredCommand
from ccq_tui.prompts.unread import PromptDraft, Sent, directory_key
from ccq_tui.questions import Expired
from ccq_tui.runtime.facts import SessionFacts, folded
from ccq_tui.runtime.limits import Attention, Due, Limit, LimitReached, LimitWatch, Standing, cause
from ccq_tui.runtime.phases import Input, Phase, Reason, Stage, step
from ccq_tui.runtime.recovery import Recovery, noted, relaunched, taken

NOTHING_WAITS = "cannot be paused: nothing waits in it"

_logger = logging.getLogger(__name__)

OVER = frozenset({ev.SessionState.PARKED, ev.SessionState.FAILED, ev.SessionState.ENDED})
"""States without a process."""
FAILED = "Something went wrong in ccq-tui; the log has more"
SessionFactory = Callable[[Callable[[ev.AgentEvent], None], Launch], AgentSession]
"""Makes the agent's session of a launch, which passes its events to a function."""


class SupervisedSession:
    """Runs a session, and starts it again: for an answer, a prompt, or a person who wants it back.

    It needs no screen. A surface that shows it takes its events and gives it commands; the current agent
    is `agent`.

    Args:
        launch: The launch of the session.
        make_session: Makes the agent's session.
        inbox: Holds its requests.
        clock: Returns seconds of a monotonic clock.
        slots: The processes that the sessions of this program may have at a time, shared by all of them;
            None for no limit.
    """

    def __init__(
        self,
        launch: Launch,
        make_session: SessionFactory,
        inbox: Inbox,
        *,
        clock: Callable[[], float] = time.monotonic,
        slots: asyncio.Semaphore | None = None,
    ) -> None:
        self.launch = launch
        self.inbox = inbox
        self.clock = clock
        self.facts = SessionFacts(
            launch.settings.directory,
            since=clock(),
            called=SessionName(launch.name),
            begun=bool(launch.resume or launch.continue_last),
            named=not (launch.resume or launch.continue_last),
            labels=launch.labels,
            effort=launch.settings.effort or "",
        )
        """The facts known about it, as of the last event."""
        self.recovery = Recovery()
        """The recovery from the last failure."""
        self.stage = Stage()
        """Its phase, and the reason of a stop or a rest."""
        self.attention: Callable[[], Attention] = self._no_attention
        """Returns a person's last action; a surface that shows the session puts its own in place."""
        self.in_use: Callable[[], bool] = lambda: False
        """Returns whether a person waits for a reply of the process, or chooses from one of its lists."""
        self._events: Signal[ev.AgentEvent] = Signal()
        self._make_session = make_session
        self._slots = slots
        self._tasks: list[asyncio.Task[None]] = []
        self._unread: set[str] = set()
        """The prompts of commands that are on disk until Claude has read them."""
        self._limits = LimitWatch(launch.settings, self._limit_passed)
        self._limit_timer: asyncio.TimerHandle | None = None
        self._event_at = self.facts.since
        self.agent = make_session(self._take, launch)
        """The session of the agent, one at a time."""

    def subscribe(self, listener: Callable[[ev.AgentEvent], None]) -> None:
        """Subscribe to the events from now on, in order, in the session's event loop.

        Args:
            listener: Takes the events; must not block.
        """
        self._events.subscribe(listener)

    def follow(self, listener: Callable[[OpenRequest, RequestChange], None]) -> Callable[[], None]:
        """Report the changes of the session's open requests; return a function that ends this."""

        def receive(change: InboxChange) -> None:
            if isinstance(change, Added | Grown | Parked | Settled):
                opened = self.inbox.known(change.request.id)
                if opened is not None and change.request.session_id == self.known_id:
                    listener(opened, change)

        return self.inbox.subscribe(receive)

    # -- facts ----------------------------------------------------------------------------------------------

    @property
    def known_id(self) -> str:
        """The Claude session id, also while it is being resumed; "" for one that has not begun."""
        return self.facts.session_id or ("" if self.launch.fork else self.launch.resume)

    @property
    def record_id(self) -> str:
        """The id of the session's record, known before the session has begun, or ""."""
        return self.facts.session_id or self.agent.record_id

    @property
    def waiting(self) -> tuple[OpenRequest, ...]:
        """The requests that wait for a person, oldest first."""
        return tuple(one for one in self.requests if one.is_pending)

    @property
    def requests(self) -> tuple[OpenRequest, ...]:
        """Those that wait, and those whose outcome the agent was not seen to have."""
        return self.inbox.of(self.known_id)

    @property
    def limited(self) -> bool:
        """Whether a time limit is running."""
        return self._limits.upcoming is not None

    @property
    def can_give_way(self) -> bool:
        """Whether its process does nothing: the next prompt would start another one."""
        runs = self.stage.phase is Phase.RUNNING and self.facts.state is ev.SessionState.IDLE
        return runs and not (self.waiting or self.facts.tasks or self.in_use())

    @property
    def gives_way(self) -> bool:
        """Whether the agent is being ended to make room for another session's."""
        return self.stage == Stage(Phase.STOPPING, Reason.ROOM)

    @property
    def last_used(self) -> float:
        """The time of the last activity of the session or of a person in it, in seconds of the clock."""
        return max(self.facts.since, self.attention().touched)

    def can_take(self, kind: CommandKind) -> bool:
        """Return whether a command is for this process: one at rest takes only a prompt that starts it."""
        at_rest = self.stage.phase in (Phase.PARKED, Phase.RESTING, Phase.CLOSED)
        starts = kind is CommandKind.SEND and step(self.stage, Input.PROMPT) != self.stage
        return starts or not at_rest

    def why_not(self, kind: CommandKind) -> str:
        """Return the reason why the session refuses a command, in words that follow its name, or ""."""
        match kind:
            case CommandKind.PARK:
                return self.why_not_parkable
            case CommandKind.SEND if self.stage.phase in (Phase.STOPPING, Phase.PARKING, Phase.ANSWERED):
                return "is not given the prompt: it is ending; try again in a moment"
            case CommandKind.INTERRUPT if not self.facts.busy:
                return "is not interrupted: no turn runs in it"
            case _:
                return ""

    async def carry_out(self, command: StoredCommand) -> str:
        """Carry out a command.

        Returns:
            What was done, in words that follow the session's name; "" if it is done once the process is gone.

        Raises:
            InboxUnavailable: A prompt was sent, but is not on disk.
        """
        cause = f"asked for {command.actor.where_from_here}"
        match command.kind:
            case CommandKind.PARK:
                self.agent.park(cause)
            case CommandKind.END:
                self.agent.close(cause)
            case CommandKind.INTERRUPT:
                self.agent.interrupt()
                return "is interrupted"
            case CommandKind.SEND:
                await self._send_kept(str(command.body.get("text", "")))
                return "has the prompt"
        return ""

    @property
    def why_not_parkable(self) -> str:
        """The reason why a person who does not see the session cannot park it, or ""."""
        if not self.waiting:
            return NOTHING_WAITS
        if self.facts.state in (ev.SessionState.QUEUED, ev.SessionState.STARTING):
            return "cannot be paused: it is starting; try again in a moment"
        if not all(kind_of(one.request).OUTLIVES for one in self.waiting):
            return "cannot be paused: it would lose the permission, plan or form that waits in it"
        return ""

    # -- running --------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Run the session in a task, once there is room for its process."""
        self._step(Input.START)
        self._run_agent()

    def _run_agent(self) -> None:
        self._tasks = [task for task in self._tasks if not task.done()]
        self._tasks.append(asyncio.create_task(self._run(), name="session"))

    async def _run(self) -> None:
        agent = self.agent
        try:
            if self._slots is None:
                await agent.run()
                return
            if self._slots.locked():
                if self.stage.is_over:
                    return  # it would wait for the end of another session
                self._take(ev.StateChanged(ev.SessionState.QUEUED))
            async with self._slots:
                await agent.run()
        except Exception:
            _logger.exception("A session failed")
            if agent is self.agent and self.facts.state not in OVER:  # else it has reported its end itself
                self._take(ev.SessionLost(FAILED))

    async def end(self, cause: str = "") -> None:
        """End the session for good, and wait until its process is gone.

        Args:
            cause: For the history, if no person wanted it.
        """
        self.keep_ended()
        self.agent.close(cause)
        if self.facts.state is ev.SessionState.QUEUED:
            self.abandon()  # else it would wait for the end of another session
        if self._tasks:
            await asyncio.wait(self._tasks)

    def abandon(self) -> None:
        """End the session without waiting for it."""
        self.keep_ended()
        for task in self._tasks:
            task.cancel()

    def keep_ended(self) -> None:
        """Start no other process, once the present one has ended."""
        self._step(Reason.QUIT)
        self._stop_limit_timer()

    def _step(self, happened: Input | Reason | ev.SessionState) -> bool:
        """Take the next step of the table; return whether a process is to be started."""
        before, self.stage = self.stage, step(self.stage, happened)
        return self.stage.phase is Phase.STARTING and before.phase not in (Phase.STARTING, Phase.QUEUED)

    def restart(self, *, fork: bool = False) -> None:
        """Start the agent again in the same conversation, unless it runs or is ended for good.

        Args:
            fork: Whether to start a copy of the session.
        """
        if self._step(Input.START):
            self._start_next(fork=fork)

    def _start_next(self, *, fork: bool = False) -> None:
        launch = relaunched(self.launch, self.recovery, self.facts)
        is_loaded = self.recovery.begun

        def tell(event: ev.AgentEvent) -> None:
            if not (is_loaded and isinstance(event, ev.HistoryLoaded)):
                self._take(event)

        if self.recovery.doing is Remedy.ANEW:
            anew = folded(self.facts, ev.ConversationReset(""), self.clock())
            self.facts = replace(anew, called=SessionName())
        self.launch = replace(launch, fork=fork or launch.fork)
        # At once: nothing may start it a second time before its first event is there.
        self._take(ev.StateChanged(ev.SessionState.STARTING))
        self.agent = self._make_session(tell, self.launch)
        self._run_agent()

    def be_called(self, prompt: str) -> SessionFacts:
        """Name a session that waits for a process after its first prompt, to tell it from others."""
        self.facts = replace(self.facts, called=SessionName(first=prompt))
        return self.facts

    def add_directory(self, directory: Path) -> None:
        """Let every later process of Claude work in another directory, too.

        Args:
            directory: The directory; the current process has it already.
        """
        self.launch = replace(self.launch, settings=self.launch.settings.with_directory(directory))

    def reconnect(self) -> None:
        """Start the agent again; a running process, which keeps its first options, is ended before."""
        if self.stage.has_process:
            self._step(Reason.RESTART)
            self.agent.close("reconnected")
        else:
            self.restart()

    def give_way(self) -> None:
        """End the idle agent to make room for another session's; the next prompt starts it again."""
        self._step(Reason.ROOM)
        self.agent.close("idle, while another session needed a process")

    def start_again(self) -> float:
        """Start an agent without a process again; after failed starts, only after a pause.

        Returns:
            Seconds left to wait; 0 if it was started.
        """
        wait = self.recovery.seconds_to_wait(self.clock())
        if wait == 0 and self.facts.state in OVER:
            anew = self.recovery.offer is Remedy.ANEW
            offer = Remedy.ANEW if anew else Remedy.RECONNECT
            self.recovery = taken(replace(self.recovery, offer=offer), self.clock())
            self.restart()
        return wait

    def take_offer(self) -> None:
        """Note that the offered recovery is taken; it works once."""
        self.recovery = taken(self.recovery, self.clock())

    def wake(self, *, answered: bool = False) -> None:
        """Start the session again if it waits without a process.

        Args:
            answered: Whether a question of it was answered, which also starts it after a failure.
        """
        if self.facts.session_id and self._step(Input.ANSWER if answered else Input.PROMPT):
            self._start_next()

    def send(self, text: str, kept: Kept | None = None, images: Images = (), *, answer: bool = True) -> str:
        """Give the agent a prompt; if the session waits without a process, start one for it.

        Args:
            text: The prompt.
            kept: Done once the prompt is on disk; it is not sent before.
            images: The images that its text names, in its order.
            answer: Whether Claude answers the prompt; else it reads it with the next one that it answers.

        Returns:
            The prompt's id, as in its events.
        """
        self.wake()
        return self.agent.send(text, kept, images, answer=answer)

    async def _send_kept(self, text: str) -> None:
        """Send a prompt that was not typed here; it is on disk before, and until Claude has read it."""
        kept = asyncio.get_running_loop().create_future()
        name = self.send(text, kept)
        place = (self.record_id if self.facts.begun else "") or directory_key(self.launch.settings.directory)
        draft = PromptDraft(sent=(Sent(name, text, self.record_id),))
        self._unread.add(name)
        try:
            await self.inbox.run(lambda store: store.prompts.save(name, place, draft))
        finally:
            kept.set_result(None)

    def _forget_unread(self, name: str) -> None:
        if name in self._unread:
            self._unread.remove(name)
            self.inbox.write_soon(lambda store: store.prompts.save(name, "", PromptDraft()))

    # -- requests -------------------------------------------------------------------------------------------

    def take_settled(self, change: Settled) -> None:
        """Handle the outcome of a request for which no call waits; an answer starts the next process."""
        request = change.request
        mine = self.known_id == request.session_id and self.inbox.known(request.id) is not None
        if not mine or self.stage.phase in (Phase.RUNNING, Phase.STOPPING):
            return  # the agent itself reports how its requests end
        self._take(ev.RequestSettled(request.id, change.outcome, change.actor))
        if kind_of(request).OUTLIVES and not isinstance(change.outcome, Cancelled):
            self.wake(answered=True)

    # -- events ---------------------------------------------------------------------------------------------

    def _take(self, event: ev.AgentEvent) -> None:
        now = self.clock()
        self._event_at = now
        begun = self.recovery.doing
        self.facts = folded(self.facts, event, now)
        self.recovery = noted(self.recovery, event)
        self._events.emit(event)
        if isinstance(event, ev.Connected) and begun is not None and self.recovery.doing is None:
            self._events.emit(ev.Reconnected())
        self._react(event)
        self.check_limits()

    def _react(self, event: ev.AgentEvent) -> None:
        match event:
            case ev.StateChanged(state):
                self._note_end(state)
            case ev.RequestAsked(request):
                opened = self.inbox.known(request.id)
                if opened is not None and opened.is_pending:  # else asked again only to get the answer
                    self._step(Input.QUESTION)
            case ev.RequestParked():
                self._step(Input.PUT_OFF)
            case ev.PromptRecorded(name):
                self._forget_unread(name)
            case ev.PromptReturned(prompt_id=name) if self.attention != self._no_attention:
                self._forget_unread(name)  # it is in the field of the surface that shows the session
            case ev.SessionLost(kind=kind):
                wanted = self.launch.chosen_id
                if wanted and kind == Problem.RUNS_ELSEWHERE:
                    # Another process has begun it: from now on it can only be resumed.
                    self.launch = replace(
                        self.launch, resume=wanted, fork=False, continue_last=False, chosen_id=""
                    )
                self._over()

    def _over(self) -> None:
        if self._step(Input.ENDED):
            self._start_next()

    # -- time limits ----------------------------------------------------------------------------------------

    def check_limits(self) -> str:
        """Check whether a time limit has passed; return the words of its countdown, or ""."""
        if self.stage.is_over:
            return ""
        now = self.clock()
        since = self.facts.since
        standing = Standing(
            self.facts.state, event=max(self._event_at, since), turn=since, parkable=not self.why_not_parkable
        )
        words = self._limits.check(now, standing, self.attention)
        self._stop_limit_timer()
        if (limit := self._limits.upcoming) is not None and limit.at > now:
            self._limit_timer = asyncio.get_running_loop().call_later(limit.at - now, self.check_limits)
        return words

    def _stop_limit_timer(self) -> None:
        if self._limit_timer is not None:
            self._limit_timer.cancel()
            self._limit_timer = None

    def _no_attention(self) -> Attention:
        """Return the attention of nobody: no surface shows the session."""
        first = next(iter(self.waiting), None)
        expires = first is not None and kind_of(first.request).EXPIRES
        return Attention(float("-inf"), first.request.id if first and expires else "")

    def _limit_passed(self, limit: Limit) -> None:
        """Carry out a limit; it never chooses an option."""
        match limit.due:
            case Due.NO_ANSWER:
                if (opened := self.inbox.known(limit.question)) is not None:
                    opened.settle(Expired(), Actor.here(Surface.LIMIT))
            case Due.PARK | Due.PARK_QUESTION:
                self._step(Reason.LIMIT)
                self.agent.park(cause(limit))

    def _note_end(self, state: ev.SessionState) -> None:
        """Report why the session ended, if a limit or another session's need ended it."""
        before = self.stage
        self._step(state)
        if state not in OVER or self.stage == before:
            return
        if self.stage.reason is Reason.ROOM:
            self._events.emit(ev.IdleProcessEnded())
        elif self.stage == Stage(Phase.PARKED, Reason.LIMIT) and self._limits.passed is not None:
            self._events.emit(LimitReached(self._limits.passed))
