"""The kinds of request that are decided: permissions of tool calls, and plans."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ccq_tui.answering.document import Passage, PassageKind
from ccq_tui.answering.record import Record, RecordShape, made
from ccq_tui.inbox.agent_texts import rejection
from ccq_tui.inbox.file_changes import phrases
from ccq_tui.inbox.file_diff import diff_lines, hunks_of
from ccq_tui.inbox.kinds.kind import RequestKind
from ccq_tui.inbox.layout import MOST, QUOTED
from ccq_tui.inbox.requests import Allowed, DecidedRequest, Denied, PermissionRequest, PlanRequest, Reply
from ccq_tui.inbox.suggestions import MODES, Suggestion, is_readable, kept, lasting, what
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions.model import Act, Answer, Asked, Effect, Option, Question, QuestionSet
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
        brief = label.replace(": accept every", ": every").replace(MODES["auto"][1], "auto mode")
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


class PermissionFields(RecordShape, of=PermissionRequest, names="tool input description reason change"):
    """A tool call that waits for permission.

    Attributes:
        change: To its file: a patch as in Claude Code's result, with its counts, or its trouble.
    """

    choices: list[ChoiceRecord]


class PlanFields(RecordShape, of=PlanRequest, names="plan"):
    """A plan that waits for approval."""

    choices: list[ChoiceRecord]


class DecisionKind(RequestKind):
    """A kind of request that is allowed or denied."""

    NOUN = "decision"
    ENDS = (Allowed, Denied)

    def check(self, request: Any, outcome: Allowed | Denied) -> None:
        """Refuse a text that the asker cannot take with a permission: only a session of ours can."""
        if isinstance(outcome, Allowed) and outcome.text.strip() and request.origin.is_foreign:
            raise InvalidOutcome("text", "who asked takes no words along with a permission")

    def record(self, request: Any) -> Record:
        """Return its own fields in JSON."""
        return made(self.RECORD, request, choices=choice_records(self.asked(request)))

    def deliver(self, _request: Any, outcome: Allowed | Denied, source: Mapping[str, Any]) -> Reply:
        """Return the reply for an outcome."""
        if isinstance(outcome, Denied):
            return Reply(allow=False, text=rejection(outcome.text))
        return Reply(allow=True, input=dict(source), text=outcome.text)


class PermissionKind(DecisionKind):
    """Permissions: tool calls that wait for one."""

    WORD, CALLED = "permission", "a permission"
    TYPE, RECORD = PermissionRequest, PermissionFields
    SAME = ("tool", "input")
    asked = staticmethod(permission_asked)

    def check(self, request: PermissionRequest, outcome: Allowed | Denied) -> None:
        """Refuse an outcome that it does not take."""
        if isinstance(outcome, Allowed):
            if outcome.suggestion not in (None, *request.suggestions):
                raise InvalidOutcome("suggestion", "this lasting permission was not suggested")
            for name in ("mode", "plan"):
                if getattr(outcome, name):
                    raise InvalidOutcome(name, "only a plan takes it")
        super().check(request, outcome)

    def deliver(
        self, request: PermissionRequest, outcome: Allowed | Denied, source: Mapping[str, Any]
    ) -> Reply:
        """Return the reply for an outcome; only what was suggested is granted for longer."""
        granted = outcome.suggestion if isinstance(outcome, Allowed) else None
        grants = tuple(one for one in request.suggestions if one == granted)
        return replace(super().deliver(request, outcome, source), grants=grants[:1])

    def summary(self, request: PermissionRequest) -> str:
        """Summarize the request in one line."""
        texts = (request.description, *(one for one in request.input.values() if isinstance(one, str)))
        about = texts[0] or next(iter(texts[1:]), "")
        return f"{request.tool}: {about}" if about else request.tool

    def news(self, request: PermissionRequest) -> str:
        """Announce the request in a sentence."""
        return f"Claude asks for permission: {one_line(request.tool, QUOTED)}"

    def topics(self, request: PermissionRequest) -> tuple[str, ...]:
        """Name the tool."""
        return (one_line(request.tool, QUOTED),)

    def document(self, request: PermissionRequest, _outcome: object) -> Iterator[Passage]:
        """Return the whole request: all that would be allowed."""
        path = request.input.get("notebook_path") or request.input.get("file_path") or ""
        does = phrases(request, one_line(str(path), MOST)) or (f"use {request.tool}",)
        yield Passage(PassageKind.HEAD, f"{request.agent or request.origin.called} wants to {does[0]}")
        trouble = str(request.change.get("trouble", ""))
        danger = request.danger and f"Warning: it {request.danger}"
        for text in (danger, request.description, request.reason, trouble and f"The file {trouble}"):
            yield Passage(PassageKind.TEXT, text)
        if hunks_of(request.change):
            for row in diff_lines(request.input, request.change):
                yield Passage(PassageKind.CHANGE, row.text, row.sign, str(row.new or row.old or ""))
            return
        for name, value in request.input.items():
            as_json = json.dumps(value, indent=2, ensure_ascii=False, default=str)
            yield Passage(PassageKind.FIELD, value if isinstance(value, str) else as_json, name=name)

    def record(self, request: PermissionRequest) -> Record:
        """Return its own fields in JSON."""
        return super().record(request) | {"input": dict(request.input), "change": dict(request.change)}


class PlanKind(DecisionKind):
    """Plans that wait for approval."""

    WORD, CALLED = "plan", "a plan"
    TYPE, RECORD = PlanRequest, PlanFields
    SAME = ("plan",)
    asked = staticmethod(plan_asked)

    def check(self, request: PlanRequest, outcome: Allowed | Denied) -> None:
        """Refuse an outcome that it does not take."""
        if isinstance(outcome, Allowed):
            if outcome.suggestion is not None:
                raise InvalidOutcome("suggestion", "only a permission takes it")
            if outcome.mode not in ("", *(getattr(one, "mode", "") for one in self.asked(request).values[0])):
                raise InvalidOutcome("mode", f"a plan is not carried out in “{one_line(outcome.mode, 40)}”")
        super().check(request, outcome)

    def deliver(self, request: PlanRequest, outcome: Allowed | Denied, source: Mapping[str, Any]) -> Reply:
        """Return the reply for an outcome: an approved plan with the person's edits, in the chosen mode."""
        if isinstance(outcome, Denied):
            return super().deliver(request, outcome, source)
        grants = (Suggestion("setMode", mode=outcome.mode),) if outcome.mode else ()
        edited = {"plan": outcome.plan} if outcome.plan else {}
        return replace(super().deliver(request, outcome, {**source, **edited}), grants=grants)

    def summary(self, request: PlanRequest) -> str:
        """Summarize the request in one line."""
        return request.plan.strip().lstrip("# ").partition("\n")[0]

    def news(self, _request: PlanRequest) -> str:
        """Announce the request in a sentence."""
        return "Claude proposes a plan"

    def topics(self, _request: PlanRequest) -> tuple[str, ...]:
        """Name the subject of the request."""
        return (self.WORD,)

    def document(self, request: PlanRequest, _outcome: object) -> Iterator[Passage]:
        """Return the whole request."""
        yield Passage(PassageKind.HEAD, f"{request.origin.called} proposes a plan")
        yield Passage(PassageKind.VERBATIM, request.plan)
