"""Filling in a form by keys: closed choices, what is required, defaults, and the three ways to end it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ccq_tui.questions import Answer, Answered, Declined, Dismissed
from ccq_tui.questions.flow import NEEDED
from ccq_tui.questions.keys import hints
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


def test_a_single_required_choice_is_confirmed_at_once() -> None:
    state = keys(asked({"one": CHOICE}, "one"), "down enter")
    assert state.outcome == Answered((Answer(selected=("b",)),))


def test_a_closed_choice_takes_no_words_notes_or_prose() -> None:
    before = asked({"one": CHOICE}, "one")
    assert before.page.rows == (0, 1, 2)
    for key in ("n", "c", "4"):
        assert keys(before, key).pages == before.pages, key
    for key in ("o", "z", "ctrl+g"):
        assert keys(before, key) == replace(before, aside=CLOSED), key
    assert not {"o", "n", "c"} & {key for key, _ in hints(before)}
    assert keys(before, "up").page.cursor == 2, "from the first row to the last"


def test_a_text_says_what_is_wrong_when_typing_ends() -> None:
    state = typed(asked({"name": TEXT, "one": CHOICE}, "name"), "A")
    assert keys(state, "enter").notice == "too short · at least 2 characters, not 1"
    left = keys(state, "tab")
    assert (left.tab, left.pages[0].answered) == (1, False)
    state = keys(typed(keys(state, "enter"), "da"), "enter")
    assert (state.tab, state.pages[0].answered) == (1, True)


def test_what_is_required_keeps_the_form_open() -> None:
    state = keys(asked({"name": TEXT, "one": CHOICE}, "name", "one"), "tab tab")
    assert state.in_review
    state = keys(state, "end enter")
    assert (state.outcome, state.tab, state.notice) == (None, 0, NEEDED)
    state = keys(typed(state, "Ada"), "enter tab end enter")
    assert (state.outcome, state.tab, state.aside) == (None, 1, NEEDED)
    state = keys(state, "1 tab enter")
    assert state.outcome == Answered((Answer(other="Ada"), Answer(selected=("a",))))


def test_what_is_optional_may_be_left_empty_and_is_reviewed() -> None:
    state = keys(asked({"one": CHOICE}), "tab")
    assert state.in_review
    assert keys(state, "end enter").outcome == Answered((Answer(),))
    chosen = keys(asked({"one": CHOICE}), "2")
    assert chosen.page.answered
    assert not keys(chosen, "space").page.answered, "taken back by the key that selects"
    assert keys(chosen, "enter end enter").outcome == Answered((Answer(selected=("b",)),))


def test_too_few_and_too_many_are_said_at_the_list() -> None:
    state = asked({"tags": TAGS}, "tags")
    assert keys(state, "enter").aside == "choose at least 2, not 0"
    assert keys(state, "1 enter").aside == "choose at least 2, not 1"
    assert keys(state, "1 2 3 enter").aside == "choose at most 2, not 3"
    late = keys(state, "1 tab end enter")
    assert (late.outcome, late.tab, late.aside) == (None, 0, "choose at least 2, not 1")
    done = keys(state, "1 3 enter end enter")
    assert done.outcome == Answered((Answer(selected=("x", "z")),))


def test_none_of_an_optional_list_is_an_answer_and_leaving_it_is_none() -> None:
    free = {"type": "array", "items": {"enum": ["x"]}}
    assert keys(asked({"t": free}), "enter end enter").outcome == Answered((Answer(empty=True),))
    assert keys(asked({"t": free}), "tab end enter").outcome == Answered((Answer(),))


def test_defaults_stand_as_a_draft_that_is_confirmed() -> None:
    properties = {
        "name": {"type": "string", "default": "Ada"},
        "count": {"type": "integer", "default": 3},
        "sure": {"type": "boolean", "default": False},
        "tags": {"type": "array", "items": {"enum": ["x", "y"]}, "default": ["y"]},
    }
    state = asked(properties, *properties)
    assert (state.answered_count, state.proposed_count, state.gaps) == (0, 4, (0, 1, 2, 3))
    assert not state.has_draft, "a person has done nothing yet"
    state = keys(state, "shift+tab")
    assert state.open_tabs == (), "a review that shows them confirms them"
    state = keys(state, "enter")
    assert state.outcome == Answered(
        (Answer(other="Ada"), Answer(other="3"), Answer(selected=("No",)), Answer(selected=("y",)))
    )
    emptied = keys(asked(properties), "tab tab tab 2")
    assert emptied.has_draft
    assert not emptied.page.answered


def test_decline_and_dismiss_are_two_answers() -> None:
    state = asked({"one": CHOICE}, "one")
    assert keys(state, "x").outcome is None, "only where it is asked"
    in_question = keys(state, "ctrl+d")
    assert in_question.focus is Focus.DECLINE
    assert keys(in_question, "y").outcome == Declined()
    assert keys(in_question, "x").outcome == Dismissed()
    assert keys(in_question, "escape").focus is Focus.LIST


def test_a_question_set_cannot_be_dismissed() -> None:
    from tests.unit.questions.drive import panel

    assert keys(panel(), "ctrl+d x").outcome is None


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
