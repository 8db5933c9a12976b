"""An inbox that is published at a real relay, and a device that sees it."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import SessionFact
from ccq_tui.inbox.requests import PermissionRequest, PlanRequest, QuestionRequest, Request
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.remote.pairings import Pairing
from ccq_tui.remote.publisher import Publisher
from tests.steps import until_true
from tests.unit.remote.phone.device import Reader
from tests.unit.remote.relays import Caller, RunningRelay, running

Body = dict[str, Any]
ALWAYS = Suggestion("addRules", "localSettings", (Rule("Bash", "make *"),), "allow")
SESSION = "11111111-2222-4333-8444-555555555555"
COLOUR = Question("Which colour?", "Colour", (Option("Red", "warm"), Option("Blue")))
PARTS = Question("Which parts?", "Parts", (Option("A"), Option("B"), Option("C")), multi_select=True)


def question(call: str = "toolu_1", *questions: Question) -> QuestionRequest:
    return QuestionRequest(call, SESSION, QuestionSet(call, questions or (COLOUR,)))


def permission(call: str = "toolu_p") -> PermissionRequest:
    return PermissionRequest(call, SESSION, "Bash", {"command": "make"}, suggestions=(ALWAYS,))


def plan(call: str = "toolu_l") -> PlanRequest:
    return PlanRequest(call, SESSION, "# Build it\n\n1. Begin")


@asynccontextmanager
async def beside(*parts: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run parts of the program until the block ends."""
    tasks = [asyncio.create_task(part) for part in parts]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass
class Phone(Reader):
    """A device whose calls are those of a test's own event loop."""

    pairing: Pairing
    caller: Caller

    async def records(self) -> list[Body]:
        response = await self.caller("GET", f"/requests/{self.pairing.id}")
        assert response.status_code == 200, response.text
        return list(response.json()["requests"])

    async def record(self, record_id: str) -> Body:
        response = await self.caller("GET", f"/request/{self.pairing.id}/{record_id}")
        return dict(response.json()) if response.is_success else {}

    async def shown(self, call: str = "toolu_1") -> Body:
        """Wait until a request is pending, and return its record."""

        async def look() -> Body | None:
            found = [one for one in await self.records() if one["status"] == "pending"]
            return next((one for one in found if self.body(one)["request"]["tool_use_id"] == call), None)

        return dict(await until_true(look))

    async def says(self, record_id: str, **statement: Any) -> Body:
        """Wait until the statement of a record has these fields and no others; return the record."""

        async def look() -> Body | None:
            record = await self.record(record_id)
            found = self.statement(record) if record else {}
            stated = {name: text for name, text in found.items() if name not in ("at", "device") and text}
            return record if record and stated == statement else None

        return dict(await until_true(look))

    async def answer(self, record: Body, answer: Body) -> None:
        await self.post(record, self.answer_body(record, answer))

    async def post(self, record: Body, body: Body) -> None:
        path = f"/request/{self.pairing.id}/{record['id']}/answer"
        response = await self.caller("POST", path, body)
        assert response.is_success, response.text


@dataclass
class Desk:
    """The machine with the inbox."""

    inbox: Inbox
    relay: RunningRelay
    phone: Phone
    grants: bool = False
    publisher: Publisher = field(init=False)
    _publishing: asyncio.Task[None] | None = None
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    def publish(self) -> None:
        self.publisher = Publisher(self.inbox, self.phone.pairing, grants=self.grants)
        self._publishing = asyncio.create_task(self.publisher.run())

    async def stop(self) -> None:
        if self._publishing is not None:
            self._publishing.cancel()
            await asyncio.wait({self._publishing})

    async def ask(self, request: Request, context: str = "Before.") -> asyncio.Future[Any]:
        """Ask a request that waits until the end; return its outcome as a future."""
        opened = await self._stack.enter_async_context(self.inbox.asking(request, context))
        await opened.added()
        opened.leave()  # the end of the test withdraws nothing
        return asyncio.ensure_future(opened.outcome())

    async def shown(self, request: Request, context: str = "Before.") -> tuple[asyncio.Future[Any], Body]:
        """Ask a request; return its outcome as a future, and its record once the phone has it."""
        return await self.ask(request, context), await self.phone.shown(request.tool_use_id)

    async def stored(self, request: Request) -> StoredRequest:
        found = await self.inbox.run(lambda store: store.requests.get(request.id))
        assert found is not None
        return found


@asynccontextmanager
async def published(tmp_path: Path, *, sealed: bool = True, grants: bool = False) -> AsyncIterator[Desk]:
    """Run a relay and a desk with a paired phone, and publish its inbox."""
    async with running(tmp_path) as relay:
        made = await relay.pairing(sealed=sealed)
        inbox = await Inbox.connect(tmp_path / "inbox.db")
        inbox.sessions.note(SESSION, SessionFact(directory="/home/me/api", name="api", runs=True))
        one = Desk(inbox, relay, Phone(made.known, made.device), grants)
        one.publish()
        try:
            yield one
        finally:
            await one.stop()
            await one._stack.aclose()
            assert await inbox.close()
