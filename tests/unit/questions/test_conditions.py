"""Forms whose questions depend on earlier answers, and fields that may be skipped in so many words."""

from __future__ import annotations

import pytest

from ccq_tui.questions import Answer, Answered, Condition, Kind
from ccq_tui.questions.conditions import asked
from ccq_tui.questions.events import Clicked, TabClicked
from ccq_tui.questions.keys import hints
from ccq_tui.questions.limits import answer_problem
from ccq_tui.questions.machine import step
from tests.unit.questions.drive import RELEASE, field, form, keys, typed


@pytest.mark.parametrize(
    ("when", "answer", "holds"),
    [
        (Condition(0, "a"), Answer(("a",)), True),
        (Condition(0, "a"), Answer(("a", "b")), False),
        (Condition(0, "a", contains=True), Answer(("a", "b")), True),
        (Condition(0, "a", contains=True), Answer(("ab",)), False),
        (Condition(0, "a"), Answer(other=" a "), True),
        (Condition(0, "a"), Answer(("a",), other="b"), False),
        (Condition(0, "a", contains=True), Answer(other="bad"), True),
        (Condition(0, "a"), Answer(note="a"), False),
        (Condition(0, "", contains=True), Answer(), False),
        (Condition(1, "a"), Answer(("a",)), False),
    ],
)
def test_what_a_condition_means(when: Condition, answer: Answer, holds: bool) -> None:
    questions = (field("One", "a", "b"), field("Two", when=when))
    assert asked(questions, (answer, Answer(other="a"))) == (True, holds)


def test_the_answer_to_a_hidden_question_counts_as_none_for_those_behind_it() -> None:
    sure = Answer(other="api breaks")
    assert asked(RELEASE, (Answer(("Major",)), sure, Answer(), Answer())) == (True,) * 4
    assert asked(RELEASE, (Answer(("Minor",)), sure, Answer(), Answer())) == (True, False, False, True)


def test_keys_and_clicks_pass_over_hidden_questions() -> None:
    state = keys(form(*RELEASE), "down enter")
    assert (state.tab, state.asked_tabs) == (3, (0, 3))
    assert keys(state, "shift+tab").tab == 0
    assert keys(keys(state, "shift+tab"), "shift+tab").in_review
    assert step(state, TabClicked(2)).tab == 3
    review = keys(state, "tab")
    assert review.review_row == 4, "an optional field is no gap"
    assert keys(review, "up").review_row == 3
    assert keys(review, "up up up").review_row == 4
    assert keys(review, "2").tab == 3, "the digits count what is shown"
    assert step(review, Clicked(1)) == review
    assert keys(review, "enter").outcome == Answered((Answer(("Minor",)), Answer(), Answer(), Answer()))


def test_what_was_written_to_a_hidden_question_is_kept_aside_and_comes_back() -> None:
    state = keys(typed(keys(form(*RELEASE), "1 enter"), "the api breaks"), "enter")
    state = keys(typed(state, "9"), "enter")
    assert (state.tab, state.answered_count) == (3, 3)
    minor = keys(state, "tab 1 2")
    assert (minor.tab, minor.answered_count, minor.asked_tabs) == (0, 1, (0, 3))
    done = keys(minor, "enter enter enter")
    assert done.outcome == Answered((Answer(("Minor",)), Answer(), Answer(), Answer()))
    back = keys(minor, "1 tab tab tab tab enter")
    texts = (Answer(other="the api breaks"), Answer(other="9"))
    assert back.outcome == Answered((Answer(("Major",)), *texts, Answer()))


@pytest.mark.parametrize("said", ["skip", " SKIP ", "-", "N/A"])
@pytest.mark.parametrize("kind", [Kind.TEXT, Kind.NUMBER])
def test_a_field_is_skipped_in_so_many_words(said: str, kind: Kind) -> None:
    asks = field("How many", kind=kind, pattern="^[0-9]+$", fewest=9)
    state = typed(form(asks, field("Next")), said)
    assert dict(hints(state))["Enter"] == "skip it"
    state = keys(state, "enter")
    assert (state.tab, state.pages[0].answered, state.pages[0].unselected) == (1, False, "")
    assert keys(state, "enter enter").outcome == Answered((Answer(), Answer()))


def test_an_optional_choice_can_be_left_open_by_tab_and_the_line_of_keys_says_so() -> None:
    state = form(field("Mood", "good", "bad"), field("Next"))
    assert dict(hints(state))["Tab"] == "skip"
    assert dict(hints(keys(state, "1")))["Tab"] == "next"
    assert keys(state, "tab enter enter").outcome == Answered((Answer(), Answer()))


def test_a_field_of_one_line_takes_no_line_break() -> None:
    one, several = form(field("Why", one_line=True)), form(field("Why"))
    assert (one.one_line, several.one_line) == (True, False)
    assert typed(one, "a\nb").text == "a b"
    assert "Ctrl+J" not in dict(hints(one))
    assert answer_problem(one.page.question, "a\nb").startswith("one line is allowed")
