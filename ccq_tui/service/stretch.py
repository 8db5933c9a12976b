"""A stretch of a run's session: until it asks, ends, fails, is stopped, or takes too long."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from uuid import NAMESPACE_OID, uuid4, uuid5

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude.orphans import end_leftovers
from ccq_tui.agent.claude.records import Recorded, last_words, recorded, taken
from ccq_tui.agent.controls import Send
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import PermissionRequest
from ccq_tui.runtime.phases import Phase
from ccq_tui.runtime.runtime import NotOpenedError, Runtime
from ccq_tui.runtime.session import SupervisedSession
from ccq_tui.service.policy import RunLimits
from ccq_tui.service.port import TicketMessage
from ccq_tui.service.run import Happened, Run, RunState
from ccq_tui.words import spoken

CONTINUE = (
    "The process that you worked in was ended by accident. Go on where you were interrupted. "
    "If everything was done already, give your final message again."
)
TRIES = 3
"""Starts of the session's process before a run fails with it."""
PARK_SECONDS = 15.0
"""Seconds between two tries to park; one may come to nothing, and takes less."""


Happenings = asyncio.Queue[tuple[Happened, str, Mapping[str, Any]]]
"""What happens in the run, to be recorded: the kind, what distinguishes it from others, the details."""
End = dict[str, str]
"""How a stretch ended, as JSON: ``end`` is the state of the run after it, ``text`` the words."""


def prompts_of(run: Run, kept: Sequence[TicketMessage]) -> list[Send]:
    """Return what the session of a run is to read: what its ticket asks for, and the messages to it.

    The id of each shows in the session's record whether it was read.
    """
    texts = {"prompt": run.prompt} | {f"message {one.id}": one.text for one in kept}
    return [Send(text, str(uuid5(NAMESPACE_OID, f"{run.session} {name}"))) for name, text in texts.items()]


async def begun_or_new(launch: Launch, session_id: str) -> Launch:
    """Return the launch of a session whose program ended before Claude was known to have read anything.

    A process of it that is still there is ended.

    Args:
        launch: Its launch otherwise.
        session_id: The id that was chosen for it.

    Returns:
        The launch that resumes it if its record has messages, else begins it under its id, or under
        another one if the CLI would refuse that.
    """
    await end_leftovers(session_id)
    match await asyncio.to_thread(recorded, launch, session_id):
        case Recorded.MESSAGES:
            return replace(launch, resume=session_id, chosen_id="")
        case Recorded.NOTHING:
            return replace(launch, chosen_id=session_id)
        case Recorded.NO_MESSAGE:
            return replace(launch, chosen_id=str(uuid4()))


class Stretch:
    """One stretch of a session. It continues what an earlier process of the service left of it.

    Args:
        runtime: The runtime, which starts the session.
        run: The run, with the id of its session.
        limits: The limits of runs.
        happenings: Gets what happens.

    Attributes:
        read: The prompts that the session has read.
    """

    def __init__(self, runtime: Runtime, run: Run, limits: RunLimits, happenings: Happenings) -> None:
        self.read: set[str] = set()
        self._runtime = runtime
        self._run = run
        self._limits = limits
        self._happenings = happenings
        self._session: SupervisedSession | None = None
        self._news = asyncio.Event()
        self._stopped = False
        self._sent: set[str] = set()
        self._unread: set[str] = set()
        """The prompts that were sent, or are to be, and have not reached Claude."""
        self._returned = False
        """Whether a prompt came back unread, as the session was parked."""
        self._met: set[str] = set()
        """The requests that the session's process has come to."""
        self._text: tuple[str, str] = ("", "")
        """The last text of Claude, with its key: recorded once something follows, else it is the result."""
        self._ended: ev.TurnEnded | None = None
        self._lost: ev.SessionLost | None = None
        self._connected = False
        self._words = ""
        """The result, if the session's record shows that its work was done before."""

    def stop(self, why: str) -> None:
        """End at once, with these words."""
        self._stopped, self._words = True, why
        self._news.set()

    def send(self, prompts: Sequence[Send]) -> None:
        """Give the session, where it runs, the prompts that it was not given yet."""
        new = [one for one in prompts if one.prompt_id not in self._sent]
        if self._session is not None and self._connected and new:
            # In one message: the record then shows by the last id that all were read.
            self._sent |= {one.prompt_id for one in new}
            self._unread = self._unread - self._sent | {new[-1].prompt_id}
            self._ended = None
            self._session.agent.put(Send("\n\n".join(one.text for one in new), new[-1].prompt_id))

    async def run(self, launch: Launch, prompts: Sequence[Send]) -> End:
        """Run the conversation until it ends or waits for a person.

        Args:
            launch: The launch of a session in the run's worktree.
            prompts: What the session is to read, in order; what it has read already is not sent.

        Returns:
            How it ended; "again" with the session to go on in: a new one, as Claude cannot begin under the
            run's, or the same, as a prompt came back unread.
        """
        tries = 0
        while tries < TRIES:
            if self._stopped:
                return {"end": RunState.STOPPED, "text": self._words}
            try:
                if (end := await self._once(launch, prompts)) is not None:
                    return end
                tries += 1
            except NotOpenedError as error:
                if "another ccq-tui" not in str(error):
                    return {"end": RunState.FAILED, "text": f"The session {error}."}
                # Seconds after which it is looked again whether a person still has the session open.
                await asyncio.sleep(2.0)  # a person continues it
        return {
            "end": RunState.FAILED,
            "text": f"The session ended: {self._lost.reason if self._lost else ''}",
        }

    async def _once(self, launch: Launch, prompts: Sequence[Send]) -> End | None:
        """Run the conversation in one process of Claude; None if that was lost."""
        name, inbox = self._run.session, self._runtime.inbox
        launch = await begun_or_new(launch, name)
        waiting = await inbox.run(lambda store: store.requests.waiting(name))
        if any(kind_of(one.request).OUTLIVES for one in waiting):
            return {"end": RunState.WAITING, "text": ""}
        left = await inbox.run(lambda store: store.requests.undelivered(name))
        expected = frozenset(one.request.id for one in left if kind_of(one.request).OUTLIVES)
        read = await asyncio.to_thread(taken, launch, {one.prompt_id: name for one in prompts})
        found = (number for number, one in enumerate(prompts) if one.prompt_id in read)
        last = max(found, default=0 if launch.resume else -1)  # the first one is part of any message
        self.read |= {one.prompt_id for one in prompts[: last + 1]}
        unread = prompts[last + 1 :]
        if not (expected or unread) and (words := await asyncio.to_thread(last_words, launch, name)):
            return {"end": RunState.ENDED, "text": words}
        if launch.chosen_id not in ("", name):
            return {"end": "again", "text": launch.chosen_id}
        session = await self._runtime.begin(launch)
        self._session, self._lost, self._ended, self._connected = session, None, None, False
        self._sent, self._met, self._returned = set(self.read), set(), False
        self._unread = {one.prompt_id for one in unread}
        session.subscribe(self._handle)
        supplying = asyncio.create_task(self._supply(launch, expected, unread))
        try:
            return await self._watch(session)
        finally:
            supplying.cancel()
            self._session = None
            await session.end("its run waits or has ended")
            self._runtime.forget(session)

    async def _supply(self, launch: Launch, expected: frozenset[str], unread: Sequence[Send]) -> None:
        """Give a session what it waits for: an answer that it expects comes by itself."""
        while not self._connected:
            self._news.clear()
            await self._news.wait()
        try:
            # Seconds in which a resumed session must come to the question whose answer it expects.
            async with asyncio.timeout(30.0):
                while not expected <= self._met:
                    self._news.clear()
                    await self._news.wait()
            # What the record shows to have come before is marked by now.
            name = self._run.session
            left = await self._runtime.inbox.run(lambda store: store.requests.undelivered(name))
            came = expected.isdisjoint(one.request.id for one in left)
        except TimeoutError:
            came = True
        if unread:
            self.send(unread)
        elif came and (words := await asyncio.to_thread(last_words, launch, self._run.session)):
            self._words = words
            self._news.set()
        elif came:
            self.send([Send(CONTINUE)])

    async def _watch(self, session: SupervisedSession) -> End | None:
        """Wait for the end of the stretch, within its limits."""
        clock = asyncio.get_running_loop().time
        worked = waited = parked_at = 0.0
        while True:
            self._news.clear()
            # The inbox has a request a moment before the session can be parked for it.
            waits = any(one.request.id in self._met for one in session.waiting)
            if self._stopped:
                return {"end": RunState.STOPPED, "text": self._words}
            if session.stage.phase in {Phase.PARKED, Phase.RESTING, Phase.CLOSED}:
                return self._rested(session)
            if self._words:
                return {"end": RunState.ENDED, "text": self._words}
            if self._ended and session.can_give_way and not self._unread:
                if not self._returned:
                    return self._responded(self._ended)
                self._record_text()
                return {"end": "again", "text": self._run.session}
            if waits and not session.why_not_parkable and clock() - parked_at >= PARK_SECONDS:
                parked_at = clock()
                session.agent.park("its ticket is asked")
            waited = waited if waits else 0.0
            left = self._limits.permission - waited if waits else self._limits.work - worked
            if left <= 0:
                return self._too_long(waits)
            before = clock()
            with suppress(TimeoutError):  # it is looked above what that means
                async with asyncio.timeout(min(left, PARK_SECONDS)):
                    await self._news.wait()
            passed = clock() - before
            worked, waited = (worked, waited + passed) if waits else (worked + passed, 0.0)

    def _rested(self, session: SupervisedSession) -> End | None:
        if session.facts.state is ev.SessionState.PARKED:
            return {"end": RunState.WAITING, "text": ""}
        text = f"The session was ended: {self._lost.reason}" if self._lost and self._lost.reason else ""
        is_over = session.facts.state is ev.SessionState.ENDED
        return {"end": RunState.STOPPED, "text": text} if is_over else None

    def _responded(self, turn: ev.TurnEnded) -> End:
        if turn.is_error:
            return {"end": RunState.FAILED, "text": turn.text or f"The turn was interrupted ({turn.reason})."}
        return {"end": RunState.ENDED, "text": self._text[1] or "Done."}

    def _too_long(self, waits: bool) -> End:
        text = f"The session worked for {spoken(self._limits.work)}, the limit, and was ended."
        if waits:
            time = spoken(self._limits.permission)
            text = f"Nobody decided within {time}, so the session was ended, and nothing was allowed."
        return {"end": RunState.FAILED, "text": f"{text} A message here continues it."}

    # -- what the session does ------------------------------------------------------------------------------

    def _handle(self, event: ev.AgentEvent) -> None:
        match event:
            case ev.BlockFinished():
                self._record_text()
                if event.kind is ev.BlockKind.TEXT and not event.key.parent and event.text.strip():
                    self._text = f"{event.key.message_id}:{event.key.index}", event.text.strip()
            case ev.ToolStarted(parent=""):
                self._record_text()
                self._record_call(event)
            case ev.RequestAsked(request):
                self._record_text()
                self._met.add(request.id)
            case ev.RequestSettled(request_id=name):
                self._met.add(name)
            case _:
                self._note(event)
        self._news.set()

    def _note(self, event: ev.AgentEvent) -> None:
        match event:
            case ev.Connected():
                self._connected = True
            case ev.PromptDelivered(prompt_id=name):
                self._unread.discard(name)
                self.read |= self._sent
            case ev.PromptReturned(prompt_id=name):
                self._unread.discard(name)
                self._returned = True
            case ev.TurnEnded():
                self._ended = event
            case ev.StateChanged(ev.SessionState.WORKING):
                self._ended = None
            case ev.SessionLost():
                self._lost = event

    def _record_text(self) -> None:
        key, text = self._text
        if text:
            body = {"kind": "thought", "text": text, "parameter": ""}
            self._happenings.put_nowait((Happened.SAID, key, body))
        self._text = ("", "")

    def _record_call(self, call: ev.ToolStarted) -> None:
        if call.tool == "AskUserQuestion":
            return  # it is asked
        asked = PermissionRequest(call.tool_use_id, "", call.tool, call.input)
        summary = kind_of(asked).summary(asked).removeprefix(call.tool).lstrip(": ")
        body = {"kind": "action", "text": call.tool, "parameter": summary}
        self._happenings.put_nowait((Happened.SAID, call.tool_use_id, body))
