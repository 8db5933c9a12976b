"""The service: it starts the runs of tickets, and brings their questions and answers to each other."""

import asyncio
import logging
import secrets
import socket
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.load import load_settings
from ccq_tui.config.paths import state_dir
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.kinds import parse_outcome
from ccq_tui.inbox.open_request import Signal
from ccq_tui.inbox.requests import Cancelled
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError, Unknown, Verdict
from ccq_tui.runtime.person import Configured
from ccq_tui.runtime.runtime import Runtime
from ccq_tui.service import authority, port
from ccq_tui.service.desk import Desk, act_of
from ccq_tui.service.isolation import isolation
from ccq_tui.service.outbox import Outbox
from ccq_tui.service.people import Participant, RunAct
from ccq_tui.service.policy import NoRepositoryError, Policy
from ccq_tui.service.run import OVER, WAITS, WORKS, Happened, Run, RunEvent, RunState
from ccq_tui.service.segment import clear, prompts_of, why_stopped
from ccq_tui.service.segments import Segments
from ccq_tui.service.store import MOST_RUNS, RunStore, RunStoreError, lasting
from ccq_tui.text import one_line
from ccq_tui.timeouts import set_within
from ccq_tui.words import spoken

_logger = logging.getLogger(__name__)

POLL_SECONDS = 1.0
"""Seconds after which the service looks for what other machines and earlier processes left to do."""
FORGET_SECONDS = 15.0
"""Seconds after which it looks for what is kept no longer."""


class Service:
    """Runs sessions for tickets, from entering it until leaving it.

    Args:
        policy: Its repositories and limits.
        store: The URL of the database of runs, ``sqlite:///PATH`` or ``postgresql://…``.
        adapters: The adapters by their names; the events of a run of another source are not sent.
        machine: The name of this machine, unique among those of the database; "" for its host name.
        state: The directory of state, with the inbox; None for that of the system.
        environment: Variables for Claude Code, over those of this process.
        page: Returns the address of a run's page, or "".

    Its attributes are those of `Runs`, for its parts and for those who serve it.
    """

    def __init__(
        self,
        policy: Policy,
        store: str,
        adapters: Mapping[str, port.Adapter] | None = None,
        *,
        machine: str = "",
        state: Path | None = None,
        environment: Mapping[str, str] | None = None,
        page: Callable[[Run], str] = lambda _run: "",
    ) -> None:
        self.policy = policy
        self.adapters: Mapping[str, port.Adapter] = dict(adapters or {})
        self.machine = machine or socket.gethostname()
        self._url = store
        self._program = ProgramArguments(flags={}, state=state, environment=environment or {})
        self._outbox = Outbox(self, page)
        self._news: Signal[RunEvent] = Signal()
        self._tasks: list[asyncio.Task[object]] = []
        self._changed = asyncio.Event()
        """Set when tickets are to be asked at once."""
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
        await asyncio.to_thread(self.store.claim, self.machine)
        loaded = await asyncio.to_thread(load_settings, project=False)
        state = self._program.state or state_dir()
        hidden = [name for name, value in self._program.environment.items() if not value]
        self.isolation = await asyncio.to_thread(isolation, self.policy.sessions, state, hidden)
        environment = {**self._program.environment, **self.isolation.environment}
        launch = Launch(settings=loaded.settings, program=replace(self._program, environment=environment))
        trusted = [one.path.resolve() for one in self.policy.repositories.values()]
        self.runtime = Runtime(launch, Configured(trusted, Actor.here(Surface.PROGRAM, "ccq-tui serve")))
        self.runtime.most_live = self.policy.limits.most_runs
        self.inbox: Inbox = self.runtime.inbox
        await self.inbox.opened()
        self._segments = Segments(self)
        self._desk = Desk(self)
        parts = (self._desk.follow(), self._outbox.run(), self._segments.run())
        works = (*parts, self._maintain(), self._ask_tickets())
        self._tasks = [self.runtime.run_beside(work) for work in works]
        return self

    async def __aexit__(self, *_error: object) -> None:
        """End: what works is started again at the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        await self.runtime.end()  # the worktrees stay: their runs continue
        await self.runtime.close_inbox()
        self.store.close()

    # -- what comes in --------------------------------------------------------------------------------------

    async def incoming(self, incoming: port.Incoming) -> Run | None:
        """Take what a ticket says, once; it is in the database when this returns.

        Returns:
            The run of the ticket, new or known; None for a message to a ticket that is not known yet: it is
            kept, and taken with its ticket.

        Raises:
            RunStoreError: The database cannot be used now; it is to come again.
        """
        if isinstance(incoming, port.TicketsChanged):
            self._changed.set()
            return None
        ticket = incoming if isinstance(incoming, port.NewTicket) else incoming.new
        run = await asyncio.to_thread(self.store.of_ticket, incoming.source, incoming.ticket)
        if isinstance(incoming, port.TicketMessage) and incoming.stop:
            if run is None:
                await self._keep(incoming, run)
                return None
            if not await self._may_stop(run, incoming):
                return run
        if isinstance(incoming, port.TicketMessage) and run is not None and not run.repository:
            run = await self._name(run, incoming)
        elif ticket is not None and (run is None or not run.repository):
            run = await self._begin(ticket, run)
        if isinstance(incoming, port.TicketMessage):
            await self._keep(incoming, run)
        if run is not None and run.machine in ("", self.machine):
            self.runtime.run_beside(self.advance(run))
        return run

    async def _keep(self, message: port.TicketMessage, run: Run | None) -> None:
        """Keep a message; one to a ticket that is not known is for one that comes after it."""
        if run is None and len(await asyncio.to_thread(self.store.unknown, [message])):
            place = one_line(f"{message.source}: {message.ticket}", 200)
            _logger.warning("A message for a ticket that has no run is kept for it (%s)", place)
        await asyncio.to_thread(self.store.keep, message)

    async def _may_stop(self, run: Run, message: port.TicketMessage) -> bool:
        """Return whether a stop counts; that of a person who may not is refused."""
        if refused := await authority.refuses(self, run, message, RunAct.STOP):
            await asyncio.to_thread(self.store.taken, message)
        return not refused

    async def _name(self, run: Run, message: port.TicketMessage) -> Run:
        """Take the repository that a reply to “Name one” names, if it is one for the ticket."""
        named = self.policy.named(message.text)
        if not named and message.new is None:
            return run
        ticket = message.new or port.NewTicket(
            run.source, run.ticket, run.title, run.prompt, people=run.people
        )
        ticket = replace(ticket, repository=named or ticket.repository, by_text=True, person=message.person)
        return await self._begin(ticket, run)

    async def _begin(self, ticket: port.NewTicket, run: Run | None) -> Run:
        """Begin the run of a ticket; without a repository it fails at once, until a message finds it one."""
        try:
            repository, problem = self.policy.choose(ticket), ""
            problem = self.policy.refusal(ticket.person, RunAct.START, repository, ticket.people)
        except NoRepositoryError as error:
            repository, problem = "", str(error)
        repository = "" if problem else repository
        if run is not None:
            return await asyncio.to_thread(partial(self.store.update, run.id, repository=repository))
        now = datetime.now(UTC)
        fields = (ticket.source, ticket.ticket, ticket.title, ticket.url, ticket.prompt, repository, now, now)
        machine, link = self.machine if problem else "", secrets.token_hex(8)
        more: dict[str, Any] = {"result": problem, "people": ticket.people, "kind": ticket.kind}
        run = Run(secrets.token_hex(6), *fields, machine, link=link, **more)
        run = await asyncio.to_thread(self.store.create, run)
        for message in await asyncio.to_thread(self.store.kept, run):
            if message.stop and await self._may_stop(run, message):
                return run
        await self.record(run.id, Happened.STARTED, "", {})
        self._segments.notice()
        surface = Surface.TICKET if run.source in self.adapters else Surface.PROGRAM
        actor = Actor(surface, ticket.person.called, device=ticket.person.id)
        await authority.acted(self, run, "", RunAct.START, actor, refused=problem)
        self.runtime.run_beside(self._ask_ticket(run))
        return run

    async def stop(self, run_id: str, person: Participant, surface: Surface = Surface.PROGRAM) -> bool:
        """Stop a run at once, and return whether there was something to stop.

        A run of another machine is stopped by that, as soon as it looks.

        Raises:
            UnknownRunError: There is no such run.
            NotAllowedError: The person may not.
        """
        run = await asyncio.to_thread(self.store.get, run_id)
        if run.state in OVER:
            return False
        await authority.check(self, run, person, RunAct.STOP, surface)
        source = (run.source, run.ticket, f"stop {uuid4()}")
        await self.incoming(port.TicketMessage(*source, "", person, stop=True, surface=surface))
        return True

    async def answer_request(
        self,
        run_id: str,
        request_id: str,
        data: Mapping[str, Any],
        person: Participant,
        surface: Surface = Surface.PROGRAM,
    ) -> Verdict:
        """Settle a request of a run with an answer in the inbox's public form; the first answer wins.

        Raises:
            UnknownRunError: There is no such run.
            NotAllowedError: The person may not.
            InvalidOutcome: The answer is not one to this request.
            InboxError: The inbox cannot be used now.
        """
        run = await asyncio.to_thread(self.store.get, run_id)
        found = await self.inbox.run(lambda store: store.requests.get(request_id))
        if found is None or found.request.session_id != run.session:
            return Unknown()
        await authority.check(self, run, person, act_of(found.request), surface)
        actor = Actor.here(surface, person.name, person.id)
        return await self.inbox.settle(request_id, parse_outcome(found.request, data), actor)

    async def requests(self, run: Run) -> list[StoredRequest]:
        """Return the requests of a run that wait on this machine, oldest first; raises `InboxError`."""
        if not run.session:
            return []
        return await self.inbox.run(lambda store: store.requests.waiting(run.session))

    # -- what happens ---------------------------------------------------------------------------------------

    async def record(self, run_id: str, kind: Happened, what: str, body: Mapping[str, Any]) -> None:
        """Record what happened in a run, once; it is sent to the ticket and to followers."""
        if (event := await lasting(self.store.record, run_id, kind, what, body)) is not None:
            self._outbox.notice()
            self._news.emit(event)

    def subscribe(self, listener: Callable[[RunEvent], None]) -> Callable[[], None]:
        """Call ``listener`` with each event that this machine records; return what ends that."""
        return self._news.subscribe(listener)

    async def route(self, run: Run) -> list[port.TicketMessage]:
        """Give messages that answer something to it; return the others, which are to prompt the session."""
        async with self._routing:
            prompts = []
            for message in await lasting(self.store.kept, run):
                if message.stop:
                    continue
                taken = await self._desk.take(run, message)
                if taken or await authority.refuses(self, run, message, RunAct.PROMPT):
                    await lasting(self.store.taken, message)
                else:
                    await authority.acted(self, run, message.id, RunAct.PROMPT, message.actor)
                    prompts.append(message)
            return prompts

    async def advance(self, run: Run) -> None:
        """Do what the messages and answers of a run ask for: stop, answer, prompt, begin the next segment."""
        try:
            await self._advance(run)
        except InboxError as error:
            _logger.warning("Run %s continues later: %s", run.id, error)

    async def _advance(self, run: Run) -> None:
        kept = await lasting(self.store.kept, run)
        if why := why_stopped(kept):
            if (segment := self._segments.live.get(run.id)) is not None:
                segment.stop(why)  # its end comes back here
                return
            closed = await self._close(run, RunState.STOPPED, "response", why, "stopped")
            if closed or run.state not in WORKS:
                for message in (one for one in kept if one.stop):
                    await authority.acted(self, run, message.id, RunAct.STOP, message.actor)
                    await lasting(self.store.taken, message)
            return
        prompts = await self.route(run)
        if (segment := self._segments.live.get(run.id)) is not None:
            segment.send(prompts_of(segment.run, prompts)[1:])
            return
        run = await lasting(self.store.get, run.id)
        if run.state is RunState.FAILED:  # it would fail again by what it failed with
            prompts = [*await lasting(self.store.kept, run, after=run.changed)]
        if run.state is RunState.STOPPED and prompts:  # what came before the stop does not undo it
            messages = await lasting(self.store.kept, run, whole=True)
            stopped = max((place for place, one in enumerate(messages) if one.stop), default=-1)
            prompts = [one for one in prompts if one in messages[stopped + 1 :]]
        if run.state not in WORKS and not await self.requests(run) and (prompts or run.state in WAITS):
            await lasting(self.store.move, run, RunState.QUEUED, segment=run.segment + 1)
            self._segments.notice()

    async def withdraw(self, run: Run, why: str) -> None:
        """Withdraw what a run asked."""
        for waiting in await self.requests(run):
            await self.inbox.settle(waiting.request.id, Cancelled(why), Actor.here(Surface.LIMIT))

    async def _close(self, run: Run, state: RunState, end: str, text: str, what: str) -> bool:
        """Withdraw what a run asked, and end it if it waits or is queued; return whether it was one."""
        await self.withdraw(run, text)
        run = await lasting(self.store.get, run.id)
        if run.state not in (RunState.QUEUED, *WAITS):
            return False
        text = await clear(self, run, state, text)
        # The event for its ticket first: a service that is killed now does both again.
        await self.record(run.id, Happened.ENDED, f"{what} {run.segment}", {"end": end, "text": text})
        return await lasting(self.store.move, run, state, result=text)

    # -- looking after runs ---------------------------------------------------------------------------------

    async def _maintain(self) -> None:
        """Do what no message or answer brings about."""
        for number in count():
            try:
                await self._advance_runs()
                if number % int(FORGET_SECONDS / POLL_SECONDS) == 0:
                    await self._forget_old()
            except (RunStoreError, InboxError) as error:
                _logger.warning("Runs are looked after later: %s", error)
            await asyncio.sleep(POLL_SECONDS)

    async def _advance_runs(self) -> None:
        store, machine = self.store, self.machine
        for run in await asyncio.to_thread(store.left, machine):
            await self.advance(run)
        counts = await self.inbox.run(lambda store: store.requests.waiting_counts())
        late = datetime.now(UTC) - timedelta(seconds=self.policy.limits.question)
        for run in await asyncio.to_thread(store.list, WAITS, machine, MOST_RUNS):
            if not counts.get(run.session):
                await self.advance(run)
            elif run.state is RunState.WAITING and run.changed < late:
                await self._park(run)

    async def _ask_tickets(self) -> None:
        """Ask the tickets of open runs what no webhook brought, first what came while no service ran."""
        while True:
            self._changed.clear()
            for run in await lasting(self.store.list, [*WORKS, *WAITS], self.machine, MOST_RUNS):
                await self._ask_ticket(run)
            # Seconds after which tickets are asked again what they say.
            await set_within(self._changed, 900.0)

    async def _ask_ticket(self, run: Run) -> None:
        if (adapter := self.adapters.get(run.source)) is None:
            return
        try:
            for message in await asyncio.to_thread(self.store.unknown, await adapter.missed(run)):
                if message.surface is Surface.LIMIT:  # the ticket itself says it, and no person
                    await asyncio.to_thread(self.store.keep, message)
                    await self.advance(run)
                else:
                    await self.incoming(message)
        except (port.RetryLaterError, port.RefusedError, RunStoreError) as error:
            _logger.warning("The ticket of run %s is asked later what it says: %s", run.id, error)

    async def _park(self, run: Run) -> None:
        """Report to the ticket of a run that no answer came in time."""
        time = spoken(self.policy.limits.question)
        if self.policy.limits.on_timeout == "abort":
            text = f"Nobody answered within {time}, and nothing was chosen. A message here continues it."
            await self._close(run, RunState.FAILED, "error", text, "timeout")
            return
        text = f"Nobody has answered for {time}. It waits on; an answer here continues it at any time."
        await self.record(run.id, Happened.PARKED, str(run.segment), {"text": text})
        await lasting(self.store.move, run, RunState.PARKED)

    async def _forget_old(self) -> None:
        """Forget what is kept no longer: as `ccq-tui serve forget`, but for the audit."""
        limits = self.policy.limits
        await asyncio.to_thread(self.store.forget_old, limits.keep_audit)
        if limits.keep is not None:
            for run in await asyncio.to_thread(self.store.over, self.machine, limits.keep):
                await self.inbox.run(partial(forget_session, session=run.session))
                await asyncio.to_thread(self.store.forget, run)


def forget_session(inbox: Store, session: str) -> None:
    """Delete what an inbox has of a session that has ended; raises `InboxError`."""
    inbox.requests.forget(session)
    inbox.sessions.forget(session)
