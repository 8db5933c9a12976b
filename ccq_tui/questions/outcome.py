"""The outcomes of a question set."""

from dataclasses import dataclass

from ccq_tui.questions.model import Answer


@dataclass(frozen=True, slots=True)
class Answered:
    """The person confirmed answers, one per question, in the set's order."""

    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Discussed:
    """The person answered the whole set in prose instead.

    Attributes:
        text: The prose.
        answers: The selections, notes and texts until then, one per question; empty if there were none.
    """

    text: str
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True)
class Declined:
    """The person declined the whole set."""


@dataclass(frozen=True, slots=True)
class Dismissed:
    """The person dismissed a form: it was neither answered nor declined."""


@dataclass(frozen=True, slots=True)
class Expired:
    """Nobody answered in the time that the person allows for it; nothing was chosen."""


Outcome = Answered | Discussed | Declined | Expired
"""The ends of a question set; a form, which takes no prose, may be dismissed, too."""
