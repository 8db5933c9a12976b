"""A desk between a real inbox and a real database of runs, and what is recorded for its ticket."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

from ccq_tui.inbox.requests import Request
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.service.desk import Desk
from ccq_tui.service.people import Participant
from ccq_tui.service.policy import Policy, Repository
from ccq_tui.service.port import Adapter, TicketMessage
from ccq_tui.service.run import Happened, Run, RunEvent
from ccq_tui.service.store import RunStore
from tests.memory_inbox import MemoryInbox

SESSION = "11111111-1111-4111-8111-111111111111"


def run(ticket: str = "ticket", source: str = "linear", machine: str = "here") -> Run:
    """Return a run as it was just created."""
    now = datetime.now(UTC)
    values = {"title": "A title", "url": "", "prompt": "Do it.", "repository": "demo"}
    session = SESSION if ticket == "ticket" else ""
    return Run(
        uuid4().hex[:12], source, ticket, **values, created=now, changed=now, machine=machine, session=session
    )


def event(happened: Happened, text: str = "", event_id: str = "", **body: Any) -> RunEvent:
    """Return an event as the outbox sends it."""
    return RunEvent(event_id or str(uuid4()), "abc", 1, happened, datetime.now(UTC), {"text": text} | body)


class Host:
    """What a part of the service of a machine needs of the whole; runs go on by themselves."""

    def __init__(self, directory: Path, *adapters: Adapter, machine: str = "here") -> None:
        self.machine = machine
        self.store = RunStore.open(f"sqlite:///{directory / 'runs.db'}")
        self.inbox = MemoryInbox()
        self.policy = Policy({"demo": Repository(directory, answer=("linear:ann",), allow=("linear:ann",))})
        self.adapters = {one.name: one for one in adapters}
        self.runtime = SimpleNamespace(run_beside=asyncio.create_task)
        self.continued = 0

    async def requests(self, run: Run) -> list[StoredRequest]:
        return await self.inbox.run(lambda store: store.requests.waiting(run.session))

    async def record(self, run_id: str, kind: Happened, what: str, body: Mapping[str, Any]) -> None:
        self.store.record(run_id, kind, what, body)

    async def advance(self, _run: Run) -> None:
        self.continued += 1


class Served(Host):
    """The desk of a machine with one run."""

    def __init__(self, directory: Path, machine: str = "here") -> None:
        super().__init__(directory, machine=machine)
        self.run = self.store.create(run())
        self.desk = Desk(self)

    async def ask(self, request: Request) -> None:
        """Put a request into the inbox, as a session that was parked leaves it."""
        async with self.inbox.asking(request) as opened:
            await opened.added()
            await self.inbox.defer(request.id)

    async def say(self, text: str, *, message_id: str = "", author: str = "Ann") -> bool:
        """Let a person write into the ticket; return whether it was an answer."""
        person = Participant(f"linear:{author.casefold()}", author)
        message = TicketMessage("linear", "ticket", message_id or uuid4().hex, text, person)
        self.store.keep(message)
        return await self.desk.take(self.run, message)

    def recorded(self, kind: Happened) -> list[Mapping[str, Any]]:
        """Return the bodies of the events of a kind."""
        return [one.body for one in self.store.events(self.run.id) if one.kind is kind]
