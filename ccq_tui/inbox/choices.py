"""The ways to decide on a permission or a plan, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ccq_tui.inbox.requests import Allowed, Denied, PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import Suggestion
from ccq_tui.inbox.verdicts import InvalidOutcome

if TYPE_CHECKING:
    from ccq_tui.inbox.schema import ChoiceRecord

NUMBERS = "123456789"
"""Keys of the lasting permissions; one beyond the ninth is reached with the arrows."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to decide.

    Attributes:
        key: The key that takes it, or, for a lasting one, only moves to it; or "".
        label: Its effect, harmless to draw.
        where: How long it holds and where it is kept, or "".
        allows: Whether it allows.
        takes_text: Whether it opens a text first.
        suggestion: The lasting permission it grants, or None.
        mode: The permission mode in which an approved plan is carried out, or "".
    """

    key: str
    label: str
    where: str = ""
    allows: bool = False
    takes_text: bool = False
    suggestion: Suggestion | None = None
    mode: str = ""

    @property
    def lasts(self) -> bool:
        """Whether it grants more than this request; its key alone does not take it."""
        return self.key in NUMBERS

    def outcome(self, text: str = "", plan: str = "") -> Allowed | Denied:
        """Return the outcome of taking it."""
        said = text if self.takes_text else ""
        return Allowed(said, self.suggestion, self.mode, plan) if self.allows else Denied(said)


ALLOW = Choice("y", "Allow once", allows=True)
ALLOW_AND_SAY = Choice("a", "Allow once, and say something…", allows=True, takes_text=True)
DENY = Choice("n", "Deny")
DENY_AND_SAY = Choice("e", "Deny, and say what to do instead…", takes_text=True)
PLAN_CHOICES = (
    Choice("y", "Approve, and ask before each edit", "default mode", allows=True, mode="default"),
    Choice("1", "Approve, and accept all edits", "accept edits mode", allows=True, mode="acceptEdits"),
    Choice("a", "Approve, and say something…", "default mode", allows=True, takes_text=True, mode="default"),
    Choice("n", "Keep planning"),
    Choice("e", "Keep planning, and say what to change…", takes_text=True),
)


def check_words(request: PermissionRequest | PlanRequest, outcome: Allowed) -> None:
    """Raise `InvalidOutcome` for a text that the asker cannot take: only a session of ours can."""
    if outcome.text.strip() and request.origin.is_foreign:
        raise InvalidOutcome("text", "who asked takes no words along with a permission")


def choice_records(choices: Sequence[Choice]) -> list[ChoiceRecord]:
    """Return choices in JSON."""
    return [
        {
            "number": number,
            "label": choice.label,
            "holds": choice.where,
            "allows": choice.allows,
            "takes_note": choice.takes_text,
        }
        for number, choice in enumerate(choices, 1)
    ]


def how_to_decide(name: str) -> list[str]:
    """Name the command that takes a choice."""
    return [
        f"To decide: ccq-tui answer {name} --choose N",
        "           and where it ends in “…” --note TEXT",
    ]
