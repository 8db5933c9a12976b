"""The overview as data: which card is in which group, in which order, and where the cursor goes."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.inbox.session_groups import Group
from ccq_tui.screens.inbox.inbox_list import SessionPlace
from ccq_tui.screens.overview.board import Board, Card, about_lines, here_group, joined, list_lines
from tests.ui.asked import PLAIN

NAMES = st.sampled_from("abcdef")
STATES = st.sampled_from(("queued", "starting", "working", "awaiting", "parked", "idle", "failed", "ended"))


def card(name: str, state: str, waiting: int, since: float, *, here: bool, done: bool = False) -> Card:
    place = SessionPlace.HERE if here else SessionPlace.RESTS
    group = here_group(state, waiting, done=done)
    key = f"session {name}" if here else name
    return Card(key, name, f"name {name}", group, place, state, since, waiting, done=done)


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
