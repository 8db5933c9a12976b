"""What the lines below the key table promise."""

from __future__ import annotations

import pytest

from ccq_tui.questions import Answer, Answered, Option, Question
from ccq_tui.questions.events import Clicked, Pressed, TabClicked, Words
from ccq_tui.questions.keys import hints
from ccq_tui.questions.machine import step
from ccq_tui.questions.moves import CLOSED
from ccq_tui.questions.prose import draft_text, length_notice
from ccq_tui.questions.state import Focus
from tests.unit.questions.drive import keys, number_question, panel, question, text_question, typed

MULTI = question("Which features?", "Auth", "Cache", "Logs", multi=True)


def test_other_is_an_answer_only_while_its_text_is_not_empty() -> None:
    state = keys(typed(keys(panel(), "2 o"), "MySQL"), "escape")
    assert state.page.answer() == Answer(other="MySQL")
    emptied = keys(step_text(keys(state, "o"), "  "), "enter")
    assert not emptied.page.answered


@pytest.mark.parametrize("key", ["o", "x"])
def test_a_closed_question_has_no_custom_text(key: str) -> None:
    state = panel(question(closed=True))
    assert state.page.rows == (0, 1, 2)
    refused = keys(state, key)
    assert (refused.focus, refused.page.draft.other) == (Focus.LIST, "")
    assert refused.aside == CLOSED
    assert keys(refused, "up enter").outcome == Answered((Answer(selected=("DuckDB",)),))


def test_opening_other_alone_keeps_the_selection() -> None:
    state = keys(panel(), "2 o escape")
    assert state.page.draft.selected == (1,)


def test_selecting_an_option_keeps_the_custom_text_as_draft() -> None:
    state = keys(typed(keys(panel(), "o"), "MySQL"), "escape up 1")
    assert state.page.answer().selected == ("Postgres",)
    assert state.page.answer().other == ""
    assert keys(state, "end enter enter").outcome == Answered((Answer(other="MySQL"),))


def test_a_note_never_drops_the_selection() -> None:
    state = keys(typed(keys(panel(), "2 n"), "keep it small"), "enter")
    assert state.page.answer() == Answer(selected=("SQLite",), note="keep it small")


def test_enter_sends_the_custom_text_of_a_set_of_one_and_escape_keeps_it() -> None:
    state = typed(keys(panel(), "o"), "my own")
    assert keys(state, "enter").outcome == Answered((Answer(other="my own"),))
    left = keys(state, "escape")
    assert (left.focus, left.outcome, left.page.draft.other_on) == (Focus.LIST, None, True)
    several = keys(typed(keys(panel(question(), MULTI), "o"), "my own"), "enter")
    assert (several.focus, several.tab, several.outcome) == (Focus.LIST, 0, None)


def test_space_on_other_opens_its_text_again() -> None:
    state = keys(typed(keys(panel(), "o"), "my own"), "escape space")
    assert (state.focus, state.text) == (Focus.OTHER, "my own")


@pytest.mark.parametrize("typed_first", ["x", "é", "数", "A", "?"])
def test_a_printable_key_that_means_nothing_opens_other_with_it(typed_first: str) -> None:
    state = step(panel(), Pressed(typed_first, typed_first))
    assert (state.focus, state.text, state.page.cursor) == (Focus.OTHER, typed_first, 3)


def test_a_paste_on_the_list_opens_other_with_the_whole_of_it() -> None:
    state = step(panel(), Words("two\nlines"))
    assert (state.focus, state.text) == (Focus.OTHER, "two\nlines")
    assert step(keys(panel(MULTI), "tab"), Words("x")).in_review


def test_a_multi_select_takes_labels_and_custom_text() -> None:
    state = keys(typed(keys(panel(MULTI), "1 3 o"), "mail, fax"), "enter enter")
    assert state.in_review
    assert keys(state, "enter").outcome == Answered((Answer(selected=("Auth", "Logs"), other="mail, fax"),))


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


def test_text_question() -> None:
    state = panel(text_question(default="api"))
    assert (state.focus, state.text) == (Focus.FIELD, "api")
    state = step_text(state, "billing j1")
    assert keys(state, "enter").outcome == Answered((Answer(other="billing j1"),))
    assert keys(step_text(state, " "), "enter").outcome is None
    state = step_text(panel(text_question(default="api", options=(Option("Enter alone"),))), "")
    assert hints(state)[0] == ("Enter", "Enter alone")
    assert keys(state, "enter").outcome == Answered((Answer(("Enter alone",)),))


def test_number_question_says_what_is_allowed_and_stays() -> None:
    state = panel(number_question(minimum=1, maximum=10, step=1, unit="nodes"))
    for wrong, says in (("12", "1 to 10 nodes"), ("2.5", "steps of 1"), ("many", "not a number")):
        refused = keys(step_text(state, wrong), "enter")
        assert refused.outcome is None
        assert says in refused.notice
        assert refused.text == wrong, "what was typed stays"
    assert keys(step_text(state, " 7 "), "enter").outcome == Answered((Answer(other="7"),))


def test_a_wrong_number_is_never_submitted() -> None:
    state = panel(number_question(maximum=3), question())
    state = keys(step_text(state, "9"), "tab 1 tab end enter")
    assert (state.outcome, state.tab) == (None, 0)
    assert "at most 3" in state.notice


@pytest.mark.parametrize(
    "text",
    [
        *("1e999999999", "0e999999999", "1e99999999999999999999", "NaN", "inf", "-", "9" * 500),
        *("1_000", "１２", "٣", "1e", ".", "+-1", "1 0", "0x10"),
    ],
)
def test_odd_numbers_are_refused_without_work(text: str) -> None:
    assert keys(step_text(panel(number_question(step=1)), text), "enter").outcome is None


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


def test_a_field_left_by_escape_can_take_a_note_and_be_opened_again() -> None:
    state = keys(step_text(panel(text_question()), "api"), "escape n")
    state = keys(typed(state, "for now"), "enter")
    assert state.page.answer() == Answer(other="api", note="for now")
    assert keys(state, "o").focus is Focus.FIELD
    assert keys(state, "enter").focus is Focus.FIELD, "its row opens it"
    assert keys(state, "enter enter").outcome is not None


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
