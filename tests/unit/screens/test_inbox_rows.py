"""The list of the inbox screen and the answers given there, without a screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ccq_tui.inbox import (
    Allowed,
    AlreadySettled,
    Cancelled,
    InboxUnavailable,
    PermissionRequest,
    QuestionRequest,
)
from ccq_tui.inbox.durable import DurableInbox
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.waiting import Draft, Waiting, first_draft
from ccq_tui.questions import Answer, Answered, Declined, Option, Question, QuestionSet
from ccq_tui.screens.inbox.inbox_feed import InboxFeed
from ccq_tui.screens.inbox.listing import InboxRow, Place, row_of
from ccq_tui.screens.inbox.request_answers import DRAFT_KEPT, RequestAnswers
from tests.actors import PHONE

LETTER = Question("Which?", "Letter", (Option("A", "x"), Option("B", "y")))
FIRST = Answered((Answer(("A",)),))


class Host:
    """The program around the screen, with the sessions that the test opens."""

    def __init__(self, inbox: DurableInbox) -> None:
        self.inbox = inbox
        self.here: dict[str, str] = {}
        self.kept: list[str] = []
        self.delivered: list[str] = []
        self.listed_then: tuple[InboxRow, ...] | None = None

    def way_back(self) -> str:
        return "back"

    async def recorded(self) -> frozenset[str] | None:
        return None

    def open_here(self) -> Mapping[str, str]:
        return self.here

    def draft_here(self, row: InboxRow) -> Draft | None:
        return None

    def keep_draft_here(self, row: InboxRow, draft: Draft) -> None:
        self.kept.append(row.id)

    def touch_here(self, row: InboxRow) -> None: ...

    async def park(self, row: InboxRow) -> str:
        return ""

    def tell(self, text: str) -> None: ...

    async def deliver(self, row: InboxRow) -> str:
        self.delivered.append(row.id)
        return "Answered"


def question(name: str, session: str = "s1") -> QuestionRequest:
    return QuestionRequest(name, session, QuestionSet(name, (LETTER,)))


def row(request: QuestionRequest | PermissionRequest, place: Place = Place.HERE) -> InboxRow:
    stored = StoredRequest(1, request, "", RequestState.PENDING, datetime.now(UTC))
    return row_of(stored, "api", "/work", place)


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    inbox = await DurableInbox.open(tmp_path / "inbox.db")
    yield Host(inbox)
    await inbox.close()


async def kept(host: Host, request: QuestionRequest) -> InboxRow:
    await host.inbox.run(lambda store: store.add_request(request, ""))
    return row(request)


async def test_an_answer_is_settled_before_it_is_taken_from_the_list_and_then_delivered(host: Host) -> None:
    asked, steps = await kept(host, question("t1")), []

    def forget() -> None:
        steps.append(tuple(host.delivered))

    said = await RequestAnswers(host).settle(asked, FIRST, None, forget)
    assert (said, steps, host.delivered) == ("Answered", [()], [asked.id])
    stored = await host.inbox.run(lambda store: store.request(asked.id))
    assert stored is not None
    assert stored.outcome == FIRST


async def test_who_loses_is_told_by_whom_and_keeps_what_was_typed(host: Host) -> None:
    asked, answers = await kept(host, question("t1")), RequestAnswers(host)
    assert await host.inbox.run(lambda store: store.settle(asked.id, Declined(), PHONE))
    typed = first_draft(asked.stored.request)
    said = await answers.settle(asked, FIRST, Waiting(asked.stored.request, typed), lambda: None)
    assert said.startswith("Already answered on phone at ")
    assert host.delivered == []
    assert not len(answers.closed), "nothing was selected or typed"


async def test_nobody_decides_on_a_permission_whose_session_rests(host: Host) -> None:
    asked = row(PermissionRequest("t1", "s1", "Bash", {"command": "make"}), Place.RESTS)
    said = await RequestAnswers(host).settle(asked, Allowed(), None, lambda: None)
    assert said.startswith("It ")
    assert host.delivered == []


async def test_what_cannot_be_written_leaves_the_draft_with_its_session(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise InboxUnavailable("the disk is full")

    asked = await kept(host, question("t1"))
    monkeypatch.setattr(host.inbox, "answer", refuse)
    said = await RequestAnswers(host).settle(asked, FIRST, None, lambda: pytest.fail("it still waits"))
    assert said == "Not answered: the disk is full · your draft is kept"
    assert host.kept == [asked.id]


def test_a_request_that_was_closed_says_why(host: Host) -> None:
    settled = AlreadySettled(PHONE, datetime.now(UTC), Cancelled("interrupted"))
    assert RequestAnswers(host).too_late(settled, None) == "It was closed: interrupted"
    assert DRAFT_KEPT not in RequestAnswers(host).too_late(settled, None)


async def test_the_list_follows_the_store_and_says_what_cannot_be_read(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    drawn: list[tuple[str, ...]] = []
    feed = InboxFeed(host, lambda: drawn.append(tuple(one.id for one in feed.state.rows)), said.append)
    for name in ("t1", "t2"):
        await kept(host, question(name, f"s-{name}"))
    host.here["s-t2"] = "docs"
    await feed.read_all()
    first, second = feed.state.rows
    assert (second.session_id, second.place, second.session) == ("s-t2", Place.HERE, "docs")
    third = await kept(host, question("t3"))
    await feed.read_one(third.id)
    feed.drop(first.id)
    assert drawn[-1] == (second.id, third.id)
    assert await feed.count_undelivered() == 0

    async def refuse(_work: object) -> None:
        raise InboxUnavailable("no disk")

    monkeypatch.setattr(host.inbox, "run", refuse)
    await feed.read_all()
    assert said == ["Only what waits here is listed; the inbox cannot be read: no disk"]
    assert await feed.count_undelivered() is None
