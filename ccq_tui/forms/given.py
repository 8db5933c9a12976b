"""Answers that are known before anybody is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ccq_tui.answering.grammar import TypedError, read_value
from ccq_tui.questions import Answer
from ccq_tui.questions.asked import Asked
from ccq_tui.text import one_line
from ccq_tui.words import listed

MOST_NAMED = 20


class GivenError(ValueError):
    """Answers that do not fit a form; the message names each mistake in a line of its own."""


def read_given(form: Asked, values: Mapping[str, Any]) -> tuple[Answer | None, ...]:
    """Return the answers that values by question id stand for; None where there is none.

    A value is a label or a recorded value, a list of them, a text, a number, true or false, or null for a
    question that is skipped. A whole record, which has them under ``answers``, is read, too.

    Raises:
        GivenError: A question does not exist, or does not take its value.
    """
    found = values.get("answers", values)
    if not isinstance(found, Mapping):
        raise GivenError("answers: must be values by question id")
    known = listed(form.names, MOST_NAMED)
    problems = [
        f"{one_line(name, 60)}: no question has this id; there are {known}"
        for name in found
        if name not in form.names
    ]
    given: list[Answer | None] = []
    for name, question, recorded in zip(form.names, form.questions.questions, form.values, strict=True):
        try:
            given.append(read_value(question, found[name], recorded) if name in found else None)
        except TypedError as error:
            problems.append(f"{name}: {error}")
    if problems:
        raise GivenError("\n".join(problems))
    return tuple(given)
