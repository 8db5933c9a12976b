"""Questions as the JSON input of the ``AskUserQuestion`` tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ccq_tui.questions.model import Kind, Question


def question_set_input(
    questions: Iterable[Question | Mapping[str, Any]], *, title: str = ""
) -> dict[str, Any]:
    """Build the tool's input.

    Args:
        questions: The questions; a mapping is taken as it is.
        title: Subject of the set (extended schema); "" leaves it out.

    Returns:
        The input, ready for JSON. Keys of the extended schema appear only where a question needs them, so
        that plain questions pass the CLI's plain schema.
        A default is included for every kind, though the CLI (2.1.330) accepts one for numbers alone.
    """
    made = [question_json(one) if isinstance(one, Question) else dict(one) for one in questions]
    return {"title": title, "questions": made} if title else {"questions": made}


def question_json(question: Question) -> dict[str, Any]:
    """Return one question in the tool's schema."""
    made: dict[str, Any] = {"question": question.text, "header": question.header}
    if question.kind is Kind.CHOICE:
        # The schema demands a description, if an empty one.
        made["options"] = [
            {"label": one.label, "description": one.description}
            | ({} if one.preview is None else {"preview": one.preview})
            for one in question.options
        ]
        made["multiSelect"] = question.multi_select
    else:
        made["kind"] = question.kind.value
    extended = {
        "description": question.description,
        "placeholder": question.placeholder,
        "unit": question.unit,
    }
    made.update({key: text for key, text in extended.items() if text})
    if question.default:
        made["defaultValue"] = _default(question)
    limits = {"min": question.minimum, "max": question.maximum, "step": question.step}
    made.update({key: _number(value) for key, value in limits.items() if value is not None})
    return made


def _default(question: Question) -> str | float | int:
    """Return the proposed answer; the schema wants a number for a number question."""
    if question.kind is not Kind.NUMBER:
        return question.default
    try:
        return _number(float(question.default))
    except ValueError:
        return question.default


def _number(value: float) -> float | int:
    return int(value) if float(value).is_integer() else value
