"""Encodes a person's answers as the ``updated_input`` that the ``AskUserQuestion`` tool takes.

Answers are structured everywhere in the program; the joined strings exist only here, on the way out, and
are never parsed back, except to draw the past of a resumed session. What the tool accepts and the model then
reads was measured with Claude Code 2.1.330.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ccq_tui.questions.message import discussion_text
from ccq_tui.questions.model import Answer, Kind, Question, QuestionSet
from ccq_tui.questions.outcome import Discussed
from ccq_tui.questions.parse import QuestionFormatError, raw_questions

NONE_OF_THESE = "(none of these)"
"""The text that the agent reads if a multi-select was confirmed with nothing selected."""

_OUTCOME_FIELDS = frozenset({"answers", "annotations", "response", "followUp", "afkTimeoutMs"})


def encode(questions: QuestionSet, answers: tuple[Answer, ...]) -> dict[str, Any]:
    """Put confirmed answers on the wire: the input with ``answers`` and, where needed, ``annotations``.

    Raises ValueError unless there is one answer per question.
    """
    keys = wire_keys(questions)
    texts: dict[str, str] = {}
    annotations: dict[str, dict[str, str]] = {}
    for key, question, answer in zip(keys, questions.questions, answers, strict=True):
        if answer.given:
            texts[key] = answer_text(question, answer)
        remarks = {"notes": answer.note, "preview": (answer.preview if answer.given else "") or ""}
        if any(remarks.values()):
            annotations[key] = {name: text for name, text in remarks.items() if text}
    result = _echo(questions, keys) | {"answers": texts}
    return result | {"annotations": annotations} if annotations else result


def encode_discussion(questions: QuestionSet, discussed: Discussed) -> dict[str, Any]:
    """Put prose that answers the whole set on the wire, as the tool's ``response``.

    Only ``can_use_tool`` may return it: a hook's is ignored, and so is blank prose.
    """
    return _echo(questions, wire_keys(questions)) | {"response": discussion_text(questions, discussed)}


def encode_remark(questions: QuestionSet, text: str) -> dict[str, Any]:
    """Put prose on the wire where ``response`` is not read: as a note to the first question.

    To the model it is "(no option selected) notes: ...".
    """
    keys = wire_keys(questions)
    return _echo(questions, keys) | {"answers": {}, "annotations": {keys[0]: {"notes": text}}}


def answer_text(question: Question, answer: Answer) -> str:
    """Return the one string that stands for an answer: labels joined by ``", "``, then the custom text.

    The CLI recognizes labels by that separator. Custom text is as typed, but in double quotes if it has
    a comma and could be read as several labels.
    """
    if not (answer.selected or answer.other):
        return NONE_OF_THESE
    # The CLI takes an empty answer for none at all, but lets options without a label pass.
    empty = next((number for number, option in enumerate(question.options, 1) if not option.label), "?")
    parts = [label or f"(option {empty}, no label)" for label in answer.selected]
    if answer.other:
        quoted = question.multi_select and "," in answer.other
        parts.append(f'"{answer.other}"' if quoted else answer.other)
    return ", ".join(parts)


def wire_keys(questions: QuestionSet) -> list[str]:
    """Return the text that names each question on the wire, numbered if a text comes twice.

    Answers are keyed by the question's text there, so of two equal ones an answer would be lost.
    """
    texts = {question.text for question in questions.questions}
    keys: list[str] = []
    used: set[str] = set()
    for question in questions.questions:
        key, number = question.text, 1
        while key in used or (number > 1 and key in texts):
            number += 1
            key = f"{question.text} ({number})"
        used.add(key)
        keys.append(key)
    return keys


def _echo(questions: QuestionSet, keys: list[str]) -> dict[str, Any]:
    """Return the input without the fields of a person's outcome, its questions named by ``keys``."""
    kept = {name: value for name, value in questions.source.items() if name not in _OUTCOME_FIELDS}
    try:
        raw = raw_questions(questions.source)
    except QuestionFormatError:
        raw = []  # a set that did not come from a tool call has no input to echo
    if len(raw) != len(keys) or not all(isinstance(item, Mapping) for item in raw):
        raw = [described(question) for question in questions.questions]
    kept["questions"] = [{**item, "question": key} for item, key in zip(raw, keys, strict=True)]
    return kept


def described(question: Question) -> dict[str, Any]:
    """Write a question as the tool's schema has it, without the texts and limits of the extended one."""
    head: dict[str, Any] = {"question": question.text, "header": question.header}
    if question.kind is not Kind.CHOICE:
        return head | {"kind": str(question.kind)}
    options = [
        # The schema demands a description, if an empty one.
        {"label": o.label, "description": o.description} | ({"preview": o.preview} if o.preview else {})
        for o in question.options
    ]
    return head | {"options": options, "multiSelect": question.multi_select}
