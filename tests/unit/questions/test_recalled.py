"""An earlier answer to a question that reads the same: shown, taken over by a key, never by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.questions import Answer, Answered, Question
from ccq_tui.questions.keys import action_for, recalls
from ccq_tui.questions.model import Recalled, reads_like
from ccq_tui.questions.moves import taken_over
from ccq_tui.questions.prose import before_words
from ccq_tui.questions.state import Draft, Focus, PanelState, first_page
from tests.unit.questions.drive import keys, number_question, panel, question, text_question, typed

MULTI = question("Which features?", "Auth", "Cache", "Logs", multi=True)


def asked_again(answer: Answer, *questions: Question) -> PanelState:
    return replace(panel(*questions), recalled=(Recalled(answer, "on 3 Nov"),))


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (question("which  DATABASE?", "One", "Two"), True),
        (question("Which store?", "DuckDB", "Postgres", "SQLite"), True),
        (question("Which store?", "Postgres", "SQLite"), False),
        (question("Which store?", "Postgres", "SQLite", "MySQL"), False),
        (question("Which stores?", "Postgres", "SQLite", "DuckDB", multi=True), False),
        (text_question("Which database?"), False),
    ],
)
def test_questions_read_the_same_by_their_text_or_by_three_options(other: Question, same: bool) -> None:
    assert reads_like(question(), other) is same
    assert reads_like(other, question()) is same


def test_two_options_in_common_make_no_questions_the_same() -> None:
    assert not reads_like(question("Delete it?", "Yes", "No"), question("Deploy it?", "Yes", "No"))


def test_the_key_takes_the_answer_over_and_enter_confirms_it() -> None:
    state = asked_again(Answer(("SQLite",), note="small"))
    assert state.page.draft == Draft()
    assert recalls(state)
    after = keys(state, "r")
    assert after.outcome is None
    assert (after.page.cursor, after.page.draft) == (1, Draft(selected=(1,), note="small", taken=True))
    assert not recalls(after)
    assert keys(after, "enter").outcome == Answered((Answer(("SQLite",), note="small"),))


def test_without_the_key_nothing_of_it_is_answered() -> None:
    assert keys(asked_again(Answer(("SQLite",))), "enter").outcome == Answered((Answer(("Postgres",)),))


def test_the_key_is_text_where_nothing_was_answered_before_and_in_every_text() -> None:
    assert keys(panel(), "r").text == "r"
    assert action_for(keys(asked_again(Answer(("SQLite",))), "n"), "r", "r") is None


def test_what_was_typed_stays() -> None:
    asked = asked_again(Answer((), other="MySQL", note="old"))
    state = keys(typed(keys(asked, "o"), "Oracle"), "escape")
    after = keys(state, "up r")
    assert (after.page.draft.other, after.page.draft.note) == ("Oracle", "old")


def test_own_text_and_options_of_a_multi_select_come_back_together() -> None:
    after = keys(asked_again(Answer(("Auth", "Logs"), other="Mail"), MULTI), "r")
    assert after.page.draft == Draft(selected=(0, 2), other="Mail", other_on=True, taken=True)


def test_options_that_are_no_longer_offered_are_left_out_and_said() -> None:
    state = asked_again(Answer(("MySQL",)))
    assert not recalls(state)
    assert keys(state, "r").text == "r", "the key is text: there is nothing to take over"


def test_an_earlier_answer_names_its_question_unless_that_reads_the_same() -> None:
    asked = question("Which  Database?")
    before = Recalled(Answer(("MySQL (Recommended)",), note="n"), "today 09:00", "which database?")
    assert before_words(before, asked) == ("", ("took", "MySQL"), "today 09:00")
    other = Recalled(Answer(other="none"), "on 3 Nov", "Which store?")
    assert before_words(other, asked) == ("Which store?", ("wrote", "none"), "on 3 Nov")


def test_a_field_takes_the_text_over_once_it_is_left() -> None:
    for asked, answer in ((text_question(), "tidy"), (number_question(), "30")):
        state = keys(asked_again(Answer(other=answer), asked), "escape r")
        assert state.focus is Focus.LIST
        assert state.page.answer() == Answer(other=answer)


answers = st.builds(
    Answer,
    selected=st.lists(st.sampled_from(("Auth", "Cache", "Gone")), unique=True).map(tuple),
    other=st.sampled_from(("", "Mail")),
    note=st.sampled_from(("", "old")),
)
drafts = st.builds(
    Draft,
    selected=st.lists(st.sampled_from((0, 1, 2)), unique=True, max_size=1).map(tuple),
    other=st.sampled_from(("", "mine")),
    note=st.sampled_from(("", "new")),
)


@given(answers, drafts, st.booleans())
def test_no_text_is_replaced_and_a_second_time_changes_nothing(
    answer: Answer, draft: Draft, several: bool
) -> None:
    page = replace(first_page(replace(MULTI, multi_select=several)), draft=draft)
    after = replace(page, draft=taken_over(page, answer))
    assert after.draft.other == (draft.other or answer.other)
    assert after.draft.note == (draft.note or answer.note)
    assert several or len(after.draft.selected) + after.draft.other_on <= 1
    assert taken_over(after, answer) == after.draft
