"""Decides on permissions and plans line by line, by the letters of the panel."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ccq_tui.answering.grammar import TypedError, acts_to_type, read_line
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.decision import DecisionState
from ccq_tui.inbox.file_changes import phrases
from ccq_tui.inbox.file_diff import diff_lines, hunks_of
from ccq_tui.inbox.kinds import kind_of, outcome_of
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import PermissionRequest, PlanRequest, Request
from ccq_tui.plain.dialog import End, RequestDialog
from ccq_tui.plain.lines import Interrupted, Lines
from ccq_tui.plain.tables import as_sentences
from ccq_tui.questions import Answered, Declined, Question

LEAVE = "Decide later?"
DENY = "d"
"""What denies, besides its mark."""


async def decide(opened: OpenRequest, lines: Lines, actor: Actor, leave: str = LEAVE) -> End:
    """Print all that would be allowed and the ways to decide, and settle the request by one of them.

    Args:
        opened: A permission or a plan.
        lines: Where it is shown and decided.
        actor: Who decides.
        leave: The question whether to leave it.

    Raises:
        InboxError: The decision could not be kept.
    """
    dialog = RequestDialog(opened, lines, actor, leave)
    return await dialog.run(partial(_talk, dialog))


async def _talk(dialog: RequestDialog) -> End:
    """Ask until it is decided."""
    lines, request, draft = dialog.lines, dialog.opened.request, dialog.opened.draft
    plan = draft.plan if isinstance(draft, DecisionState) else ""
    question = kind_of(request).asked(request).question
    names, line = acts_to_type(question), "?"
    while True:
        try:
            if line == "?":
                lines.say(kind_of(request).WORD, "\n".join(_whole(request, plan)))
                for name, one, act in zip(names, question.options, question.acts, strict=True):
                    lines.say(name, f"{one.label} ({act.where})" if act.where else one.label)
            elif line.lower() == "b":
                if await dialog.leaves():
                    return End.LEFT
            elif await _takes(dialog, question, line, plan):
                return End.HERE
            line = await dialog.hear(f"{', '.join(names)}, b decides later, ? repeats:")
        except Interrupted:
            line = "b"


async def _takes(dialog: RequestDialog, question: Question, line: str, plan: str) -> bool:
    """Decide by a line; return whether the request took it."""
    if line.lower() == DENY:
        return await dialog.settle(outcome_of(dialog.opened.request, Declined()))
    try:
        answer = read_line(question, line)
    except TypedError as error:
        dialog.lines.note(f"Nothing was decided: {error}; b decides later.")
        return False
    label = answer.selected[0]
    act = next(one.act for one in question.options if one.label == label and one.act)
    if act.takes_words and not answer.other:
        answer = replace(answer, other=await dialog.hear("Your text, an empty line goes back:"))
    # A line may not have meant what lasts.
    sure = not act.lasts or await dialog.confirms(f"{label}?", "grants it")
    if not sure or (act.takes_words and not answer.other):
        return False
    settled = await dialog.settle(outcome_of(dialog.opened.request, Answered((answer,)), plan))
    if settled:
        dialog.lines.note(f"Decided: {act.verb} {act.about}".rstrip() + ".")
    return settled


def _whole(request: Request, plan: str) -> Iterator[str]:
    """Return all that would be allowed, uncut; ``plan`` is the plan as edited, or ""."""
    match request:
        case PlanRequest():
            yield f"{request.origin.called} proposes a plan"
            yield as_sentences(plan or request.plan)
        case PermissionRequest():
            yield from _permission(request)
        case _:
            yield from kind_of(request).plain_text(request, None)


def _permission(request: PermissionRequest) -> Iterator[str]:
    path = request.input.get("notebook_path") or request.input.get("file_path") or ""
    does = phrases(request, str(path)) or (f"use {request.tool}",)
    yield f"{request.agent or request.origin.called} wants to {does[0]}"
    trouble = str(request.change.get("trouble", ""))
    warning = request.danger and f"Warning: it {request.danger}"
    yield from filter(None, (warning, request.description, request.reason, trouble and f"The file {trouble}"))
    if hunks_of(request.change):
        for row in diff_lines(request.input, request.change):
            yield f"{row.sign} {row.new or row.old or ''}: {row.text}"
        return
    for name, value in request.input.items():
        as_json = json.dumps(value, indent=2, ensure_ascii=False, default=str)
        yield f"{name}: {value if isinstance(value, str) else as_json}".replace("\n", "\n    ")
