"""An earlier answer to a question that reads the same; shown in one line, taken over only by a key."""

from __future__ import annotations

from dataclasses import dataclass

from ccq_tui.questions.model import Answer, Question

FEWEST_OPTIONS = 3
"""Fewest options in common that make two questions the same: "Yes" and "No" do not."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """The earlier answer to a question that reads the same.

    Attributes:
        answer: The answer.
        when: The day, as a person reads it.
        asked: The question that it was given to.
    """

    answer: Answer
    when: str
    asked: str = ""


def reads_like(one: Question, other: Question) -> bool:
    """Return whether two questions have the same text, or the same options, if these are at least three."""
    if one.kind is not other.kind:
        return False
    if same_words(one.text, other.text):
        return True
    labels = {_words(option.label) for option in one.options}
    same = labels == {_words(option.label) for option in other.options}
    return same and len(labels) >= FEWEST_OPTIONS and one.multi_select == other.multi_select


def same_words(one: str, other: str) -> bool:
    """Return whether two texts read the same."""
    return _words(one) == _words(other)


def _words(text: str) -> str:
    return " ".join(text.casefold().split())
