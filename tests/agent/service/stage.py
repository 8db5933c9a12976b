"""A service on a scripted model, with a repository of its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from ccq_tui.service.people import Participant, TicketRole
from ccq_tui.service.policy import Policy, Repository, RunLimits, SessionsTable
from ccq_tui.service.port import NewTicket, TicketMessage
from ccq_tui.service.run import Happened, Run, RunState
from ccq_tui.service.service import Service
from ccq_tui.testing import CleanHome
from tests.steps import until_true

SOURCE = "test"
ANNA = Participant("test:anna", "Anna")
ANNAS: dict[str, Any] = {"people": {TicketRole.CREATOR: ANNA}, "person": ANNA}


class Staged:
    """A service, and what a test says to it and sees of it."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def ticket(self, name: str = "T-1", prompt: str = "Build it", **more: Any) -> Run:
        """Give it a ticket."""
        run = await self.service.incoming(NewTicket(SOURCE, name, "A ticket", prompt, **ANNAS, **more))
        assert run is not None
        return run

    async def say(self, text: str, ticket: str = "T-1", **more: Any) -> Run | None:
        """Say something in a ticket."""
        message_id = more.pop("id", text)
        return await self.service.incoming(TicketMessage(SOURCE, ticket, message_id, text, ANNA, **more))

    async def until(self, run: Run, *states: RunState, segment: int = 0) -> Run:
        """Wait until a run is in a state, in a segment or a later one."""

        def look() -> Run | None:
            now = self.service.store.get(run.id)
            return now if now.state in states and now.segment >= segment else None

        found: Run = await until_true(look)
        return found

    def recorded(self, run: Run, kind: Happened) -> list[str]:
        """Return the texts of what happened in a run."""
        events = self.service.store.events(run.id)
        return [str(one.body.get("text", "")) for one in events if one.kind is kind]


@asynccontextmanager
async def serving(
    home: CleanHome,
    repository: Repository | Path,
    *,
    url: str = "",
    machine: str = "one",
    root: Path | None = None,
    sessions: SessionsTable = SessionsTable(),  # noqa: B008 - it cannot change
    **limits: Any,
) -> AsyncIterator[Staged]:
    """Run a service; what it keeps is in the home, or in another root."""
    root = root or home.root
    repository = repository if isinstance(repository, Repository) else Repository(repository)
    policy = Policy({"repo": repository}, RunLimits(**limits), sessions=sessions)
    url = url or f"sqlite:///{root / 'runs.db'}"
    state = root / machine
    async with Service(policy, url, machine=machine, state=state, environment=home.overrides()) as service:
        yield Staged(service)
