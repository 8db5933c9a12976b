"""Permissions: tool calls that wait for one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ccq_tui.answering.document import Passage, PassageKind
from ccq_tui.answering.record import RecordShape, made
from ccq_tui.inbox.agent_texts import rejection
from ccq_tui.inbox.choices import ChoiceRecord, check_words, choice_records, permission_asked
from ccq_tui.inbox.file_changes import phrases
from ccq_tui.inbox.file_diff import diff_lines, hunks_of
from ccq_tui.inbox.layout import MOST, QUOTED
from ccq_tui.inbox.requests import Allowed, Denied, PermissionRequest, Reply, RequestOutcome
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.text import one_line


class PermissionFields(RecordShape, of=PermissionRequest, names="tool input description reason change"):
    """A tool call that waits for permission.

    Attributes:
        change: To its file: a patch as in Claude Code's result, with its counts, or its trouble.
    """

    choices: list[ChoiceRecord]


WORD = "permission"
NOUN = "decision"
TYPE = PermissionRequest
OUTLIVES = EXPIRES = False
CALLED = "a permission"
RECORD: type[RecordShape] = PermissionFields
ENDS: tuple[type[RequestOutcome], ...] = (Allowed, Denied)
asked = permission_asked


def same(one: PermissionRequest, other: PermissionRequest) -> bool:
    """Whether two requests ask the same; their suggestions may differ."""
    return (one.tool, one.input) == (other.tool, other.input)


def check(request: PermissionRequest, outcome: Allowed | Denied) -> None:
    """Refuse an outcome that it does not take."""
    if isinstance(outcome, Allowed):
        if outcome.suggestion not in (None, *request.suggestions):
            raise InvalidOutcome("suggestion", "this lasting permission was not suggested")
        for name in ("mode", "plan"):
            if getattr(outcome, name):
                raise InvalidOutcome(name, "only a plan takes it")
        check_words(request, outcome)


def deliver(request: PermissionRequest, outcome: Allowed | Denied, source: Mapping[str, Any]) -> Reply:
    """Return the reply for an outcome; only what was suggested is granted for longer."""
    if isinstance(outcome, Denied):
        return Reply(allow=False, text=rejection(outcome.text))
    grants = tuple(one for one in request.suggestions if one == outcome.suggestion)
    return Reply(allow=True, input=dict(source), text=outcome.text, grants=grants[:1])


def title(request: PermissionRequest) -> str:  # noqa: ARG001 - one is like the other
    """Name the kind for a list."""
    return WORD


def summary(request: PermissionRequest) -> str:
    """Summarize the request in one line."""
    said = request.description or next(
        (value for value in request.input.values() if isinstance(value, str)), ""
    )
    return f"{request.tool}: {said}" if said else request.tool


def news(request: PermissionRequest) -> str:
    """Announce the request in a sentence."""
    return f"Claude asks for permission: {one_line(request.tool, QUOTED)}"


def topics(request: PermissionRequest) -> tuple[str, ...]:
    """Name the tool."""
    return (one_line(request.tool, QUOTED),)


def document(request: PermissionRequest, outcome: RequestOutcome | None) -> Iterator[Passage]:  # noqa: ARG001
    """Return the whole request: all that would be allowed."""
    path = request.input.get("notebook_path") or request.input.get("file_path") or ""
    does = phrases(request, one_line(str(path), MOST)) or (f"use {request.tool}",)
    yield Passage(PassageKind.HEAD, f"{request.agent or request.origin.called} wants to {does[0]}")
    trouble = str(request.change.get("trouble", ""))
    danger = request.danger and f"Warning: it {request.danger}"
    for said in (danger, request.description, request.reason, trouble and f"The file {trouble}"):
        yield Passage(PassageKind.TEXT, said)
    if hunks_of(request.change):
        for row in diff_lines(request.input, request.change):
            yield Passage(PassageKind.CHANGE, row.text, row.sign, str(row.new or row.old or ""))
        return
    for name, value in request.input.items():
        as_json = json.dumps(value, indent=2, ensure_ascii=False, default=str)
        yield Passage(PassageKind.FIELD, value if isinstance(value, str) else as_json, name=name)


def record(request: PermissionRequest) -> dict[str, Any]:
    """Return its own fields in JSON."""
    about = {"input": dict(request.input), "change": dict(request.change)}
    return made(PermissionFields, request, **about, choices=choice_records(asked(request)))
