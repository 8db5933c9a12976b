"""Keys of the question whether to trust a directory: only Enter on a row answers, and typing stays typing.

The question opens by itself, while somebody may be typing a prompt ahead. Typed text is never an answer; it
is kept in order, for the prompt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ccq_tui.config.trust import TrustAnswer

PAUSE = 0.8
"""Seconds without a key before a key counts for this question."""
CLICKS_APART = 0.4
"""Seconds from the click that moves the cursor to the one that answers: a double click does not do both."""


ROWS = tuple(TrustAnswer)
LETTERS = {"n": TrustAnswer.LEAVE, "d": TrustAnswer.WITHOUT, "y": TrustAnswer.TRUST}
"""TrustAnswer to which a letter moves the cursor, while nothing is typed."""
_STEPS = {"up": -1, "down": 1}


@dataclass(frozen=True, slots=True)
class TrustKeys:
    """What the keys of the question have come to.

    Attributes:
        since: Time, in seconds, when it appeared or when the last key came that was not meant for it.
        typed: Text typed for the prompt.
        row: TrustAnswer of the cursor.
        letters: Letters that moved the cursor; they become text when more is typed.
        typing: Whether the last key was text: Enter then ends its line.
        answer: The confirmed row, or None.
        clicked: The row that the last click brought the cursor to, or None after any key.
        clicked_at: Time of that click, in seconds.
        escapes: Whether Esc leaves: there is something to go back to.
    """

    since: float
    typed: str = ""
    row: TrustAnswer = TrustAnswer.LEAVE
    letters: str = ""
    typing: bool = False
    answer: TrustAnswer | None = None
    clicked: TrustAnswer | None = None
    clicked_at: float = 0.0
    escapes: bool = False

    def is_fresh(self, at: float) -> bool:
        """Whether a key pressed now may be meant for something else."""
        return at - self.since < PAUSE

    @property
    def prompt(self) -> str:
        """Text typed for the prompt."""
        return self.typed.rstrip("\n")


def pressed(question: TrustKeys, key: str, character: str, at: float) -> TrustKeys:
    """Return the question after a key."""
    if question.answer is not None:
        return text_came(question, "\n" if key == "enter" else character, at)
    question = replace(question, clicked=None)
    fresh = question.is_fresh(at)
    if key == "enter":
        if question.typing:
            return replace(question, typed=question.typed + "\n", typing=False, since=at)
        return replace(question, since=at) if fresh else replace(question, answer=question.row)
    if key == "escape" and question.escapes and not fresh:
        return replace(question, answer=TrustAnswer.LEAVE)
    if key in _STEPS and not fresh:
        at_row = min(max(ROWS.index(question.row) + _STEPS[key], 0), len(ROWS) - 1)
        return replace(question, row=ROWS[at_row], typing=False)
    if key == "backspace":
        kept = (question.typed + question.letters)[:-1]
        return replace(question, typed=kept, letters="", row=TrustAnswer.LEAVE, typing=bool(kept), since=at)
    if character in LETTERS and not (fresh or question.typed):
        return replace(question, row=LETTERS[character], letters=question.letters + character, since=at)
    return text_came(question, character, at) if character else replace(question, since=at)


def text_came(question: TrustKeys, text: str, at: float) -> TrustKeys:
    """Return the question after typed text; the cursor returns to the row that changes nothing."""
    if question.answer is not None:
        return replace(question, typed=question.typed + text, since=at)
    typed = question.typed + question.letters + text
    return replace(
        question, typed=typed, letters="", row=TrustAnswer.LEAVE, typing=True, since=at, clicked=None
    )


def clicked(question: TrustKeys, row: TrustAnswer, at: float) -> TrustKeys:
    """Return the question after a click: the first moves the cursor there, the next one answers."""
    if question.answer is not None or question.is_fresh(at):
        return question
    if question.clicked is not row:
        return replace(question, row=row, typing=False, clicked=row, clicked_at=at)
    return replace(question, answer=row) if at - question.clicked_at >= CLICKS_APART else question
