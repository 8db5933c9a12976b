"""Which questions of a form are asked, given the answers so far."""

from __future__ import annotations

from collections.abc import Sequence

from ccq_tui.questions.model import Answer, Condition, Question


def asked(questions: Sequence[Question], answers: Sequence[Answer]) -> tuple[bool, ...]:
    """Return for each question whether it is asked; the answer to one that is not asked counts as none."""
    counted: list[Answer] = []
    found: list[bool] = []
    for question, answer in zip(questions, answers, strict=True):
        found.append(question.when is None or _holds(question.when, counted))
        counted.append(answer if found[-1] else Answer())
    return tuple(found)


def _holds(when: Condition, earlier: Sequence[Answer]) -> bool:
    answer = earlier[when.question] if 0 <= when.question < len(earlier) else Answer()
    typed = answer.other.strip()
    if when.contains:
        return when.value in answer.selected or (bool(typed) and when.value in typed)
    return (*answer.selected, *([typed] if typed else [])) == (when.value,)
