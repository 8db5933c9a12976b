"""The list of the inbox screen and the answers given there, without a screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import Allowed, PermissionRequest, QuestionRequest, RequestOutcome
from ccq_tui.inbox.store.requests import PROCESS_GONE
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.verdicts import InboxUnavailable, Verdict
from ccq_tui.questions import Answer, Answered, Declined, Option, Question, QuestionSet
from ccq_tui.screens.inbox.inbox_feed import InboxFeed
from ccq_tui.screens.inbox.inbox_list import InboxRow, SessionPlace, row_of
from ccq_tui.screens.inbox.screen import InboxHost
from tests.actors import PHONE

LETTER = Question("Which?", "Letter", (Option("A", "x"), Option("B", "y")))
FIRST = Answered((Answer(("A",)),))


class Manager:
    """What opens sessions, with those that the test says are open."""

    def __init__(self, inbox: Inbox) -> None:
        self.inbox = inbox
        self.sessions = self
        self.here: dict[str, Any] = {}
        self.resumed: list[str] = []

    async def recorded(self) -> frozenset[str] | None:
        return None

    def titles(self) -> Mapping[str, str]:
        return dict.fromkeys(self.here, "docs")

    def known(self, session_id: str) -> Any:
        return self.here.get(session_id)

    async def runs_elsewhere(self, _session_id: str) -> bool:
        return False

    async def resume(self, row: InboxRow, _surface: Surface, *, behind: bool) -> str:
        assert behind
        self.resumed.append(row.id)
        return ""


def question(name: str, session: str = "s1") -> QuestionRequest:
    return QuestionRequest(name, session, QuestionSet(name, (LETTER,)))


def row(request: QuestionRequest | PermissionRequest, place: SessionPlace = SessionPlace.RESTS) -> InboxRow:
    stored = StoredRequest(1, request, "", RequestState.PENDING, datetime.now(UTC))
    return row_of(stored, "api", "/work", place)


@pytest.fixture
async def manager(tmp_path: Path) -> AsyncIterator[Manager]:
    inbox = await Inbox.connect(tmp_path / "inbox.db")
    yield Manager(inbox)
    await inbox.close()


async def kept(manager: Manager, request: QuestionRequest | PermissionRequest) -> InboxRow:
    await manager.inbox.run(lambda store: store.requests.add(request, ""))
    return row(request)


class Shown:
    """What a host of the inbox uses of its screen."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def say(self, text: str) -> None:
        self.steps.append(text)

    def take_out(self, request_id: str) -> None:
        self.steps.append(f"without {request_id}")

    def let_go(self, _opened: OpenRequest) -> None:
        """Nothing: no panel is open."""


class Answering(InboxHost):
    """A host whose work is awaited."""

    def run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self.work = work

    async def answered(self, row: InboxRow, outcome: RequestOutcome) -> list[str]:
        """Settle a request, and return what was done in turn."""
        opened = await self.read(row)
        assert opened is not None
        self.row = row
        self.settle(opened, outcome)
        await self.work()
        return self._screen.steps


def host(manager: Manager) -> Answering:
    return Answering(Shown(), manager)


async def test_an_answer_is_settled_before_it_is_taken_from_the_list_and_then_delivered(
    manager: Manager,
) -> None:
    asked = await kept(manager, question("t1"))
    steps = await host(manager).answered(asked, FIRST)
    assert steps == [f"without {asked.id}", "Answered · api starts in the background to receive it"]
    assert manager.resumed == [asked.id]
    stored = await manager.inbox.run(lambda store: store.requests.get(asked.id))
    assert stored is not None
    assert stored.outcome == FIRST
    refused = await kept(manager, question("t2"))
    steps = await host(manager).answered(refused, Declined())
    assert steps[1:] == ["Declined · api starts in the background to receive it"]


async def test_who_loses_is_told_by_whom_and_keeps_what_was_typed(manager: Manager) -> None:
    asked, answering = await kept(manager, question("t1")), host(manager)
    assert await manager.inbox.run(lambda store: store.requests.settle(asked.id, Declined(), PHONE))
    (said,) = await answering.answered(asked, FIRST)
    assert said.startswith("Already answered on phone at ")
    assert manager.resumed == []
    assert not len(answering.drafts), "nothing was selected or typed"


async def test_nobody_decides_on_a_permission_whose_session_rests(manager: Manager) -> None:
    await manager.inbox.run(lambda store: store.sessions.upsert("s1", "/work"))
    asked = await kept(manager, PermissionRequest("t1", "s1", "Bash", {"command": "make"}))
    assert await host(manager).answered(asked, Allowed()) == [f"The request was closed: {PROCESS_GONE}"]
    assert manager.resumed == []


async def test_what_cannot_be_written_still_waits(manager: Manager, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = await kept(manager, question("t1"))
    refused: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
    refused.set_exception(InboxUnavailable("the disk is full"))
    monkeypatch.setattr(manager.inbox, "answer", lambda *_: refused)
    said = await host(manager).answered(asked, FIRST)
    assert said == ["Not answered: the disk is full · your draft is kept"]


async def test_the_list_follows_the_store_and_says_what_cannot_be_read(
    manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    drawn: list[tuple[str, ...]] = []
    feed = InboxFeed(manager, lambda: drawn.append(tuple(one.id for one in feed.state.rows)), said.append)
    for name in ("t1", "t2"):
        await kept(manager, question(name, f"s-{name}"))
    manager.here["s-t2"] = object()
    await feed.read_all()
    first, second = feed.state.rows
    assert (second.session_id, second.place, second.session) == ("s-t2", SessionPlace.HERE, "docs")
    third = await kept(manager, question("t3"))
    await feed.read_one(third.id)
    feed.drop(first.id)
    assert drawn[-1] == (second.id, third.id)
    await feed.count_undelivered()
    assert feed.undelivered == 0

    async def refuse(_work: object) -> None:
        raise InboxUnavailable("no disk")

    monkeypatch.setattr(manager.inbox, "run", refuse)
    await feed.read_all()
    assert said == ["The inbox cannot be read: no disk · only requests held here are listed"]
    feed.undelivered = 2
    await feed.count_undelivered()
    assert feed.undelivered == 2, "what was known stays"
