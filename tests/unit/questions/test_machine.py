"""What the lines below the key table promise."""

from __future__ import annotations

import pytest

from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.questions.events import TextChanged, Words
from ccq_tui.questions.keys import LINE_DOWN, LINE_UP, action_for, hints
from ccq_tui.questions.machine import step
from ccq_tui.questions.prose import draft_text, length_notice, unselected_text
from ccq_tui.questions.state import Focus, opened, proposed, typable
from tests.unit.questions.drive import keys, number_question, panel, question, text_question, typed

MULTI = question("Which features?", "Auth", "Cache", "Logs", multi=True)


def test_a_preview_goes_with_the_selected_option() -> None:
    state = panel(Question("Which?", "W", (Option("A", preview="aa"), Option("B"))))
    assert keys(state, "1").page.answer().preview == "aa"
    assert keys(state, "2").page.answer().preview is None


@pytest.mark.parametrize(
    ("text", "size", "allowed"),
    [
        ("1e30", 1, True),
        ("9" * 40, 1, True),
        ("1e30", 1e-30, True),
        ("5", 1e-30, True),
        ("5", 5e-324, True),
        ("5", 1e30, False),
        ("-0", 1e30, True),
        ("3e30", 1e30, True),
        ("0.3", 0.1, True),
        ("1e30", 0.3, False),
    ],
)
def test_steps_of_any_size_are_exact(text: str, size: float, allowed: bool) -> None:
    state = step(panel(number_question(step=size)), TextChanged(text))
    assert (state.page.problem == "") is allowed


def test_a_tiny_step_beside_a_default_opens() -> None:
    assert not panel(number_question(step=1e-30, default="5")).page.problem


@pytest.mark.parametrize("way", ["o", "n", "c"])
def test_a_text_that_would_not_be_read_whole_is_warned_of_and_sent_all_the_same(way: str) -> None:
    long = "x" * 45_001
    state = keys(panel(question(), question()), f"1 {way}")
    assert length_notice(step(state, TextChanged(long[1:]))) == ""
    state = step(state, TextChanged(long))
    assert "first 2 KB of more than 45,000 characters" in length_notice(state)
    assert bool(length_notice(keys(state, "escape"))) == (way != "c"), "what is a draft alone is not sent"
    assert "first 2 KB" in length_notice(keys(state, f"escape {way}"))
    sent = keys(state, "enter") if way == "c" else keys(state, "enter tab tab end enter")
    assert long in repr(sent.outcome)


def test_a_long_paste_on_the_list_and_a_long_field_are_warned_of() -> None:
    assert "first 2 KB" in length_notice(step(panel(), Words("x" * 45_001)))
    assert "first 2 KB" in length_notice(step(panel(text_question()), TextChanged("x" * 45_001)))


def test_a_set_without_questions_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one question"):
        opened(QuestionSet("toolu_1", ()))


def test_the_draft_can_be_copied_whole() -> None:
    state = keys(typed(keys(panel(question(), MULTI), "o"), "unselected"), "enter up 2 n")
    state = keys(typed(state, "a note"), "enter c")
    text = draft_text(typed(state, "let us talk"))
    for part in ("SQLite", "unselected", "a note", "let us talk"):
        assert part in text
    state = keys(panel(question("One?"), question("Two?")), "2 x escape")
    assert unselected_text(state) == "Typed but not selected (One?): x"
    assert draft_text(state).endswith(unselected_text(state))


@pytest.mark.parametrize(
    ("text", "kept"),
    [("a\r\nb\rc", "a\nb\nc"), ("tab\there", "tab\there"), ("\x1b[2J\x07\x9b", "[2J"), ("\ud800x", "x")],
)
def test_a_field_holds_no_control_characters(text: str, kept: str) -> None:
    assert typable(text) == kept
    assert step(panel(), Words(text)).text == kept


def test_what_is_proposed_hides_nothing() -> None:
    assert proposed(text_question(default="a\u202eb\u200bc\x1b")) == "abc"
    assert panel(text_question(default="a\u202eb")).text == "ab"
    assert not panel(text_question(default="a\u202eb")).has_draft
    assert proposed(question(default="SQLite")) == ""


def test_an_empty_paste_opens_nothing() -> None:
    assert step(panel(), Words("\x1b")).focus is Focus.LIST


def test_scrolling_is_for_lists_and_the_review() -> None:
    state = panel(question(), number_question())
    assert action_for(state, "shift+down") is LINE_DOWN
    assert action_for(keys(state, "shift+tab"), "shift+up") is LINE_UP
    assert action_for(keys(state, "o"), "shift+up") is None, "in a text it selects"
    assert ("PgUp PgDn", "page") in hints(keys(panel(), "p"), "page")
