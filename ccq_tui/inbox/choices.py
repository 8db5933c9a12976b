"""The ways to decide on a permission or a plan: options of one closed question, and the outcome of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ccq_tui.answering.record import Record, RecordShape, made
from ccq_tui.inbox.requests import Allowed, DecidedRequest, Denied, PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import MODES, Suggestion, is_readable, kept, lasting, what
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions.asked import Asked
from ccq_tui.questions.model import Act, Answer, Effect, Option, Question, QuestionSet
from ccq_tui.questions.outcome import Answered, Declined, Dismissed, Outcome
from ccq_tui.text import one_line


class ChoiceRecord(RecordShape, of=Act, names="number label holds allows takes_note"):
    """A way to decide on a permission or a plan; it is chosen by its number.

    Attributes:
        holds: Where it is kept, or the mode it goes to; for how long is in the label.
        does: What taking it does, in a few words.
    """

    number: int
    label: str
    holds: str
    takes_note: bool
    does: str | None = None


Way = tuple[Option, Allowed | Denied]
"""One way to decide, and its outcome."""


def _way(outcome: Allowed | Denied, key: str, label: str, verb: str, about: str = "", **more: str) -> Way:
    """Return a way to decide whose label says whether it takes words."""
    allows = Effect.LASTS if key.isdigit() else Effect.ALLOWS
    effect = allows if isinstance(outcome, Allowed) else Effect.REFUSES
    return Option(label, act=Act(effect, key, verb, about, label.endswith("…"), **more)), outcome


EACH, EVERY = "Approve, and ask before each edit", "Approve, and for this session: accept every file edit"
AUTO, AUTO_BRIEF = "Approve, and for this session: let a classifier decide", "Approve, and use auto mode"
EVERY_BRIEF, MODE = EVERY.replace("and for", "for"), "accept edits mode"
CLASSIFIER = MODES["auto"][1]
CHANGE, INSTEAD = "Keep planning, and say what to change…", "Deny, and say what to do instead…"
ALLOW = _way(Allowed(), "y", "Allow once", "allow once")
ALLOW_AND_SAY = _way(Allowed(), "a", "Allow once, and say something…", "allow with these words")
DENY = _way(Denied(), "n", "Deny", "deny")
DENY_AND_SAY = _way(Denied(), "e", INSTEAD, "deny with these words", brief="Deny, and say what instead…")
APPROVED = Allowed(mode="default")
ACCEPTS, DECIDES = Allowed(mode="acceptEdits"), Allowed(mode="auto")
PLAN_WAYS = (
    _way(APPROVED, "y", EACH, "approve", brief="Approve, ask before each edit"),
    _way(Denied(), "n", "Keep planning", "keep planning"),
    _way(ACCEPTS, "1", EVERY, "accept", "every file edit", brief=EVERY_BRIEF, where=MODE),
    _way(DECIDES, "2", AUTO, "approve", "in auto mode", brief=AUTO_BRIEF, where="auto mode"),
    _way(APPROVED, "a", "Approve, and say something…", "approve with these words"),
    _way(Denied(), "e", CHANGE, "keep planning with these words", brief="Keep planning, and say what…"),
)
"""In the order of every day: the two that are taken most often, then what lasts, then what takes words."""


def permission_asked(request: PermissionRequest) -> Asked:
    """Return the ways to decide on a permission; of lasting permissions only the suggested ones."""
    lasts = _lasting(request.suggestions, request.command)
    return _asked(request, "Permission", (ALLOW, DENY, *lasts, ALLOW_AND_SAY, DENY_AND_SAY))


def plan_asked(request: PlanRequest) -> Asked:
    """Return the ways to decide on a plan."""
    ways = [one for one in PLAN_WAYS if request.auto or one[1] != DECIDES]
    return _asked(request, "Plan", ways, request.plan)


def _asked(request: DecidedRequest, header: str, ways: Iterable[Way], editable: str = "") -> Asked:
    if request.origin.is_foreign:  # only a session of ours can take a text with a permission
        ways = [one for one in ways if not (one[0].label.endswith("…") and isinstance(one[1], Allowed))]
    options, values = zip(*ways, strict=True)
    question = Question("", header, options, closed=True)
    return Asked(QuestionSet(request.tool_use_id, (question,), editable=editable), values=(values,))


def _lasting(suggestions: Iterable[Suggestion], command: str) -> Iterator[Way]:
    """Return what grants each suggestion that can be read in a row; no two of them read the same."""
    readable = {lasting(one, command): one for one in suggestions if is_readable(one, command)}
    for number, (label, one) in enumerate(readable.items(), 1):
        about = what(one, command)
        verb = "allow" if one.destination == "session" else "always allow"
        if one.kind == "setMode":
            verb, _, about = about.partition(" ")
        brief = label.replace(": accept every", ": every").replace(CLASSIFIER, "auto mode")
        yield _way(Allowed(suggestion=one), str(number), label, verb, about, brief=brief, where=kept(one))


def decided(asked: Asked, end: Outcome | Dismissed, edited: str = "") -> Allowed | Denied:
    """Return the outcome of a decision; raises `InvalidOutcome`.

    Args:
        asked: How it was asked.
        end: How its question set ended.
        edited: The plan as the person edited it, or "".
    """
    if isinstance(end, Declined):
        return Denied()
    for option, outcome in zip(asked.question.options, asked.values[0], strict=True):
        if isinstance(end, Answered) and end.answers[0].selected == (option.label,) and option.act:
            words, takes_words = end.answers[0].other, option.act.takes_words
            if takes_words != bool(words.strip()):
                does = "needs your message" if takes_words else "takes none; those with “…” do"
                raise InvalidOutcome("note", f"“{one_line(option.label, 80)}” {does}")
            outcome = replace(outcome, text=words.strip() and words)
            return replace(outcome, plan=edited) if isinstance(outcome, Allowed) else outcome
    raise InvalidOutcome("choice", "one of the choices is needed")


def answer_to(asked: Asked, outcome: Allowed | Denied) -> Answer:
    """Return what was chosen and said to come to an outcome."""
    bare = replace(outcome, text="", plan="") if isinstance(outcome, Allowed) else Denied()
    ways = zip(asked.question.options, asked.acts, asked.values[0], strict=True)
    found = [one for one, act, value in ways if value == bare and act.takes_words == bool(outcome.text)]
    return Answer(tuple(one.label for one in found), outcome.text)


def choice_records(asked: Asked) -> list[Record]:
    """Return the ways to decide in JSON."""
    records = []
    for number, (option, act) in enumerate(zip(asked.question.options, asked.acts, strict=True), 1):
        more = {"holds": act.where, "takes_note": act.takes_words}
        records.append(made(ChoiceRecord, option, act, number=number, **more))
    return records
