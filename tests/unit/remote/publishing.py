"""An inbox that is published at a real relay, and a device that sees it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import SessionFact
from ccq_tui.inbox.requests import PermissionRequest, PlanRequest, QuestionRequest, Request
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.remote.pairings import Pairing
from ccq_tui.remote.publisher import Publisher
from ccq_tui.remote.seal import to_base64
from tests.unit.remote.phone.device import Reader
from tests.unit.remote.relays import Caller, RunningRelay, running

LIMIT = 60.0
"""Most seconds to wait for a state."""
CHANGED = "it was changed, or is not for this request and pairing"
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


async def until(look: Callable[[], Awaitable[Any]], seconds: float = LIMIT) -> Any:
    """Look again and again until there is something; return it."""
    async with asyncio.timeout(seconds):
        while not (found := await look()):  # noqa: ASYNC110 - another process or program changes it
            await asyncio.sleep(0.02)
    return found


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

    async def records(self) -> list[dict[str, Any]]:
        response = await self.caller("GET", f"/requests/{self.pairing.id}")
        assert response.status_code == 200, response.text
        return list(response.json()["requests"])

    async def record(self, record_id: str) -> dict[str, Any]:
        response = await self.caller("GET", f"/request/{self.pairing.id}/{record_id}")
        return dict(response.json()) if response.is_success else {}

    async def shown(self, call: str = "toolu_1") -> dict[str, Any]:
        """Wait until a request is pending, and return its record."""

        async def look() -> dict[str, Any] | None:
            found = [one for one in await self.records() if one["status"] == "pending"]
            return next((one for one in found if self.body(one)["request"]["tool_use_id"] == call), None)

        return dict(await until(look))

    def stated(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return the statement of a record, without its time, its device and what is empty."""
        return {
            name: value
            for name, value in self.statement(record).items()
            if name not in ("at", "device") and value
        }

    async def says(self, record_id: str, **statement: Any) -> dict[str, Any]:
        """Wait until a record has a statement with these fields and no others, and return the record."""

        async def look() -> dict[str, Any] | None:
            record = await self.record(record_id)
            return record if record and self.stated(record) == statement else None

        return dict(await until(look))

    async def answer(self, record: dict[str, Any], answer: dict[str, Any]) -> httpx2.Response:
        return await self.post(record, self.said(record, answer))

    async def post(self, record: dict[str, Any], body: dict[str, Any]) -> httpx2.Response:
        return await self.caller("POST", f"/request/{self.pairing.id}/{record['id']}/answer", body)


@dataclass
class Desk:
    """The machine with the inbox."""

    inbox: Inbox
    pairing: Pairing
    relay: RunningRelay
    phone: Phone
    grants: bool = False
    publisher: Publisher = field(init=False)
    _publishing: asyncio.Task[None] | None = None
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    def publish(self) -> None:
        self.publisher = Publisher(self.inbox, self.pairing, grants=self.grants)
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

    async def stored(self, request: Request) -> StoredRequest:
        found = await self.inbox.run(lambda store: store.requests.get(request.id))
        assert found is not None
        return found


@asynccontextmanager
async def published(tmp_path: Path, *, sealed: bool = True, grants: bool = False) -> AsyncIterator[Desk]:
    """Run a relay and a desk with a paired phone, and publish its inbox."""
    async with running(tmp_path) as relay:
        made = await relay.pairing(sealed=sealed)
        pairing = made.known(to_base64(secrets.token_bytes(32)) if sealed else "")
        inbox = await Inbox.connect(tmp_path / "inbox.db")
        inbox.sessions.note(SESSION, SessionFact(directory="/home/me/api", name="api", runs=True))
        one = Desk(inbox, pairing, relay, Phone(pairing, made.device), grants)
        one.publish()
        try:
            yield one
        finally:
            await one.stop()
            await one._stack.aclose()
            assert await inbox.close()
