"""Keys of the question whether to trust a directory: only Enter on a row answers, and typing stays typing.

The question opens by itself, while somebody may be typing a prompt ahead. Typed text is never an answer; it
is kept in order, for the prompt.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ccq_tui.config.trust import TrustAnswer
from ccq_tui.input.gate import PAUSE, Face, Hand, KeyKind, Sign, Stroke, To, judge

ROWS = tuple(TrustAnswer)
_STEPS = {"up": -1, "down": 1}


@dataclass(frozen=True, slots=True)
class TrustKeys:
    """What the keys of the question have come to.

    Attributes:
        hand: What the keys before came to.
        shown_at: When it was drawn, or the last character was typed; None before.
        row_at: When the row under the cursor was drawn with it; None before.
        typed: Text typed for the prompt.
        row: TrustAnswer of the cursor.
        answer: The confirmed row, or None.
        due: Seconds until the last key answers, unless it is held down; 0.0 for none.
        sign: Why the last key did not answer, or None.
        escapes: Whether Esc leaves: there is something to go back to.
    """

    hand: Hand = field(default_factory=Hand)
    shown_at: float | None = None
    row_at: float | None = None
    typed: str = ""
    row: TrustAnswer = TrustAnswer.LEAVE
    answer: TrustAnswer | None = None
    due: float = 0.0
    sign: Sign | None = None
    escapes: bool = False

    @property
    def prompt(self) -> str:
        """Text typed for the prompt."""
        return self.typed.rstrip("\n")

    @property
    def enter_is_prompts(self) -> bool:
        """Whether Enter ends a line of what is being typed for the prompt."""
        return bool(self.typed) and self.hand.to is To.PROMPT

    def drawn(self, at: float) -> TrustKeys:
        """Return the question after it was drawn as it is."""
        shown_at = at if self.shown_at is None else self.shown_at
        return replace(self, shown_at=shown_at, row_at=at if self.row_at is None else self.row_at)

    def on(self, row: TrustAnswer) -> TrustKeys:
        """Return the question with the cursor on a row."""
        return replace(self, row=row, row_at=self.row_at if row is self.row else None)

    def confirmed(self) -> TrustKeys:
        """Return the question with the row under the cursor as its answer."""
        return replace(self, answer=self.row, due=0.0)


def pressed(question: TrustKeys, key: Stroke, row: TrustAnswer | None = None) -> TrustKeys:
    """Return the question after a key, a paste, or a click on a row."""
    if question.answer is not None or key.text:
        text = "\n" if key.name == "enter" else key.text
        question = replace(question, hand=question.hand.noted(key), sign=None, due=0.0)
        return _wrote(question, text, key.at)
    decides = key.name == "enter" or row is question.row
    kind = KeyKind.DECIDE if decides else KeyKind.ACT
    draft, seen = bool(question.typed), (question.shown_at, question.row_at)
    face = Face(kind, *seen, lasts=True, takes_words=False, draft=draft, quiet=PAUSE)
    verdict, hand = judge(key, face, question.hand)
    if kind is KeyKind.ACT and key.name not in _STEPS and row is None:
        hand = replace(hand, to=question.hand.to)  # a key that does nothing here does not end the typing
    question = replace(question, hand=hand, sign=verdict.sign, due=0.0)
    if verdict.sign is Sign.NOT_SENT or verdict.to in (To.PROMPT, To.WORDS):
        sign, text = (Sign.NOT_SENT, "\n") if decides else (None, "")
        return _wrote(replace(question, sign=sign), text, key.at)
    if verdict.to is To.NOWHERE:
        return question
    if decides:
        return replace(question, due=verdict.after) if verdict.after else question.confirmed()
    return _moved(question, key) if row is None else question.on(row)


def _moved(question: TrustKeys, key: Stroke) -> TrustKeys:
    if key.name == "backspace":
        question = _wrote(question, "", key.at)
        return replace(question, typed=question.typed[:-1])
    if key.name == "escape" and question.escapes:
        return question.on(TrustAnswer.LEAVE).confirmed()
    at = ROWS.index(question.row) + _STEPS.get(key.name, 0)
    return question.on(ROWS[min(max(at, 0), len(ROWS) - 1)])


def _wrote(question: TrustKeys, text: str, at: float) -> TrustKeys:
    """Return the question after typed text; the cursor returns to the row that changes nothing."""
    shown_at = None if question.shown_at is None else at
    question = replace(question, typed=question.typed + text, shown_at=shown_at)
    return question if question.answer is not None else question.on(TrustAnswer.LEAVE)
