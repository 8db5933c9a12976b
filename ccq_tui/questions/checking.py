"""Whether a set takes answers, with messages that a person can act on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ccq_tui.questions.conditions import asked
from ccq_tui.questions.limits import answer_problem, selection_problem
from ccq_tui.questions.model import Answer, Kind, Question, QuestionSet
from ccq_tui.questions.numbers import number_problem


class FieldError(ValueError):
    """A value that a question does not take; the message is for a person.

    Attributes:
        number: The question's place, from 0.
        part: The wrong part of the answer: "selected", "other", "note", "empty" or "".
    """

    def __init__(self, number: int, part: str, problem: str) -> None:
        super().__init__(problem)
        self.number = number
        self.part = part


def check(questions: QuestionSet, answers: Sequence[Answer]) -> None:
    """Refuse answers, one per question, that a set does not take; raises `FieldError`."""
    shown = asked(questions.questions, answers)
    for number, (question, answer) in enumerate(zip(questions.questions, answers, strict=True)):
        rules = [*_of_answers(question, answer)]
        if questions.is_prompt:
            rules += [
                ("note", answer.note, "a program's prompt takes no note: leave it out"),
                ("other", not answer.other.isprintable(), "a program's prompt takes one line of plain text"),
            ]
        if questions.is_form:
            rules += _of_forms(question, answer, is_asked=shown[number])
        for part, wrong, reason in rules:
            if wrong:
                raise FieldError(number, part, reason.replace(" · ", ": "))


Rules = Iterator[tuple[str, object, str]]
"""Parts of an answer, each with whether it is wrong, and why."""


def _of_answers(question: Question, answer: Answer) -> Rules:
    other, labels = answer.other, Counter(option.label for option in question.options)
    if question.kind is Kind.CHOICE:
        beyond = Counter(answer.selected) - labels
        yield "selected", beyond, f"no option “{next(iter(beyond), '')}”, or it is given too often"
        yield "other", other and question.closed, "it takes one of its options, and no text of your own"
        single, both = not question.multi_select, answer.selected or other
        yield "empty", answer.empty and single, "the question takes one choice, not none"
        yield "empty", answer.empty and both, "not together with a selection or a text"
        several = len(answer.selected) + bool(other) > 1
        yield "selected", single and several, "the question takes one choice"
    else:
        yield "selected", answer.selected not in ((), tuple(labels)), "the question has no options"
        yield "other", answer.selected and other, "not together with a selection"
        yield "empty", answer.empty, f"the question takes a {question.kind}, not a selection"
    yield "other", other and not other.strip(), "a blank text is no answer"
    if other and question.kind is Kind.NUMBER:
        problem = number_problem(question, other)
        yield "other", problem, problem


def _of_forms(question: Question, answer: Answer, *, is_asked: bool) -> Rules:
    part = "other" if answer.other else "selected"
    yield part, not is_asked and answer != Answer(), "it is not asked, given the answers before it"
    yield "note", answer.note, "a form takes no notes"
    is_given = answer.given and not (answer.empty and question.skippable)
    yield "", is_asked and question.required and not is_given, "the form needs this"
    if is_given and question.kind is Kind.CHOICE:
        problem = selection_problem(question, len(answer.selected) + bool(answer.other))
        yield "selected", problem, problem
    elif is_given:
        problem = answer_problem(question, answer.other)
        yield "other", problem, problem
