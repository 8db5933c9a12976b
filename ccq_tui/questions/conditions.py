"""Which questions of a form are asked, given the answers so far."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import normalize

from ccq_tui.questions.model import Answer, Condition, Kind, Question
from ccq_tui.questions.numbers import same_number


def asked(questions: Sequence[Question], answers: Sequence[Answer]) -> tuple[bool, ...]:
    """Return for each question whether it is asked; the answer to one that is not asked counts as none."""
    counted: list[Answer] = []
    found: list[bool] = []
    for question, answer in zip(questions, answers, strict=True):
        found.append(question.when is None or _holds(question.when, questions, counted))
        counted.append(answer if found[-1] else Answer())
    return tuple(found)


def _holds(when: Condition, questions: Sequence[Question], earlier: Sequence[Answer]) -> bool:
    if not 0 <= when.question < len(earlier):
        return False
    answer, wanted = earlier[when.question], normalize("NFC", when.value)
    typed = normalize("NFC", answer.other.strip())
    given = [*(normalize("NFC", label) for label in answer.selected), *([typed] if typed else [])]
    if when.contains:
        return wanted in given or (typed != "" and wanted in typed)
    is_number = questions[when.question].kind is Kind.NUMBER
    return given == [wanted] or (is_number and same_number(typed, wanted))
