"""The list of the inbox screen and the answers given there, without a screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.config.keymap import with_keys
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import Allowed, Cancelled, PermissionRequest, QuestionRequest
from ccq_tui.inbox.store.requests import PROCESS_GONE
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.verdicts import AlreadySettled, InboxUnavailable
from ccq_tui.inbox.waiting_line import Waiting, first_draft
from ccq_tui.questions import Answer, Answered, Declined, Option, Question, QuestionSet
from ccq_tui.screens.inbox.inbox_feed import InboxFeed
from ccq_tui.screens.inbox.inbox_list import InboxRow, SessionPlace, row_of
from ccq_tui.screens.inbox.request_answers import DRAFT_KEPT, RequestAnswers
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


async def test_an_answer_is_settled_before_it_is_taken_from_the_list_and_then_delivered(
    manager: Manager,
) -> None:
    asked, steps = await kept(manager, question("t1")), []

    def forget() -> None:
        steps.append(tuple(manager.resumed))

    said = await RequestAnswers(manager).settle(asked, FIRST, None, forget)
    assert (said, steps, manager.resumed) == (
        "Answered · api starts in the background to receive it",
        [()],
        [asked.id],
    )
    stored = await manager.inbox.run(lambda store: store.requests.get(asked.id))
    assert stored is not None
    assert stored.outcome == FIRST
    refused = await kept(manager, question("t2"))
    said = await RequestAnswers(manager).settle(refused, Declined(), None, lambda: None)
    assert said == "Declined · api starts in the background to receive it"


async def test_who_loses_is_told_by_whom_and_keeps_what_was_typed(manager: Manager) -> None:
    asked, answers = await kept(manager, question("t1")), RequestAnswers(manager)
    assert await manager.inbox.run(lambda store: store.requests.settle(asked.id, Declined(), PHONE))
    typed = first_draft(asked.stored.request)
    said = await answers.settle(asked, FIRST, Waiting(asked.stored.request, typed), lambda: None)
    assert said.startswith("Already answered on phone at ")
    assert manager.resumed == []
    assert not len(answers.closed), "nothing was selected or typed"


async def test_nobody_decides_on_a_permission_whose_session_rests(manager: Manager) -> None:
    await manager.inbox.run(lambda store: store.sessions.upsert("s1", "/work"))
    asked = await kept(manager, PermissionRequest("t1", "s1", "Bash", {"command": "make"}))
    said = await RequestAnswers(manager).settle(asked, Allowed(), None, lambda: None)
    assert said == f"The request was closed: {PROCESS_GONE}"
    assert manager.resumed == []


async def test_what_cannot_be_written_leaves_the_draft_with_its_session(
    manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise InboxUnavailable("the disk is full")

    asked = await kept(manager, question("t1"))
    monkeypatch.setattr(manager.inbox, "answer", refuse)
    said = await RequestAnswers(manager).settle(asked, FIRST, None, lambda: pytest.fail("it still waits"))
    assert said == "Not answered: the disk is full · your draft is kept"


def test_a_request_that_was_closed_says_why(manager: Manager) -> None:
    settled = AlreadySettled(PHONE, datetime.now(UTC), Cancelled("interrupted"))
    assert RequestAnswers(manager).too_late(settled, None) == "The request was closed: interrupted"
    assert with_keys(DRAFT_KEPT) not in RequestAnswers(manager).too_late(settled, None)


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
