"""The service: it starts the runs of tickets, and brings their questions and answers to each other."""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Self
from uuid import NAMESPACE_OID, uuid4, uuid5

from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.load import load_settings
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.kinds import parse_outcome
from ccq_tui.inbox.open_request import Signal
from ccq_tui.inbox.requests import Cancelled
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.verdicts import InboxError, Unknown, Verdict
from ccq_tui.runtime.person import Configured
from ccq_tui.runtime.runtime import Runtime
from ccq_tui.service.desk import Desk
from ccq_tui.service.engine import Engine
from ccq_tui.service.policy import Policy
from ccq_tui.service.port import Adapter, Incoming, NewTicket, TicketMessage
from ccq_tui.service.run import Happened, Run, RunEvent, RunState
from ccq_tui.service.segments import STOPPED, Segments, lasting
from ccq_tui.service.store import RunStore, RunStoreError
from ccq_tui.service.stretch import prompts_of
from ccq_tui.service.teller import Teller
from ccq_tui.words import spoken

_logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
"""Seconds after which the service looks for what other machines and earlier processes left to do."""
LOST_SECONDS = 60.0
"""Seconds after which a run that should work is looked after."""
MOST_RUNS = 100_000
WAITS = (RunState.WAITING, RunState.PARKED)
RESTS = (*WAITS, RunState.ENDED, RunState.FAILED, RunState.STOPPED)
"""States in which no segment works or is to."""
ADOPTED = """\
Another machine worked on this before and is gone. Your worktree has what it pushed. People were asked, \
answered and wrote before:"""


class Service:
    """Runs sessions for tickets, from entering it until leaving it.

    Args:
        policy: Its repositories and limits.
        store: The URL of the database of runs, ``sqlite:///PATH`` or ``postgresql://…``.
        adapters: The adapters by their names; a run of another source is told to nobody.
        machine: The name of this machine, unique among those of the database; "" for its host name.
        state: The directory of state, with the inbox; None for that of the system.
        flags: Settings of all sessions, as the command line has them.
        environment: Variables for Claude Code, over those of this process.
        page: Returns the address of a run's page, or "".

    Attributes:
        policy: Its repositories and limits.
        adapters: The adapters by their names.
        machine: The name of this machine.
        store: The runs of all machines; its calls block, `asyncio.to_thread` takes them.
        runtime: The sessions of this process.
        inbox: The inbox of this machine, in which the requests of its runs wait.
    """

    def __init__(
        self,
        policy: Policy,
        store: str,
        adapters: Mapping[str, Adapter] | None = None,
        *,
        machine: str = "",
        state: Path | None = None,
        flags: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
        page: Callable[[Run], str] = lambda _run: "",
    ) -> None:
        self.policy = policy
        self.adapters: Mapping[str, Adapter] = dict(adapters or {})
        self.machine = machine or socket.gethostname()
        self._url = store
        self._program = ProgramArguments(flags=flags or {}, state=state, environment=environment or {})
        self._teller = Teller(self, page)
        self._news: Signal[RunEvent] = Signal()
        self._tasks: list[asyncio.Task[object]] = []
        self._routing = asyncio.Lock()
        """One message at a time: they keep their order."""

    async def __aenter__(self) -> Self:
        """Start: what is owed since the last time is done.

        Raises:
            RunStoreError: The database of runs cannot be used.
            InboxError: The inbox cannot be used.
            SettingsError: The settings of the person are wrong.
        """
        self.store = await asyncio.to_thread(RunStore.open, self._url)
        loaded = await asyncio.to_thread(lambda: load_settings(self._program.flags or {}, project=False))
        launch = Launch(settings=loaded.settings, program=self._program)
        trusted = [one.path.resolve() for one in self.policy.repositories.values()]
        self.runtime = Runtime(launch, Configured(trusted, Actor.here(Surface.PROGRAM, "ccq-tui serve")))
        self.runtime.most_live = self.policy.limits.most_runs
        self.inbox: Inbox = self.runtime.inbox
        await self.inbox.opened()
        self._segments = Segments(self, launch)
        self._desk = Desk(self)
        rooms = {name: one.most_runs for name, one in self.policy.repositories.items()}
        self._engine = Engine(self._url, self.machine, rooms, self.policy.limits.most_runs, self._segments)
        await self._engine.start()
        works = (self._desk.follow(), self._teller.run(), self._look_after())
        self._tasks = [self.runtime.run_beside(work) for work in works]
        return self

    async def __aexit__(self, *_error: object) -> None:
        """End: what works is started again at the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        await self._engine.end()
        await self.runtime.end()  # the worktrees stay: their runs go on
        await self.runtime.close_inbox()
        self.store.close()

    # -- what comes in --------------------------------------------------------------------------------------

    async def incoming(self, incoming: Incoming) -> Run | None:
        """Take what a ticket says, once; it is in the database when this returns.

        Returns:
            The run of the ticket, new or known; None for a message to a ticket that is not known yet: it is
            kept, and taken with its ticket.

        Raises:
            NoRepositoryError: No repository is configured for the ticket.
            RunStoreError: The database cannot be used now; nothing was taken.
        """
        ticket = incoming if isinstance(incoming, NewTicket) else incoming.new
        run = await asyncio.to_thread(self.store.of_ticket, incoming.source, incoming.ticket)
        if isinstance(incoming, TicketMessage):
            if run is None and incoming.stop:
                return None  # there is nothing to stop
            await asyncio.to_thread(self.store.keep, incoming)
        if run is None and ticket is not None:
            run = await self._begin(ticket)
        if run is not None and run.machine in ("", self.machine):
            self.runtime.run_beside(self.go_on(run))
        return run

    async def _begin(self, ticket: NewTicket) -> Run:
        now = datetime.now(UTC)
        said = (ticket.source, ticket.ticket, ticket.title, ticket.url, ticket.prompt)
        run = Run(secrets.token_hex(6), *said, self.policy.choose(ticket), now, now)
        run = await asyncio.to_thread(self.store.create, run)
        await self.record(run.id, Happened.STARTED, "", {})
        await self._engine.begin(run, 0)
        return run

    async def stop(self, run_id: str, actor: Actor) -> bool:
        """Stop a run at once, and return whether there was something to stop; raises `UnknownRunError`.

        A run of another machine is stopped by that, as soon as it looks.
        """
        run = await asyncio.to_thread(self.store.get, run_id)
        if run.state in (RunState.ENDED, RunState.FAILED, RunState.STOPPED):
            return False
        stop = TicketMessage(run.source, run.ticket, f"stop {uuid4()}", "", actor.called, stop=True)
        await asyncio.to_thread(self.store.keep, stop)
        if run.machine in ("", self.machine):
            await self.go_on(run)
        return True

    async def answer(self, run_id: str, request_id: str, data: Mapping[str, Any], actor: Actor) -> Verdict:
        """Settle a request of a run with an answer in the inbox's public form; the first answer wins.

        Raises:
            UnknownRunError: There is no such run.
            InvalidOutcome: The answer is not one to this request.
            InboxError: The inbox cannot be used now.
        """
        run = await asyncio.to_thread(self.store.get, run_id)
        found = await self.inbox.run(lambda store: store.requests.get(request_id))
        if found is None or found.request.session_id != run.session:
            return Unknown()
        return await self.inbox.answer(request_id, parse_outcome(found.request, data), actor)

    async def requests(self, run: Run) -> list[StoredRequest]:
        """Return the requests of a run that wait on this machine, oldest first; raises `InboxError`."""
        if not run.session:
            return []
        return await self.inbox.run(lambda store: store.requests.waiting(run.session))

    # -- what happens ---------------------------------------------------------------------------------------

    async def record(self, run_id: str, kind: Happened, what: str, body: Mapping[str, Any]) -> RunEvent:
        """Record what happened in a run, as `RunStore.record`; it is told to the ticket and to followers."""
        event = await lasting(self.store.record, run_id, kind, what, body)
        self._teller.notice()
        self._news.emit(event)
        return event

    def subscribe(self, listener: Callable[[RunEvent], None]) -> Callable[[], None]:
        """Call ``listener`` with each event that this machine records; return what ends that."""
        return self._news.subscribe(listener)

    async def answered(self, run_id: str) -> None:
        """Go on with a run, if it waits and nothing of it waits for a person any more."""
        run = await lasting(self.store.get, run_id)
        self.runtime.run_beside(self.go_on(run))  # whoever calls this may be asked next what a message means

    async def route(self, run: Run) -> list[TicketMessage]:
        """Give messages that answer something to it; return the others, which are to prompt the session."""
        async with self._routing:
            prompts = []
            for message in await lasting(self.store.kept, run):
                if not message.stop and await self._desk.take(run, message):
                    await lasting(self.store.taken, message)
                elif not message.stop:
                    prompts.append(message)
            return prompts

    async def go_on(self, run: Run) -> None:
        """Do what the messages and answers of a run want: stop, answer, prompt, begin the next segment."""
        try:
            await self._go_on(run)
        except InboxError as error:
            _logger.warning("Run %s goes on later: %s", run.id, error)

    async def _go_on(self, run: Run) -> None:
        kept = await lasting(self.store.kept, run)
        if stops := [message for message in kept if message.stop]:
            if (talk := self._segments.live.get(run.id)) is not None:
                talk.stop()  # its end comes back here
                return
            if await self._close(run, RunState.STOPPED, "response", STOPPED, "stopped") or run.state in RESTS:
                for message in stops:
                    await lasting(self.store.taken, message)
            return
        prompts = await self.route(run)
        if (talk := self._segments.live.get(run.id)) is not None:
            talk.send(prompts_of(run, prompts)[1:])
            return
        run = await lasting(self.store.get, run.id)
        if run.state in RESTS and not await self.requests(run) and (prompts or run.state in WAITS):
            await self.begin_next(run)

    async def begin_next(self, run: Run) -> None:
        """Begin the next segment of a run that rests, or whose segment is not gone on with."""
        changes = {"segment": run.segment + 1}
        if await lasting(self.store.move, run.id, [run.state], RunState.QUEUED, **changes):
            await self._engine.begin(run, run.segment + 1)

    async def _close(self, run: Run, state: RunState, end: str, text: str, what: str) -> bool:
        """End a run that waits or is queued, and withdraw what it asked; return whether it was one."""
        before = [RunState.QUEUED, *WAITS]
        if not await lasting(self.store.move, run.id, before, state, result=text):
            return False
        await self.record(run.id, Happened.ENDED, f"{what} {run.segment}", {"end": end, "text": text})
        for waiting in await self.requests(run):
            self.inbox.answer(waiting.request.id, Cancelled(text), Actor.here(Surface.LIMIT))
        return True

    # -- looking after runs ---------------------------------------------------------------------------------

    async def _look_after(self) -> None:
        """Do what no message, answer or process that is gone can bring about."""
        number = 0
        while True:
            try:
                await self._look(whole=number % int(LOST_SECONDS / LOOK_SECONDS) == 0)
            except (RunStoreError, InboxError) as error:
                _logger.warning("Runs are looked after later: %s", error)
            number += 1
            await asyncio.sleep(LOOK_SECONDS)

    async def _look(self, *, whole: bool) -> None:
        store, machine = self.store, self.machine
        for run in await asyncio.to_thread(store.left, machine):
            await self.go_on(run)
        counts = await self.inbox.run(lambda store: store.requests.waiting_counts())
        late = datetime.now(UTC) - timedelta(seconds=self.policy.limits.question)
        for run in await asyncio.to_thread(store.list, WAITS, machine, MOST_RUNS):
            if not counts.get(run.session):
                await self.go_on(run)
            elif run.state is RunState.WAITING and run.changed < late:
                await self._park(run)
        if whole:
            await asyncio.to_thread(store.forget_old)
            await self._find_lost()

    async def _park(self, run: Run) -> None:
        """Tell the ticket of a run that nobody answered in time."""
        time = spoken(self.policy.limits.question)
        if self.policy.limits.on_timeout == "abort":
            text = f"Nobody answered within {time}, and nothing was chosen. A message here continues it."
            await self._close(run, RunState.FAILED, "error", text, "timeout")
            return
        text = f"Nobody has answered for {time}. It waits on; an answer here continues it at any time."
        await self.record(run.id, Happened.PARKED, str(run.segment), {"text": text})
        await lasting(self.store.move, run.id, [RunState.WAITING], RunState.PARKED)

    async def _find_lost(self) -> None:
        """Begin segments again that are queued or work in the database alone, since a process was killed."""
        states = (RunState.QUEUED, RunState.WORKING)
        for run in await asyncio.to_thread(self.store.list, states, "", MOST_RUNS):
            known = run.repository in self.policy.repositories
            is_near = run.machine == self.machine if run.machine else known
            if not is_near or run.id in self._segments.live:
                continue
            if not await self._engine.is_going(run.id, run.segment):
                if run.state is RunState.WORKING:
                    await self.begin_next(run)
                else:
                    await self._engine.begin(run, run.segment)

    async def adopt(self, machine: str) -> list[Run]:
        """Take over the runs of a machine that is gone, by their pushed branches; return them.

        Each gets a new session, which is told what was asked, answered and said so far. What the machine had
        not pushed stays there.
        """
        adopted = []
        for run in await asyncio.to_thread(self.store.list, (), machine, MOST_RUNS):
            if run.repository not in self.policy.repositories:
                continue
            story = await asyncio.to_thread(self._story, run)
            told = TicketMessage(run.source, run.ticket, f"adopted {machine} {run.segment}", story)
            await asyncio.to_thread(self.store.keep, told)
            session = str(uuid5(NAMESPACE_OID, f"ccq-tui run {run.id} on {self.machine} {run.segment}"))
            changes = {"machine": self.machine, "session": session, "segment": run.segment + 1}
            goes_on = run.state in (RunState.QUEUED, RunState.WORKING, *WAITS)
            to = RunState.QUEUED if goes_on else run.state
            if await asyncio.to_thread(
                partial(self.store.move, run.id, [run.state], to, directory="", **changes)
            ):
                run = await asyncio.to_thread(self.store.get, run.id)
                adopted.append(run)
                if goes_on:
                    await self._engine.begin(run, run.segment)
        return adopted

    def _story(self, run: Run) -> str:
        """Return what was asked, answered and said in a run; reads the database."""
        told = (Happened.ASKED, Happened.ANSWERED, Happened.ENDED)
        events = [one for one in self.store.events(run.id, limit=MOST_RUNS) if one.kind in told]
        lines = [f"- {one.kind}: {one.body.get('text', '')}" for one in events]
        lines += [f"- a person wrote: {one.text}" for one in self.store.kept(run, whole=True) if not one.stop]
        return "\n".join([ADOPTED, *lines])
