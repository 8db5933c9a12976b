"""An answer as JSON: the shape in which `show --json` gives one back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ccq_tui.cli.answer_flags import Said, SayingError, answered, decided, own_words
from ccq_tui.inbox.records import VERSION
from ccq_tui.inbox.requests import QuestionRequest, Request, RequestOutcome
from ccq_tui.questions import Discussed, Question
from ccq_tui.text import one_line

MOST_JSON = 5_000_000
"""Bytes of an answer that are read."""
MOST_DIGITS = 100
SET_SHAPE = 'as in {"answers": [{"selected": ["LABEL"], "other": "TEXT", "note": "TEXT"}]}'
DECISION_SHAPE = 'as in {"choice": 1} or {"choice": 5, "note": "TEXT"}'
_ANSWER_FIELDS = ("selected", "other", "note", "empty", "unselected")


def said_in_json(request: Request, text: str) -> RequestOutcome:
    """Read an answer to a request; raises `SayingError`."""
    content = _object(text)
    version = content.get("version", VERSION)
    if not _is_number(version) or version != VERSION:
        raise SayingError(f"the JSON has another version than {VERSION}, the one that is known")
    if not isinstance(request, QuestionRequest):
        _only(content, ("version", "choice", "note"), "the JSON", DECISION_SHAPE)
        number, note = content.get("choice"), content.get("note")
        if not _is_number(number) or not isinstance(note, str | None):
            raise SayingError(f"the JSON is not a decision, {DECISION_SHAPE}")
        return decided(request, (str(number),), note)
    _only(content, ("version", "answers", "discuss"), "the JSON", SET_SHAPE)
    if ("answers" in content) == ("discuss" in content):
        raise SayingError('the JSON has to have either "answers" or "discuss", ' + SET_SHAPE)
    if "discuss" in content:
        return discussed(content["discuss"])
    questions, answers = request.questions.questions, content["answers"]
    if not isinstance(answers, list) or len(answers) != len(questions):
        raise SayingError(f'"answers" has to be a list of {len(questions)}, one a question, {SET_SHAPE}')
    if all(answer is None for answer in answers):
        raise SayingError("every answer is null: answer one question at least, or use ccq-tui decline")
    said = [
        _said(number, question, answer)
        for number, (question, answer) in enumerate(zip(questions, answers, strict=True), 1)
    ]
    return answered(request.questions, said)


def discussed(text: object) -> Discussed:
    """Make a reply in prose; raises `SayingError` for no text or an empty one."""
    prose = own_words(text, "the reply") if isinstance(text, str) else ""
    if not prose.strip():
        raise SayingError("an empty reply says nothing: give --discuss a text")
    return Discussed(prose)


def _object(text: str) -> dict[str, Any]:
    try:
        content = json.loads(
            text, object_pairs_hook=_fields, parse_constant=_no_constant, parse_int=_whole_number
        )
    except SayingError:
        raise
    except RecursionError as error:
        raise SayingError("the JSON is nested too deeply") from error
    except ValueError as error:
        raise SayingError(f"that is not JSON: {one_line(str(error), 120)}") from error
    if not isinstance(content, dict):
        raise SayingError(f"the JSON has to be an object, {SET_SHAPE}")
    return content


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object; a name given twice is ambiguous and refused."""
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            twice = f"the field “{one_line(name, 40)}” twice in one object"
            raise SayingError(f"the JSON has {twice}: give it once")
        fields[name] = value
    return fields


def _no_constant(name: str) -> None:
    raise SayingError(f"the JSON holds {name}, which is no number")


def _whole_number(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise SayingError(f"the JSON holds a number of more than {MOST_DIGITS} digits")
    return int(digits)


def _said(number: int, question: Question, answer: object) -> Said:
    if answer is None:
        return Said(left_open=True)
    path = f"answers[{number - 1}]"
    if not isinstance(answer, Mapping):
        raise SayingError(f"{path} has to be an object, or null to leave question {number} open")
    _only(answer, _ANSWER_FIELDS, path, f"it may have {', '.join(_ANSWER_FIELDS)}")
    selected, empty = answer.get("selected", []), answer.get("empty", False)
    if not isinstance(selected, list):
        raise SayingError(f"{path}.selected has to be a list of labels or numbers")
    if not isinstance(empty, bool):
        raise SayingError(f"{path}.empty has to be true or false")
    _text(answer, "unselected", path)  # checked alone: only a panel leaves a text unselected
    return Said(
        chosen=tuple(_chosen(number, question, item) for item in selected),
        nothing=empty,
        other=_text(answer, "other", path),
        note=_text(answer, "note", path),
    )


def _text(answer: Mapping[str, Any], name: str, path: str) -> str | None:
    value = answer.get(name)
    if not isinstance(value, str | None):
        raise SayingError(f"{path}.{name} has to be a text")
    return value or None


def _chosen(number: int, question: Question, item: object) -> int:
    """Return the number of an option that is named by its label or its number."""
    if _is_number(item):
        return int(str(item))
    if not isinstance(item, str | int | float):
        raise SayingError(f"answers[{number - 1}].selected has to hold labels or numbers of options alone")
    labels = [option.label for option in question.options]
    if item in labels:
        return labels.index(str(item)) + 1
    known = ", ".join(f"“{one_line(label, 40)}”" for label in labels[:6]) or "none"
    raise SayingError(
        f"question {number} has no option “{one_line(str(item), 40)}”: its labels are {known}"
        + (", …" if len(labels) > 6 else "")
    )


def _only(content: Mapping[str, Any], known: tuple[str, ...], path: str, shape: str) -> None:
    strange = next((name for name in content if name not in known), None)
    if strange is not None:
        raise SayingError(f"{path} has a field “{one_line(str(strange), 40)}” that is not known: {shape}")


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**6
