"""Answers to a question set or a form, read from their public JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ccq_tui.inbox.answer_json import check_fields, is_number, words
from ccq_tui.inbox.requests import AnsweredRequest
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Answer, Answered, Discussed, Kind, Question
from ccq_tui.text import one_line

FIELDS = ("selected", "other", "note", "empty", "unselected")
MOST_LABELS = 6


def parse(request: AnsweredRequest, data: Mapping[str, Any]) -> Answered | Discussed:
    """Read one answer for each question, or prose; raises `InvalidOutcome`."""
    check_fields(data, ("answers", "discuss"))
    if ("answers" in data) == ("discuss" in data):
        raise InvalidOutcome("", "either “answers” or “discuss” is needed")
    if "discuss" in data:
        prose = words(data, "discuss", "discuss")
        if not prose.strip():
            raise InvalidOutcome("discuss", "an empty reply says nothing")
        return Discussed(prose)
    questions, answers = request.questions.questions, data["answers"]
    if not isinstance(answers, list) or len(answers) != len(questions):
        raise InvalidOutcome("answers", f"a list of {len(questions)} is needed, one answer a question")
    if all(answer is None for answer in answers):
        raise InvalidOutcome("answers", "every answer is null: answer one question at least, or decline")
    pairs = enumerate(zip(questions, answers, strict=True))
    return Answered(tuple(_answer(f"answers[{number}]", *pair) for number, pair in pairs))


def _answer(path: str, question: Question, given: object) -> Answer:
    if given is None:
        return Answer()
    if not isinstance(given, Mapping):
        raise InvalidOutcome(path, "an object is needed, or null to leave the question open")
    check_fields(given, FIELDS, path)
    selected, empty = given.get("selected", []), given.get("empty", False)
    if not isinstance(selected, list):
        raise InvalidOutcome(f"{path}.selected", "a list of labels or numbers is needed")
    if not isinstance(empty, bool):
        raise InvalidOutcome(f"{path}.empty", "true or false is needed")
    other, note = words(given, "other", f"{path}.other"), words(given, "note", f"{path}.note")
    words(given, "unselected", f"{path}.unselected")  # only a panel leaves a text unselected
    chosen = sorted({_place(f"{path}.selected", question, item) for item in selected})
    single = question.kind is Kind.CHOICE and not question.multi_select
    answer = Answer(
        tuple(question.options[place].label for place in chosen),
        other.strip() if question.kind is Kind.NUMBER else other,
        note,
        question.options[chosen[0]].preview if single and chosen else None,
        empty,
    )
    # What an optional field of a form has for a default is the server's to apply.
    if not answer.given and (note or question.field is None or question.required):
        raise InvalidOutcome(path, "no answer" + ("; a note alone is none" if note else ""))
    return answer


def _place(path: str, question: Question, item: object) -> int:
    """Return the place of an option, given by its label or its number."""
    labels = [option.label for option in question.options]
    if is_number(item) and 1 <= item <= len(labels):
        return item - 1
    if not isinstance(item, str | int | float):
        raise InvalidOutcome(path, "labels or numbers of options are needed")
    if isinstance(item, str) and item in labels:
        return labels.index(item)
    known = ", ".join(f"“{one_line(label, 40)}”" for label in labels[:MOST_LABELS]) or "none"
    more = ", …" if len(labels) > MOST_LABELS else ""
    shown = one_line(str(item), 40) if is_number(item) else f"“{one_line(str(item), 40)}”"
    raise InvalidOutcome(path, f"no option {shown}; there are {known}{more}")
