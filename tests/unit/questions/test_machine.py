"""What the lines below the key table promise."""

from __future__ import annotations

import pytest

from ccq_tui.questions import Answer, Answered, Option, Question
from ccq_tui.questions.events import Clicked, Pressed, TabClicked, Words
from ccq_tui.questions.machine import step
from ccq_tui.questions.prose import draft_text, length_notice
from ccq_tui.questions.state import Focus
from tests.unit.questions.drive import keys, number_question, panel, question, text_question, typed

MULTI = question("Which features?", "Auth", "Cache", "Logs", multi=True)


def test_opening_other_alone_keeps_the_selection() -> None:
    state = keys(panel(), "2 o escape")
    assert state.page.draft.selected == (1,)


def test_selecting_an_option_keeps_the_custom_text_as_draft() -> None:
    state = keys(typed(keys(panel(), "o"), "MySQL"), "escape up 1")
    assert state.page.answer().selected == ("Postgres",)
    assert state.page.answer().other == ""
    assert keys(state, "end enter enter").outcome == Answered((Answer(other="MySQL"),))


@pytest.mark.parametrize("typed_first", ["x", "é", "数", "A", "?"])
def test_a_printable_key_that_means_nothing_opens_other_with_it(typed_first: str) -> None:
    state = step(panel(), Pressed(typed_first, typed_first))
    assert (state.focus, state.text, state.page.cursor) == (Focus.OTHER, typed_first, 3)


def test_a_paste_on_the_list_opens_other_with_the_whole_of_it() -> None:
    state = step(panel(), Words("two\nlines"))
    assert (state.focus, state.text) == (Focus.OTHER, "two\nlines")
    assert step(keys(panel(MULTI), "tab"), Words("x")).in_review


def test_clicks_select_and_only_submit_confirms() -> None:
    state = step(panel(), Clicked(2))
    assert (state.page.draft.selected, state.outcome) == ((2,), None)
    review = step(step(panel(MULTI), Clicked(0)), TabClicked(1))
    assert review.in_review
    assert step(review, Clicked(0)).tab == 0
    assert step(review, Clicked(1)).outcome == Answered((Answer(selected=("Auth",)),))
    assert step(panel(), Clicked(99)).page == panel().page


def test_the_cursor_starts_on_the_recommendation_and_nothing_is_selected() -> None:
    state = panel(Question("Which?", "W", (Option("A"), Option("B (Recommended)"), Option("C"))))
    assert (state.page.cursor, state.page.draft.selected) == (1, ())
    assert state.page.question.options[1].title == "B"
    confirmed = keys(state, "enter").outcome
    assert isinstance(confirmed, Answered)
    assert confirmed.answers[0].selected == ("B (Recommended)",)


def test_a_preview_goes_with_the_selected_option() -> None:
    state = panel(Question("Which?", "W", (Option("A", preview="aa"), Option("B"))))
    assert keys(state, "1").page.answer().preview == "aa"
    assert keys(state, "2").page.answer().preview is None


@pytest.mark.parametrize(
    ("text", "step", "allowed"),
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
def test_steps_of_any_size_are_exact(text: str, step: float, allowed: bool) -> None:
    state = step_text(panel(number_question(step=step)), text)
    assert (state.page.problem == "") is allowed


def test_a_tiny_step_beside_a_default_opens() -> None:
    assert not panel(number_question(step=1e-30, default="5")).page.problem


@pytest.mark.parametrize("way", ["o", "n", "c"])
def test_a_text_that_would_not_be_read_whole_is_warned_of_and_sent_all_the_same(way: str) -> None:
    long = "x" * 45_001
    state = keys(panel(question(), question()), f"1 {way}")
    assert length_notice(step_text(state, long[1:])) == ""
    state = step_text(state, long)
    assert "first 2 KB of more than 45,000 characters" in length_notice(state)
    assert bool(length_notice(keys(state, "escape"))) == (way != "c"), "what is a draft alone is not sent"
    assert "first 2 KB" in length_notice(keys(state, f"escape {way}"))
    sent = keys(state, "enter") if way == "c" else keys(state, "enter tab tab end enter")
    assert long in repr(sent.outcome)


def test_a_long_paste_on_the_list_and_a_long_field_are_warned_of() -> None:
    assert "first 2 KB" in length_notice(step(panel(), Words("x" * 45_001)))
    assert "first 2 KB" in length_notice(step_text(panel(text_question()), "x" * 45_001))


def test_duplicate_labels_are_told_apart() -> None:
    state = keys(panel(Question("Which?", "W", (Option("Same"), Option("Same")), multi_select=True)), "2")
    assert state.page.draft.selected == (1,)


def test_nothing_changes_after_the_outcome() -> None:
    ended = keys(panel(), "enter")
    assert keys(ended, "2 o f2 ctrl+d ctrl+d") == ended


def test_a_set_without_questions_is_refused() -> None:
    from ccq_tui.questions import QuestionSet
    from ccq_tui.questions.state import opened

    with pytest.raises(ValueError, match="at least one question"):
        opened(QuestionSet("toolu_1", ()))


def test_the_draft_can_be_copied_whole() -> None:
    state = keys(typed(keys(panel(question(), MULTI), "o"), "unselected"), "enter up 2 n")
    state = keys(typed(state, "a note"), "enter c")
    text = draft_text(typed(state, "let us talk"))
    for part in ("SQLite", "unselected", "a note", "let us talk"):
        assert part in text


def step_text(state, text):  # type: ignore[no-untyped-def]
    from ccq_tui.questions.events import TextChanged

    return step(state, TextChanged(text))
