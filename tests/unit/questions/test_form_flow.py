"""Filling in a form by keys: closed choices, what is required, defaults, and the three ways to end it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ccq_tui.questions import Answer, Answered, Declined, Dismissed
from ccq_tui.questions.events import Seen
from ccq_tui.questions.keys import enter_words, hints
from ccq_tui.questions.machine import step
from ccq_tui.questions.moves import CLOSED
from ccq_tui.questions.schema_form import ACCEPT_LINK, OPEN_LINK, read_form, read_link, unusable
from ccq_tui.questions.state import Focus, PanelState, opened
from tests.unit.questions.drive import keys, typed

CHOICE = {"type": "string", "enum": ["a", "b", "c"]}
TAGS = {"type": "array", "items": {"enum": ["x", "y", "z"]}, "minItems": 2, "maxItems": 2}
TEXT = {"type": "string", "minLength": 2}


def asked(properties: dict[str, Any], *required: str) -> PanelState:
    schema = {"properties": properties, "required": list(required)}
    return opened(read_form("f", "Deploy asks", "Details?", schema).questions)


def test_a_closed_choice_takes_no_words_notes_or_prose() -> None:
    before = asked({"one": CHOICE}, "one")
    assert before.page.rows == (0, 1, 2)
    for key in ("n", "c", "4"):
        assert keys(before, key).pages == before.pages, key
    for key in ("o", "z", "ctrl+g"):
        assert keys(before, key) == replace(before, aside=CLOSED), key
    assert not {"o", "n", "c"} & {key for key, _ in hints(before)}
    assert keys(before, "up").page.cursor == 2, "from the first row to the last"


def test_y_and_n_name_yes_and_no_where_these_alone_answer() -> None:
    state = asked({"sure": {"type": "boolean"}}, "sure")
    assert keys(state, "n enter").outcome == Answered((Answer(("No",)),))
    assert keys(state, "n y enter").outcome == Answered((Answer(("Yes",)),))
    assert keys(state, "n").outcome is None


def test_none_of_an_optional_list_is_an_answer_and_leaving_it_is_none() -> None:
    free = {"type": "array", "items": {"enum": ["x"]}}
    assert keys(asked({"t": free}), "enter end enter").outcome == Answered((Answer(empty=True),))
    assert keys(asked({"t": free}), "tab end enter").outcome == Answered((Answer(),))


def test_a_form_that_cannot_be_used_can_only_be_ended() -> None:
    state = opened(unusable("f", "Deploy asks", "Details?", "it contradicts itself").questions)
    for key in ("1", "space", "down", "end", "home", "o", "z", "slash", "ctrl+g", "j"):
        assert keys(state, key) == state, key
    asked_once = keys(state, "enter")
    assert (asked_once.outcome, asked_once.focus) == (None, Focus.DECLINE)
    assert hints(state)[0] == ("Enter", "decline or cancel")
    assert keys(asked_once, "x").outcome == Dismissed()


def test_a_filter_that_matches_nothing_takes_nothing() -> None:
    many = {"type": "string", "enum": [f"option {number}" for number in range(12)]}
    state = typed(keys(asked({"one": many}, "one"), "slash"), "zzz")
    assert state.page.rows == ()
    for key in ("down", "enter", "up"):
        state = keys(state, key)
    assert state.outcome is None
    assert keys(state, "home end space enter").outcome is None


@pytest.mark.parametrize(("key", "label"), [("1", OPEN_LINK), ("2", ACCEPT_LINK)])
def test_a_link_is_accepted_by_a_key_that_confirms(key: str, label: str) -> None:
    state = opened(read_link("f", "Deploy asks", "Sign in", "https://a.example/x", "a.example").questions)
    state = keys(state, key)
    assert state.outcome is None
    assert keys(state, "enter").outcome == Answered((Answer(selected=(label,)),))


def test_a_link_of_which_a_part_was_never_in_sight_is_asked_again_before_it_opens() -> None:
    state = opened(read_link("f", "Deploy asks", "Sign in", "https://a.example/x", "a.example").questions)
    state = step(state, Seen(frozenset({0, 1}), 3))
    assert enter_words(state) == "ask again, 3 lines unseen"
    assert keys(state, "ctrl+d y").outcome == Declined(), "a refusal is never held back"
    warned = keys(state, "enter")
    assert (warned.outcome, warned.warned) == (None, (0, "Enter"))
    assert keys(warned, "down enter").outcome is None, "the other row was not warned of"
    assert keys(warned, "enter").outcome == Answered((Answer((OPEN_LINK,)),))
    read = step(warned, Seen(frozenset({0, 1})))
    assert (read.warned, keys(read, "enter").outcome) == (None, Answered((Answer((OPEN_LINK,)),)))
