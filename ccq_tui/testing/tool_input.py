"""Questions as the JSON input of the ``AskUserQuestion`` tool."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from ccq_tui.questions.model import Kind, Question
from ccq_tui.questions.wire import described


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
    extended = {
        "description": question.description,
        "placeholder": question.placeholder,
        "unit": question.unit,
        "defaultValue": _default(question),
    }
    limits = {"min": question.minimum, "max": question.maximum, "step": question.step}
    return (
        described(question)
        | {key: value for key, value in extended.items() if value != ""}
        | {key: value for key, value in limits.items() if value is not None}
    )


def _default(question: Question) -> Any:
    """Return the proposed answer; the schema wants a number for a number question."""
    with suppress(ValueError):
        return json.loads(question.default) if question.kind is Kind.NUMBER else question.default
    return question.default
