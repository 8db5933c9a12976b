"""The overview and the inbox screen as data: rows, groups, order, cursor, choosing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.commands.command import PickRow
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import PermissionRequest, QuestionRequest, RequestOutcome
from ccq_tui.inbox.session_groups import Group
from ccq_tui.inbox.store.requests import PROCESS_GONE
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.verdicts import InboxUnavailable, Verdict
from ccq_tui.questions import Answer, Answered, Declined, Option, Question, QuestionSet
from ccq_tui.screens.inbox.inbox_list import InboxRow, SessionPlace
from ccq_tui.screens.inbox.screen import InboxScreen
from ccq_tui.screens.overview.board import Board, Card, about_lines, joined, list_lines
from ccq_tui.screens.overview.screen import OVER
from ccq_tui.screens.pickers.picker import choosing
from tests.actors import PHONE
from tests.ui.asked import PLAIN

NAMES = st.sampled_from("abcdef")
STATES = st.sampled_from(("queued", "starting", "working", "awaiting", "parked", "idle", "failed", "ended"))


def card(name: str, state: str, waiting: int, since: float, *, here: bool, done: bool = False) -> Card:
    place = SessionPlace.HERE if here else SessionPlace.RESTS
    key, runs = f"session {name}" if here else name, state not in OVER
    return Card(key, name, f"name {name}", place, runs, state, since, waiting, done=done)


cards_of_one_place = st.lists(
    st.builds(card, NAMES, STATES, st.integers(0, 2), st.floats(0, 99), here=st.just(True)),
    unique_by=lambda one: one.session_id,
)
stored_cards = st.lists(
    st.builds(
        card, NAMES, STATES, st.integers(0, 2), st.floats(0, 99), here=st.just(False), done=st.booleans()
    ),
    unique_by=lambda one: one.session_id,
)
boards = st.builds(
    lambda here, stored: joined(here, {one.session_id: one for one in stored}),
    cards_of_one_place,
    stored_cards,
)


@given(cards_of_one_place, stored_cards)
def test_a_session_has_one_card_and_what_is_open_here_wins(here: list[Card], stored: list[Card]) -> None:
    by_id = {one.session_id: one for one in stored}
    cards = joined(here, by_id)
    assert sorted(one.session_id for one in cards) == sorted({one.session_id for one in [*here, *stored]})
    for one in here:
        kept = next(other for other in cards if other.session_id == one.session_id)
        assert (kept.key, kept.state, kept.waiting) == (one.key, one.state, one.waiting)
        assert kept.known == (one.session_id in by_id)
        assert kept.done == (one.session_id in by_id and by_id[one.session_id].done)
        if one.waiting or one.state in ("working", "awaiting"):
            assert kept.group is not Group.DONE
    assert [one.group for one in cards] == sorted((one.group for one in cards), key=list(Group).index)


@given(boards)
def test_who_waits_longest_is_first_and_of_all_others_the_newest(cards: tuple[Card, ...]) -> None:
    for group in Group:
        times = [one.since for one in cards if one.group is group]
        assert times == sorted(times, reverse=group not in (Group.NEEDS, Group.PARKED))


@given(boards, boards, st.lists(st.sampled_from("jkhl^$/"), max_size=12))
def test_the_cursor_is_always_on_a_card_and_follows_its_session(
    cards: tuple[Card, ...], later: tuple[Card, ...], keys: list[str]
) -> None:
    board = Board().with_rows(cards).begun()
    for key in keys:
        action = {"j": "down", "k": "up", "h": "left", "l": "right", "^": "first", "$": "last"}.get(key, "")
        board = board.after(action, 3) or board.filtered("" if board.filter else "a")
        assert (board.under is None) == (not board.shown)
        assert board.under is None or board.under in board.shown
    before = board.under
    after = board.with_rows(later)
    assert (after.under is None) == (not after.shown)
    if before and before.session_id in {one.session_id for one in after.shown}:
        assert after.under
        assert after.under.session_id == before.session_id


@given(boards)
def test_going_through_all_groups_comes_back(cards: tuple[Card, ...]) -> None:
    board = Board(cards).begun()
    filled = {card.group for card in cards}
    walked = []
    for _ in filled:
        assert board.under
        walked.append(board.under.group)
        board = board.stepped(1)
    assert sorted(walked) == sorted(filled)
    assert (board.under is None) or board.under.group is walked[0]


def test_the_cursor_begins_where_a_person_is_needed() -> None:
    shown = replace(card("a", "idle", 0, 1, here=True), shown=True)
    needed = card("b", "awaiting", 1, 1, here=True)
    assert Board((shown,)).begun().under == shown
    both = joined([shown, needed], {})
    under = Board(both).begun().under
    assert under
    assert under.session_id == "b"


@given(st.text(), st.text(), st.integers(40, 140), STATES)
def test_a_card_fits_whatever_it_says(name: str, said: str, width: int, state: str) -> None:
    one = replace(card("a", state, 2, 1, here=False), session=name, last_line=said, cost=12.5)
    lines = list_lines(Board((one,)), width, PLAIN)
    assert all(line.text.cell_len <= width for line in lines)
    assert all(line.cell_len <= 80 for line in about_lines(one, 80, 4, PLAIN))


LETTER = Question("Which?", "Letter", (Option("A", "x"), Option("B", "y")))
FIRST = Answered((Answer(("A",)),))


class Manager:
    """What opens sessions, with those that the test says are open."""

    def __init__(self, inbox: Inbox) -> None:
        self.inbox = inbox
        self.sessions = self
        self.here: dict[str, Any] = {}
        self.resumed: list[str] = []
        self.said: list[str] = []

    async def recorded(self) -> frozenset[str] | None:
        return None

    def titles(self) -> Mapping[str, str]:
        return dict.fromkeys(self.here, "docs")

    def say(self, text: str, **_: float) -> None:
        self.said.append(text)

    def known(self, session_id: str) -> Any:
        return self.here.get(session_id)

    async def runs_elsewhere(self, _session_id: str) -> bool:
        return False

    async def resume(self, row: InboxRow, _surface: Surface, *, behind: bool) -> str:
        assert behind
        self.resumed.append(row.key)
        return ""


def question(name: str, session: str = "s1") -> QuestionRequest:
    return QuestionRequest(name, session, QuestionSet(name, (LETTER,)))


def row(request: QuestionRequest | PermissionRequest, place: SessionPlace = SessionPlace.RESTS) -> InboxRow:
    stored = StoredRequest(1, request, "", RequestState.PENDING, datetime.now(UTC))
    return InboxRow(stored, "api", "/work", place)


@pytest.fixture
async def manager(tmp_path: Path) -> AsyncIterator[Manager]:
    inbox = await Inbox.connect(tmp_path / "inbox.db")
    yield Manager(inbox)
    await inbox.close()


async def kept(manager: Manager, request: QuestionRequest | PermissionRequest) -> InboxRow:
    await manager.inbox.run(lambda store: store.requests.add(request, ""))
    return row(request)


async def answered(manager: Manager, row: InboxRow, outcome: RequestOutcome) -> list[str]:
    """Settle a request in the inbox, and return what was done in turn."""
    screen, works = InboxScreen(manager), []  # type: ignore[arg-type, var-annotated]
    screen.drop = lambda key: manager.said.append(f"without {key}")  # type: ignore[method-assign]
    manager.said.clear()
    opened = await screen.read_request(row)
    assert opened is not None
    replace(screen._host(row), run=works.append).settle(opened, outcome)
    await works[0]()
    assert not len(screen.drafts), "nothing was selected or typed"
    return manager.said


async def test_an_answer_is_settled_before_it_is_taken_from_the_list_and_then_delivered(
    manager: Manager,
) -> None:
    asked = await kept(manager, question("t1"))
    steps = await answered(manager, asked, FIRST)
    assert steps == [f"without {asked.key}", "Answered · api starts in the background to receive it"]
    assert manager.resumed == [asked.key]
    stored = await manager.inbox.run(lambda store: store.requests.get(asked.key))
    assert stored is not None
    assert stored.outcome == FIRST
    refused = await kept(manager, question("t2"))
    steps = await answered(manager, refused, Declined())
    assert steps[1:] == ["Declined · api starts in the background to receive it"]


async def test_who_loses_is_told_by_whom_and_keeps_what_was_typed(manager: Manager) -> None:
    asked = await kept(manager, question("t1"))
    assert await manager.inbox.run(lambda store: store.requests.settle(asked.key, Declined(), PHONE))
    (said,) = await answered(manager, asked, FIRST)
    assert said.startswith("Already answered on phone at ")
    assert manager.resumed == []


async def test_nobody_decides_on_a_permission_whose_session_rests(manager: Manager) -> None:
    await manager.inbox.run(lambda store: store.sessions.upsert("s1", "/work"))
    asked = await kept(manager, PermissionRequest("t1", "s1", "Bash", {"command": "make"}))
    assert await answered(manager, asked, Answered((Answer(("Allow once",)),))) == [
        f"The request was closed: {PROCESS_GONE}"
    ]
    assert manager.resumed == []


async def test_what_cannot_be_written_still_waits(manager: Manager, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = await kept(manager, question("t1"))
    refused: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
    refused.set_exception(InboxUnavailable("the disk is full"))
    monkeypatch.setattr(manager.inbox, "answer", lambda *_: refused)
    said = await answered(manager, asked, FIRST)
    assert said == ["Not answered: the disk is full · your draft is kept"]


async def test_the_list_follows_the_store_and_says_what_cannot_be_read(
    manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = InboxScreen(manager)
    for name in ("t1", "t2"):
        await kept(manager, question(name, f"s-{name}"))
    manager.here["s-t2"] = object()
    await screen.read_all()
    first, second = screen.state.rows
    assert (second.session_id, second.place, second.session) == ("s-t2", SessionPlace.HERE, "docs")
    third = await kept(manager, question("t3"))
    await screen.read_all()
    screen.drop(first.key)
    assert [row.key for row in screen.state.rows] == [second.key, third.key]
    assert screen.undelivered == 0

    async def refuse(_work: object) -> None:
        raise InboxUnavailable("no disk")

    monkeypatch.setattr(manager.inbox, "run", refuse)
    screen.undelivered = 2
    await screen.read_all()
    assert manager.said == ["The inbox cannot be read: no disk · only requests held here are listed"]
    assert screen.undelivered == 2, "what was known stays"


def test_rows_found_stay_in_their_groups_the_likeliest_of_each_first() -> None:
    rows = [
        PickRow(name, name, group=group) for group, name in ((*"xb",), ("x", "ab"), (*"yb",), ("y", "a b"))
    ]
    found = choosing(tuple(rows)).filtered("b").shown
    assert [(row.group, row.label) for row in found] == [("x", "b"), ("x", "ab"), ("y", "b"), ("y", "a b")]
