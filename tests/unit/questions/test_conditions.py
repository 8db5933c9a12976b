"""Forms whose questions depend on earlier answers, and fields that may be skipped in so many words."""

from __future__ import annotations

import pytest

from ccq_tui.questions import Answer, Condition
from ccq_tui.questions.conditions import asked
from ccq_tui.questions.keys import hints
from ccq_tui.questions.limits import answer_problem
from tests.unit.questions.drive import RELEASE, field, form, typed


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


def test_a_field_of_one_line_takes_no_line_break() -> None:
    one, several = form(field("Why", one_line=True)), form(field("Why"))
    assert (one.one_line, several.one_line) == (True, False)
    assert typed(one, "a\nb").text == "a b"
    assert "Ctrl+J" not in dict(hints(one))
    assert answer_problem(one.page.question, "a\nb").startswith("one line is allowed")
