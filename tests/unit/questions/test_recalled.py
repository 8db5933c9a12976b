"""An earlier answer to a question that reads the same: shown, taken over by a key, never by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.questions import Answer, Question
from ccq_tui.questions.model import Recalled, reads_like
from ccq_tui.questions.moves import taken_over
from ccq_tui.questions.prose import before_words
from ccq_tui.questions.state import Draft, first_page
from tests.unit.questions.drive import question, text_question

MULTI = question("Which features?", "Auth", "Cache", "Logs", multi=True)


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


def test_an_earlier_answer_names_its_question_unless_that_reads_the_same() -> None:
    asked = question("Which  Database?")
    before = Recalled(Answer(("MySQL (Recommended)",), note="n"), "today 09:00", "which database?")
    assert before_words(before, asked) == ("", ("took", "MySQL"), "today 09:00")
    other = Recalled(Answer(other="none"), "on 3 Nov", "Which store?")
    assert before_words(other, asked) == ("Which store?", ("wrote", "none"), "on 3 Nov")


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
