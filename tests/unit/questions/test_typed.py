"""Answers as a person types them in one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.questions.model import Answer, FieldRules, Kind, Option, Question
from ccq_tui.questions.typed import TypedError, named, read_typed
from tests.unit.inbox.made import questions

OPTIONS = (Option("Major"), Option("Minor (Recommended)"), Option("Patch, small"), Option("10"))
ONE = Question("Kind?", options=OPTIONS)
SEVERAL = Question("Kinds?", options=OPTIONS, multi_select=True)
SURE = Question("Sure?", options=(Option("Yes"), Option("No")), closed=True)
RULES = FieldRules(skippable=True, fewest=2, most=3)


def field(kind: Kind = Kind.TEXT, *, required: bool = False, **more: object) -> Question:
    rules = FieldRules(required=required, skippable=True, **more)  # type: ignore[arg-type]
    return Question("Why?", kind=kind, field=rules, minimum=1 if kind is Kind.NUMBER else None)


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (ONE, "1", Answer(("Major",))),
        (ONE, " mAJOR ", Answer(("Major",))),
        (ONE, "minor", Answer(("Minor (Recommended)",))),
        (ONE, "patch,  small", Answer(("Patch, small",))),
        (ONE, "10", Answer(("10",))),
        (ONE, "a hotfix", Answer(other="a hotfix")),
        (SURE, "Y", Answer(("Yes",))),
        (SURE, "n", Answer(("No",))),
        (SEVERAL, "3, 1,", Answer(("Major", "Patch, small"))),
        (SEVERAL, "patch, small, MAJOR, 1", Answer(("Major", "Patch, small"))),
        (SEVERAL, "1 and a hotfix", Answer(other="1 and a hotfix")),
        (SEVERAL, "None", Answer(empty=True)),
        (SEVERAL, "0", Answer(empty=True)),
        (field(), "N/A", Answer()),
        (field(), "", Answer()),
        (field(one_line=True), "two\nlines", Answer(other="two lines")),
        (field(), "two\nlines", Answer(other="two\nlines")),
        (field(Kind.NUMBER), " 2.5 ", Answer(other="2.5")),
        (Question("Kinds?", options=OPTIONS, multi_select=True, field=RULES), "0", Answer()),
    ],
)
def test_a_line_is_an_answer(question: Question, text: str, answer: Answer) -> None:
    assert read_typed(question, text) == answer


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        (ONE, "5", "no option “5” · choose 1 Major, 2 Minor, 3 Patch, small, 4 10"),
        (ONE, "1,2", "one option, not 2"),
        (ONE, "", "an answer is needed"),
        (SEVERAL, "1,7", "no option “1,7”"),
        (Question("Kind?", options=OPTIONS, closed=True), "hotfix", "no option “hotfix”"),
        (Question("Kinds?", options=OPTIONS, multi_select=True, field=RULES), "1", "at least 2, not 1"),
        (field(required=True), "skip", ""),
        (field(Kind.NUMBER, required=True), "skip", "not a number"),
        (field(Kind.NUMBER), "0", "out of range"),
        (field(most=3), "four", "too long · at most 3 characters"),
    ],
)
def test_a_line_that_is_none_is_refused_with_what_is_allowed(
    question: Question, text: str, said: str
) -> None:
    if not said:
        assert read_typed(question, text) == Answer(other=text)  # a required text may well be "skip"
        return
    with pytest.raises(TypedError, match=said.replace("(", r"\(")):
        read_typed(question, text)


def test_the_preview_of_a_choice_goes_with_it() -> None:
    question = Question("Which?", options=(Option("A", preview="| A |"), Option("B")))
    assert read_typed(question, "a") == Answer(("A",), preview="| A |")


@given(questions, st.text(max_size=8))
def test_any_line_is_an_answer_or_refused(question: Question, text: str) -> None:
    try:
        answer = read_typed(question, text)
    except TypedError:
        return
    assert set(answer.selected) <= {option.label for option in question.options}
    assert question.multi_select or len(answer.selected) + bool(answer.other) <= 1


@given(
    st.lists(st.sampled_from([*"1234", "a", "A", "2. a", "a, 1", "a\x1b[1m", "b\nc", "-", "yes"]), min_size=1)
)
def test_a_button_names_one_option(labels: list[str]) -> None:
    question = Question("Which?", options=tuple(map(Option, labels)), field=FieldRules(skippable=True))
    for place, label in enumerate(labels):
        assert read_typed(question, named(question, place)).selected == (label,)
