"""The kinds of request that are decided: permissions of tool calls, and plans."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ccq_tui.answering.document import Passage, PassageKind
from ccq_tui.answering.record import Record, RecordShape, made
from ccq_tui.inbox.agent_texts import rejection
from ccq_tui.inbox.choices import ChoiceRecord, choice_records, permission_asked, plan_asked
from ccq_tui.inbox.file_changes import phrases
from ccq_tui.inbox.file_diff import diff_lines, hunks_of
from ccq_tui.inbox.kinds.kind import RequestKind
from ccq_tui.inbox.layout import MOST, QUOTED
from ccq_tui.inbox.requests import Allowed, Denied, PermissionRequest, PlanRequest, Reply, RequestOutcome
from ccq_tui.inbox.suggestions import Suggestion
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.text import one_line


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

    def document(self, request: PermissionRequest, _outcome: RequestOutcome | None) -> Iterator[Passage]:
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

    def document(self, request: PlanRequest, _outcome: RequestOutcome | None) -> Iterator[Passage]:
        """Return the whole request."""
        yield Passage(PassageKind.HEAD, f"{request.origin.called} proposes a plan")
        yield Passage(PassageKind.VERBATIM, request.plan)
