"""A session: one conversation with an agent, owned by one task."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from pydantic import ValidationError

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude.orphans import end_leftovers
from ccq_tui.agent.claude.records import taken
from ccq_tui.agent.controls import CommandError, Control, Images, Kept, Option, Rewound, Send, rename, rewind
from ccq_tui.agent.delivery import CLOSED, Delivery, UnrecordedPrompts
from ccq_tui.agent.history import PastListener, SessionPast, read_history
from ccq_tui.agent.loader import LoadError, load_connection
from ccq_tui.agent.problems import Problem
from ccq_tui.agent.reader import ReaderError
from ccq_tui.agent.session_name import forked
from ccq_tui.config.claude_flags import ClaudeFlags
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import Claim, ClaimLostError, KnownPast, SessionFact

if TYPE_CHECKING:
    from ccq_tui.agent.claude.connection import Connection
    from ccq_tui.agent.claude.prestart import Prestarted

OVER = "The session is over."
NOTHING_WAITS = "No question waits: there is nothing to pause."
ENDS = "the session ended before Claude read it"
NO_EARLIER_SESSION = "No earlier session here; this is a new one."
LEFTOVER_ENDED = "Ended the Claude process that a killed ccq-tui had left running in this conversation."
T = TypeVar("T")

_logger = logging.getLogger(__name__)

NOT_TAKEN_BACK = "An answer cannot be withdrawn: Claude reads it with its next step."
PARKED = "paused: it waits for your answer without a process"


ASKING = frozenset({"questions", "max_question_rounds"})
"""The settings that limit how often the agent asks; they hold for a session."""
LASTING = ASKING | {"permission_mode"}
GIVEN_AGAIN = "bypassPermissions"
"""The permission mode that a session does not keep: who resumes it has to give it again."""


def as_before(launch: Launch, before: Mapping[str, Any]) -> Launch:
    """Return a launch with the flags of an earlier start where none are set now."""
    kept = before.get("claude")
    if not isinstance(kept, Mapping):
        return launch
    wanted = launch.settings.claude.model_dump(exclude_defaults=True)
    try:
        flags = ClaudeFlags(**{**kept, **wanted})
    except ValidationError:
        _logger.warning("What a session was started with before cannot be used any more")
        return launch
    lasting = ASKING if before.get("permission_mode") in (None, "", GIVEN_AGAIN) else LASTING
    again = {name: before[name] for name in before.keys() & lasting - launch.settings.model_fields_set}
    return replace(launch, settings=launch.settings.model_copy(update=dict(flags) | again))


@dataclass(frozen=True, slots=True)
class _Ordered:
    """A command that keeps its order.

    Attributes:
        do: Executes it; may raise `CommandError`.
        failed: Returns the event that says why it was not executed.
        prompt_id: The prompt that it sends, or "".
    """

    do: "Callable[[Connection], Awaitable[None]]"
    failed: Callable[[str], ev.AgentEvent]
    prompt_id: str = ""


class AgentSession:
    """A conversation with an agent.

    `run` is the session: it starts the CLI, reads and reports all its messages, executes commands, and ends
    the CLI, all in the task that awaits it. The other methods may be called from anywhere in the same event
    loop, before and while it runs; only the coroutines among them wait.

    Args:
        launch: What it is started with.
        inbox: Holds its requests until a person answers.
        on_event: Takes each event, in order, in the session's event loop; must not block.
        ahead: A process that was already started for it; used if it fits.
    """

    def __init__(
        self,
        launch: Launch,
        inbox: Inbox,
        on_event: Callable[[ev.AgentEvent], None],
        *,
        ahead: "Prestarted | None" = None,
    ) -> None:
        self.launch = launch
        self._listener = on_event
        self._inbox = inbox
        self._delivery = Delivery(inbox, self._emit, self.put)
        self._unrecorded = UnrecordedPrompts(self._emit, self.taken)
        self._ordered: asyncio.Queue[_Ordered] = asyncio.Queue()
        """The commands that keep their order: interrupts, control requests and the end overtake them."""
        self._unsent: dict[str, Send] = {}
        """The prompts in `_ordered`, by their ids, without those that were taken back."""
        self._tasks: set[asyncio.Task[Any]] = set()
        """What overtakes the commands in their order."""
        self._working: Connection | None = None
        """The connection, once it takes commands."""
        self._leaving = False
        self._one_leaves = asyncio.Lock()
        """An end waits for parking: cut off, the same call would never ask again."""
        self._ending = False
        """Whether the CLI is about to end, and nothing is asked of it any more."""
        self._over = False
        self._begun = bool(launch.resume or launch.continue_last)
        """Whether its conversation has a prompt: before that, no session is in any list."""
        self._held = ""
        """The session id that this process holds: another one after ``/clear``."""
        self._cause = ""
        """Why it is being ended, or ""."""
        self._connection: Connection | None = None
        self._claim: Claim | None = None
        self._past = KnownPast()
        self._ahead = ahead if ahead is not None and ahead.fits(launch) else None
        self._written = {ahead.prompt: ahead.prompt_id} if self._ahead and ahead and ahead.prompt else {}
        """The prompt that the process was already given, with its id: `send` does not send it again."""
        # The id of a new session or a fork.
        self._own_id = self._ahead.session_id if self._ahead else launch.chosen_id or str(uuid4())
        self._scope: asyncio.Timeout | None = None
        self._closing = False
        self._parked = False
        self._leftover_ended = False

    @property
    def session_id(self) -> str:
        """The Claude session id, or "" while it is not known."""
        return self._connection.translator.session_id if self._connection else ""

    @property
    def record_id(self) -> str:
        """The id of the session's record, known before the CLI has started, or "".

        It is not known until the last session of a directory is found.
        """
        if self.launch.fork or not (self.launch.resume or self.launch.continue_last):
            return self._own_id
        return self.launch.resume or self.session_id

    def send(self, text: str, kept: Kept | None = None, images: Images = (), *, answer: bool = True) -> str:
        """Give the agent a prompt and return its id; it waits while another one is worked on.

        ``kept`` is done once the prompt is on disk: it is not sent before. Without ``answer``, Claude reads
        the prompt with the next one that it answers.
        """
        if written := self._written.pop(text, ""):
            return written
        command = Send(text, kept=kept, images=images, answer=answer)
        self.put(command)
        return command.prompt_id

    async def taken(self, prompts: Mapping[str, str]) -> frozenset[str]:
        """Return the prompts of earlier processes that a turn has read; end a process that still may read."""
        for session_id in set(prompts.values()):
            await end_leftovers(session_id)
        return await asyncio.to_thread(taken, self.launch, prompts)

    def withdraw(self, prompt_id: str) -> None:
        """Take back a prompt that waits for the running turn; `PromptReturned` says that it is back."""
        if self._delivery.has(prompt_id):
            self._emit(ev.NoticeGiven("info", NOT_TAKEN_BACK))
        elif send := self._unsent.pop(prompt_id, None):
            self._emit(ev.PromptReturned(send.text, "you withdrew it", prompt_id, wanted=True))
        else:
            words = "A queued prompt was not withdrawn"
            self._put(
                _Ordered(
                    lambda connection: connection.withdraw(prompt_id),
                    lambda reason: ev.NoticeGiven("warning", f"{words}: {reason}"),
                )
            )

    def interrupt(self) -> None:
        """End the running turn, and with it every request that waits."""
        if not self._ending:
            self._begin(self._interrupt())

    def set_option(self, what: Option, value: str) -> None:
        """Change an option; ``value`` is Claude Code's own name for it, "" for the default model."""
        words = f"The {what} was not changed to {value or 'the default'}"
        self._put(
            _Ordered(
                lambda connection: connection.change(what, value),
                lambda reason: ev.ErrorReported(what, f"{words}: {reason}"),
            )
        )

    async def send_control(self, control: Control[T]) -> T:
        """Ask the CLI something beside the conversation, and wait for the answer; raises `CommandError`."""
        if self._ending or self._connection is None:
            raise CommandError(OVER if self._ending else "Claude is still starting.")
        asking = self._begin(self._connection.send_control(control))
        asking.add_done_callback(lambda done: done.cancelled() or done.exception())  # also if nobody waits
        await asyncio.wait({asking})
        if asking.cancelled():
            raise CommandError(OVER)
        return asking.result()

    async def rewind(self, prompt_id: str, *, files: bool) -> Rewound:
        """Take the conversation back to before a prompt, then the files; raises as `ask` does."""
        translator = self._connection.translator if self._connection else None
        newest = translator.newest_message if translator else ""
        done = await rewind(self.send_control, prompt_id, newest, files=files)
        if translator and not done.refusal:
            translator.rewound(prompt_id)
            self._delivery.rewound(prompt_id)
            self._unrecorded.rewound(prompt_id)
        return done

    async def rename(self, title: str) -> None:
        """Give the session a title, which is not empty; raises as `ask` does."""
        await self.send_control(rename(title))
        self._emit(ev.TitleChanged(title))

    def park(self, cause: str = "") -> None:
        """End the process while questions wait; they are answered once the session is resumed."""
        self._leave_soon(ends=False, cause=cause)

    def close(self, cause: str = "") -> None:
        """End the session and its process; `SessionLost` reports the end. Waiting questions are parked."""
        self._leave_soon(ends=True, cause=cause)

    def put(self, command: Send) -> None:
        """Queue a prompt; after the session's end it is returned."""
        self._unsent[command.prompt_id] = command
        failed = partial(ev.PromptReturned, command.text, prompt_id=command.prompt_id)
        self._put(_Ordered(partial(self._send, command), failed, command.prompt_id))

    def _put(self, command: _Ordered) -> None:
        if self._over:
            self._emit(command.failed(OVER))
        else:
            self._ordered.put_nowait(command)

    async def run(self) -> None:
        """Run the session, from the start of the CLI to its end.

        Failures of the CLI are not raised: events report them. Cancelling this ends the session.
        """
        self._emit(ev.StateChanged(ev.SessionState.STARTING))
        lost: ev.SessionLost | None = None
        try:
            async with asyncio.timeout(0 if self._closing else None) as self._scope:
                lost = await self._live()
        except Exception as error:
            if not (self._closing and isinstance(error, TimeoutError)):
                lost = ev.SessionLost(f"The program failed: {error}")
                raise
        finally:
            ended = ev.SessionLost(PARKED, expected=True, kind=ev.PARKED_KIND) if self._parked else None
            await self._end(lost or ended or ev.SessionLost(CLOSED, expected=True))

    async def _live(self) -> ev.SessionLost:
        """Start the CLI and read until it ends, or until `_stop` or cancelling interrupts this."""
        async with asyncio.TaskGroup() as group:
            tasks: list[asyncio.Task[Any]] = []
            try:
                known: asyncio.Future[str] = asyncio.get_running_loop().create_future()
                reading = group.create_task(self._history(known))
                tasks.append(reading)
                # The CLI starts as soon as its session is known, while older parts are still being read.
                kind, resumed = await asyncio.gather(load_connection(), known)
                if resumed:
                    self.launch = as_before(self.launch, self._past.launch)
                if self._claim is None and self.launch.chosen_id:
                    # Another process may have been given the same id, under which nothing is recorded yet.
                    self._held = (await self._inbox.sessions.claim(self._own_id)).session_id
                connection = kind(self.launch, self._inbox, self._emit)
                if self._claim is not None and resumed:
                    connection.gate.asked[resumed] |= self._past.asked
                lost = await self._open(connection, resumed, reading)
                if lost is None:
                    tasks.append(group.create_task(self._work(connection)))
                    lost = await connection.read()
            except LoadError as error:
                lost = ev.SessionLost(str(error))
            except ClaimLostError as error:
                lost = ev.SessionLost(str(error), expected=True, kind=Problem.RUNS_ELSEWHERE)
            finally:
                self._ending = True
                for task in (*self._tasks, *tasks):
                    task.cancel()
        return lost

    async def _history(self, known: asyncio.Future[str]) -> SessionPast:
        """Read and report the session's past; ``known`` gets the session's id as early as possible."""
        history = SessionPast("")

        def tell(session_id: str, part: ev.HistoryLoaded) -> None:
            if part.events and self.launch.fork and not part.older:
                part = forked(part, self.launch.name)
                self.launch = replace(self.launch, name=part.title)  # its record has the original's name
            if part.events:
                self._emit(part)
            if not known.done():
                known.set_result(session_id)

        try:
            if self.launch.resume or self.launch.continue_last:
                history = await self._read_history(tell)
                if not history.session_id:
                    self._emit(ev.NoticeGiven("info", NO_EARLIER_SESSION))
                if self._leftover_ended:  # below its messages
                    self._emit(ev.NoticeGiven("info", LEFTOVER_ENDED))
        except ClaimLostError as error:
            known.set_exception(error)
        finally:
            if not known.done():
                known.set_result(history.session_id)
        return history

    async def _read_history(self, tell: PastListener) -> SessionPast:
        try:
            return await read_history(self.launch, tell, resume=self._take_on)
        except ReaderError as error:
            self._emit(ev.NoticeGiven("warning", f"The earlier conversation could not be read: {error}"))
            await self._take_on(self.launch.resume)
            return SessionPast(self.launch.resume)

    async def _take_on(self, session_id: str) -> frozenset[str]:
        """Make sure that nothing else runs a session that is about to be resumed; raises `ClaimLostError`.

        Returns the calls whose requests are left in it; none are left in a fork.
        """
        if session_id and not self.launch.fork and self._claim is None:
            self._claim = await self._inbox.sessions.claim(session_id)
            self._held = session_id
        # Also that of a process that is no longer known; all that it wrote is past, too.
        self._leftover_ended |= await end_leftovers(session_id)
        if session_id:
            self._past = await self._inbox.sessions.before(session_id)
        return frozenset() if self.launch.fork else self._past.left

    async def _open(
        self, connection: "Connection", resumed: str, reading: asyncio.Task[SessionPast]
    ) -> ev.SessionLost | None:
        self._connection = connection
        if self._claim is not None:
            failure = await connection.resume(self._claim)
        elif resumed:
            failure = await connection.fork(resumed, self._own_id)
        else:
            ahead, self._ahead = self._ahead, None
            failure = await connection.begin(self._own_id, ahead)
        if failure is not None:
            return failure
        history = await reading
        connection.translator.remember(history.uuids)
        if self._claim is not None:
            connection.gate.waits.calls.deferred = history.deferred
            await self._delivery.catch_up(self._claim.session_id, history)
        return None

    async def _end(self, lost: ev.SessionLost) -> None:
        """Leave nothing behind: no waiting request, no process, no lost prompt."""
        try:
            if self._ahead is not None:
                # Otherwise the unused process would work on its prompt without a session.
                await self._ahead.close()
                if self._ahead.prompt:
                    self._emit(ev.PromptReturned(self._ahead.prompt, lost.reason, self._ahead.prompt_id))
            if self._connection is not None:
                reason = lost.reason if lost.expected else "the Claude process ended"
                self._connection.abandon(reason)
                await self._connection.close()
                unread, self._connection.translator.sent = self._connection.translator.sent, {}
                await self._unrecorded.report(self.session_id, reason, unread, in_order=lost.expected)
        finally:
            self._over = True
            while not self._ordered.empty():  # so that no prompt is lost
                command = self._ordered.get_nowait()
                if not self._was_taken_back(command):
                    self._emit(command.failed(OVER))
            state = ev.SessionState.ENDED if lost.expected else ev.SessionState.FAILED
            if self._parked or lost.kind == Problem.RUNS_ELSEWHERE:
                state = ev.SessionState.PARKED
            self._emit(ev.StateChanged(state, self._cause))
            self._emit(lost)
            self._delivery.close(in_order=lost.expected)

    # -- commands -------------------------------------------------------------------------------------------

    def _leave_soon(self, *, ends: bool, cause: str) -> None:
        """Put off the waiting questions, then end the session; without ``ends``, only if questions wait."""
        if not self._ending:
            self._begin(self._leave(ends=ends, cause=cause))

    async def _leave(self, *, ends: bool, cause: str) -> None:
        async with self._one_leaves:
            connection, parked = self._working, False
            if connection is not None and (ends or connection.gate.waits.pending):
                self._leaving = True
                await self._ordered_done()
                # Prompts that were not read are given back first.
                await connection.reclaim(ENDS)
                parked = await connection.park()
            if parked or ends:
                self._leaving = True
                self._stop(parked, cause)
            else:
                self._leaving = False
                self._emit(ev.NoticeGiven("info", NOTHING_WAITS))

    def _was_taken_back(self, command: _Ordered) -> bool:
        """Take a command out of `_unsent`; return whether it is a prompt that was taken back."""
        return bool(command.prompt_id) and self._unsent.pop(command.prompt_id, None) is None

    def _begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _work(self, connection: "Connection") -> None:
        """Execute the commands that keep their order, until cancelled."""
        self._working = connection
        while True:
            command = await self._ordered.get()
            try:
                if not self._was_taken_back(command):
                    await command.do(connection)
            except CommandError as error:
                self._emit(command.failed(str(error)))
            except asyncio.CancelledError:
                self._emit(command.failed(OVER))
                raise
            finally:
                self._ordered.task_done()

    async def _send(self, command: Send, connection: "Connection") -> None:
        if command.kept is not None and not command.kept.done():
            # Seconds that a prompt waits for the disk; then it is sent all the same.
            await asyncio.wait({command.kept}, timeout=5.0)
        if self._leaving:
            raise CommandError(ENDS)
        await connection.send(command)

    async def _ordered_done(self) -> None:
        """Wait for earlier commands, but not behind one that hangs."""
        try:
            async with asyncio.timeout(2.0):
                await self._ordered.join()
        except TimeoutError:
            _logger.info("What was sent before is overtaken")

    async def _interrupt(self) -> None:
        if self._working is None:
            return  # nothing runs yet, and queued prompts are meant to run
        await self._ordered_done()
        try:
            await self._working.interrupt()
        except CommandError as error:
            self._emit(ev.ErrorReported("interrupt", f"The turn was not interrupted: {error}"))

    def _stop(self, parked: bool = False, cause: str = "") -> None:
        self._closing = True
        self._cause = cause
        self._parked = self._parked or parked
        if self._scope is not None and not self._scope.expired():
            self._scope.reschedule(asyncio.get_running_loop().time())

    def _emit(self, event: ev.AgentEvent) -> None:
        if isinstance(event, ev.PromptReturned) and self._delivery.came_back(event.prompt_id):
            event = replace(event, kept=True)
        if not self._delivery.has(getattr(event, "prompt_id", "")):
            self._unrecorded.note(event)
        self._delivery.note(event)
        self._hold(event)
        try:
            self._listener(event)
        except Exception:  # a listener must not stop the reader
            _logger.exception("A listener of the session failed at %s", type(event).__name__)
        if isinstance(event, ev.SessionLost):
            self._release()

    def _hold(self, event: ev.AgentEvent) -> None:
        """Hold the conversation from its first prompt on, with what it takes to start it again."""
        match event:
            case ev.PromptAccepted() | ev.PromptDelivered() if not self._begun:
                self._begun = True
            case ev.ConversationReset():
                if self._held:
                    # Nothing runs it from now on: with another state it would count as killed.
                    ended = SessionFact(state=str(ev.SessionState.ENDED), cause="another began")
                    self._inbox.sessions.note(self._held, ended)
                self._release()
                self._begun = False
            case ev.Connected(mode=mode) | ev.ModeChanged(mode=mode):
                self._mode = mode
            case _:
                return
        name, settings = self.session_id, self.launch.settings
        if not (self._begun and name):
            return
        launch = {
            "model": settings.model,
            "permission_mode": self._mode,
            "effort": settings.effort,
            **{name: getattr(settings, name) for name in ASKING},
            "claude": settings.claude.lasting(),  # nothing that may be a secret
        }
        fact = SessionFact(directory=str(settings.directory), launch=launch, runs=name != self._held)
        self._held = name
        self._inbox.sessions.note(name, fact)

    def _release(self) -> None:
        if self._held:
            self._inbox.sessions.release(self._held)
        self._held = ""
