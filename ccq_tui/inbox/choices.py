"""The ways to decide on a permission or a plan, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ccq_tui.answering.grammar import Names
from ccq_tui.inbox.answer_json import check_fields, is_number, named, words
from ccq_tui.inbox.requests import Allowed, Denied, PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import Suggestion, is_readable, kept, lasting, what
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.input.keys import Does
from ccq_tui.questions.model import Option, Question

NUMBERS = "123456789"
"""Keys of the lasting permissions; one beyond the ninth is reached with the arrows."""


YES_OR_NO = {"yes": "y", "no": "n"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to decide.

    Attributes:
        key: The key that takes it, or, for a lasting one, only moves to it; or "".
        label: How long it holds, and its effect; harmless to draw.
        does: What the key that takes it does; a text is typed by then.
        brief: A shorter label for a narrow panel, or "".
        where: Where it is kept, or the mode it goes to, or "".
        allows: Whether it allows.
        takes_text: Whether it opens a text first.
        suggestion: The lasting permission it grants, or None.
        mode: The permission mode in which an approved plan is carried out, or "".
    """

    key: str
    label: str
    does: Does
    brief: str = ""
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


def _plain(
    key: str, label: str, does: str, *, allows: bool = False, brief: str = "", mode: str = ""
) -> Choice:
    return Choice(key, label, Does(does), brief, allows=allows, takes_text=label.endswith("…"), mode=mode)


EACH, EVERY = "Approve, and ask before each edit", "Approve, and for this session: accept every file edit"
AUTO, AUTO_BRIEF = "Approve, and for this session: let a classifier decide", "Approve, and use auto mode"
EVERY_BRIEF, MODE = EVERY.replace("and for", "for"), "accept edits mode"
CHANGE, INSTEAD = "Keep planning, and say what to change…", "Deny, and say what to do instead…"
ALLOW = _plain("y", "Allow once", "allow once", allows=True)
ALLOW_AND_SAY = _plain("a", "Allow once, and say something…", "allow with these words", allows=True)
DENY = _plain("n", "Deny", "deny")
DENY_AND_SAY = _plain("e", INSTEAD, "deny with these words", brief="Deny, and say what instead…")
PLAN_CHOICES = (
    _plain("y", EACH, "approve", allows=True, brief="Approve, ask before each edit", mode="default"),
    _plain("n", "Keep planning", "keep planning"),
    Choice("1", EVERY, Does("accept", "every file edit"), EVERY_BRIEF, MODE, allows=True, mode="acceptEdits"),
    Choice("2", AUTO, Does("approve", "in auto mode"), AUTO_BRIEF, "auto mode", allows=True, mode="auto"),
    _plain("a", "Approve, and say something…", "approve with these words", allows=True, mode="default"),
    _plain("e", CHANGE, "keep planning with these words", brief="Keep planning, and say what…"),
)
"""In the order of every day: the two that are taken most often, then what lasts, then what takes words."""


def permission_choices(request: PermissionRequest) -> tuple[Choice, ...]:
    """Return the ways to decide on a permission; of lasting permissions only the suggested ones."""
    readable = (one for one in request.suggestions if is_readable(one, request.command))
    lasting = tuple(_lasting(index, one, request.command) for index, one in enumerate(readable))
    # Only a session of ours can take a text with a permission.
    saying = () if request.origin.is_foreign else (ALLOW_AND_SAY,)
    return (ALLOW, DENY, *lasting, *saying, DENY_AND_SAY)


def _lasting(index: int, suggestion: Suggestion, command: str) -> Choice:
    """Return the choice that grants a suggestion."""
    about = what(suggestion, command)
    verb = "allow" if suggestion.destination == "session" else "always allow"
    if suggestion.kind == "setMode" or suggestion.behavior not in ("", "allow"):
        verb, _, about = about.partition(" ")
    key, label, where = NUMBERS[index : index + 1], lasting(suggestion, command), kept(suggestion)
    brief = label.replace(": accept every", ": every").replace("let a classifier decide for you", "auto mode")
    return Choice(key, label, Does(verb, about), brief, where, allows=True, suggestion=suggestion)


def read_decision(choices: Sequence[Choice], data: Mapping[str, Any]) -> Allowed | Denied:
    """Read a decision from its public JSON; raises `InvalidOutcome`."""
    check_fields(data, ("choice", "note"))
    number, note = data.get("choice"), words(data, "note", "note")
    if not is_number(number) or not 1 <= number <= len(choices):
        raise InvalidOutcome("choice", f"a number from 1 to {len(choices)} is needed")
    choice = choices[number - 1]
    if choice.takes_text and not note.strip():
        raise InvalidOutcome("note", f"choice {number} needs your message to Claude")
    if note and not choice.takes_text:
        others = " and ".join(str(place) for place, one in enumerate(choices, 1) if one.takes_text)
        raise InvalidOutcome("note", f"choice {number} takes none; {others} do")
    return choice.outcome(note)


def names_of(choices: Sequence[Choice]) -> Names:
    """Return what names each way to decide: its key and its label."""
    options = tuple(Option(one.label.removesuffix("…")) for one in choices)
    return Names(Question("", options=options, closed=True), tuple(one.key for one in choices))


def allowed(choices: Sequence[Choice]) -> str:
    """Say what may be written to decide."""
    return ", ".join(f"{one.key} TEXT" if one.takes_text else one.key for one in choices if one.key)


def read_typed_choice(choices: Sequence[Choice], text: str) -> Allowed | Denied:
    """Read a decision as a person writes it: the key or label of a choice, its message after it.

    Raises `InvalidOutcome`, with what is allowed.
    """
    names, text = names_of(choices), YES_OR_NO.get(text.strip().casefold(), text.strip())
    labels = sorted((one.label.removesuffix("…") for one in choices), key=len, reverse=True)
    label = next(
        (one for one in labels if text.casefold().startswith(one.casefold())), text.partition(" ")[0]
    )
    place, rest = names.place(label), text[len(label) :].lstrip("….:, ")
    if place is None:
        raise InvalidOutcome("choice", f"reply with {allowed(choices)}")
    choice = choices[place]
    if choice.takes_text and not rest:
        raise InvalidOutcome("note", f"{choice.key} needs your words after it")
    if rest and not choice.takes_text:
        raise InvalidOutcome("note", f"{choice.key} takes no words")
    return choice.outcome(rest)


def check_words(request: PermissionRequest | PlanRequest, outcome: Allowed) -> None:
    """Raise `InvalidOutcome` for a text that the asker cannot take: only a session of ours can."""
    if outcome.text.strip() and request.origin.is_foreign:
        raise InvalidOutcome("text", "who asked takes no words along with a permission")


def choice_records(choices: Sequence[Choice]) -> list[dict[str, Any]]:
    """Return choices in JSON."""
    return [
        {"number": number, **named(one, "label", "allows"), "holds": one.where, "takes_note": one.takes_text}
        for number, one in enumerate(choices, 1)
    ]
