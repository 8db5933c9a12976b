"""Sets that are still being written: every part reads as a part, and costs no more than it is long."""

from __future__ import annotations

import json

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ccq_tui.questions import Kind, Option, Question, QuestionSet
from ccq_tui.questions.parse import QuestionFormatError, parse_question_set
from ccq_tui.questions.partial_parse import ArrivingSet, PartialSet
from ccq_tui.testing.scenario import question_set_input
from tests.unit.questions.test_random_events import sets

DATABASE = Question(
    "Which database?", "Database", (Option("SQLite", "A file"), Option("PostgreSQL", "A server"))
)
NAME = Question("What name?", "Name", kind=Kind.TEXT)


def looks(text: str, size: int = 1) -> list[PartialSet]:
    """Everything that is read when a text comes in pieces."""
    arriving = ArrivingSet("toolu_1")
    found = []
    for at in range(0, len(text), size):
        arriving.feed(text[at : at + size])
        if (look := arriving.look()) is not None:
            found.append(look)
    return found


def is_part(part: QuestionSet, whole: QuestionSet, complete: int) -> bool:
    """Whether a set is the beginning of another one, its complete questions equal to the other's."""
    return (
        part.questions[:complete] == whole.questions[:complete]
        and len(part.questions) <= len(whole.questions)
        and all(map(_begins, part.questions, whole.questions))
    )


def _begins(part: Question, whole: Question) -> bool:
    options = all(
        w.label.startswith(p.label)
        and w.description.startswith(p.description)
        and (w.preview or "").startswith(p.preview or "")
        for p, w in zip(part.options, whole.options, strict=False)
    )
    return whole.text.startswith(part.text) and len(part.options) <= len(whole.options) and options


@settings(max_examples=40, deadline=None)
@given(sets, st.integers(1, 9))
def test_every_prefix_reads_as_a_prefix(questions: QuestionSet, size: int) -> None:
    source = question_set_input(questions.questions)
    try:
        whole = parse_question_set("toolu_1", source)
    except QuestionFormatError:
        assume(False)
    found = looks(json.dumps(source), size)
    before = PartialSet(QuestionSet("toolu_1", ()), 0)
    for look in found:
        assert is_part(look.questions, whole, look.complete)
        assert is_part(before.questions, look.questions, before.complete)
        assert before.complete <= look.complete <= len(look.questions.questions) <= look.complete + 1
        before = look


def test_the_first_option_is_readable_before_the_rest() -> None:
    text = json.dumps(question_set_input([DATABASE, NAME], title="Two things"))
    found = looks(text)
    first = found[0].questions
    assert first == QuestionSet(
        "toolu_1", (Question("Which database?", "Database", (Option("S"),)),), title="Two things"
    )
    assert found[-1].complete == 1
    assert found[-1].questions.questions == (DATABASE, NAME)


def test_what_is_not_a_set_is_never_shown() -> None:
    asked = json.dumps(question_set_input([DATABASE]))
    for text in (
        "[1, 2]",
        '{"question": "Which?"}',
        '{"meta": ' + asked + "}",
        json.dumps({"questions": asked}),
        '{"questions": [{"question": "Which?", "options": [1, 2, 3]}]}',
        '{"questions": ["Which?", "What?"]} }',
        '{"questions": [{"question": "Which?", "options": [{"label": "\n"}]}]}',
        '{"questions": [{"question": "Which?", "options": ' + "[" * 5000,
        " " * 100,
    ):
        assert looks(text) == [], text


def test_a_set_in_other_words_is_read_as_it_comes() -> None:
    text = '{"a": "[\\"questions\\": [", "questions" : [ {"options": [{"label": "x"}], "question": "Q'
    assert looks(text)[-1].questions.questions == (Question("Q", options=(Option("x"),)),)


def test_what_is_parsed_grows_with_the_text_and_no_faster() -> None:
    def parsed(questions: list[Question]) -> tuple[int, int]:
        text = json.dumps(question_set_input(questions))
        arriving = ArrivingSet("toolu_1")
        for at in range(0, len(text), 8):
            arriving.feed(text[at : at + 8])
            arriving.look()
        return arriving.parsed, len(text)

    many = [DATABASE] * 200
    long = [Question("Which?", "W", (Option("a", "b", "x" * 400_000), Option("b")))]
    for questions in (many, long):
        work, length = parsed(questions)
        assert work < 300 * length  # each of the first 8,192 characters in 512 looks, then in some 64


def test_a_call_that_is_too_long_is_left_to_its_end() -> None:
    text = json.dumps(question_set_input([DATABASE] * 20_000))
    arriving = ArrivingSet("toolu_1")
    for at in range(0, len(text), 100_000):
        arriving.feed(text[at : at + 100_000])
    assert arriving.look() is None
    assert arriving.parsed == 0
