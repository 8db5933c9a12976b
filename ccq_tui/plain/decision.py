"""Decides on permissions and plans line by line, by the letters of the panel."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.choices import Choice
from ccq_tui.inbox.decision import DecisionState
from ccq_tui.inbox.file_changes import phrases
from ccq_tui.inbox.file_diff import diff_lines, hunks_of
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import PermissionRequest, PlanRequest, Request
from ccq_tui.plain.dialog import End, RequestDialog
from ccq_tui.plain.lines import Interrupted, Lines
from ccq_tui.plain.tables import as_sentences

LEAVE = "Decide later?"
DENY = "n"


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
    choices = dict(_keyed(kind_of(request).choices(request)))
    named = [f"{key} TEXT" if one.takes_text else key for key, one in choices.items()]
    line = "?"
    while True:
        key, _, text = line.partition(" ")
        choice = choices.get(DENY if key.lower() == "d" else key.lower())
        try:
            if line == "?":
                lines.say(kind_of(request).WORD, "\n".join(_whole(request, plan)))
                for name, one in zip(named, choices.values(), strict=True):
                    lines.say(name, f"{one.label} ({one.where})" if one.where else one.label)
            elif key.lower() == "b":
                if await dialog.leaves():
                    return End.LEFT
            elif choice is None or (text and not choice.takes_text):
                lines.note(f"Nothing was decided; type one of {', '.join(choices)}; b decides later.")
            else:
                if choice.takes_text and not text:
                    text = await dialog.hear("Your text, an empty line goes back:")
                outcome = choice.outcome(text, plan)
                # A line may not have meant what lasts.
                sure = not choice.lasts or await dialog.confirms(f"{choice.label}?", "grants it")
                if sure and (text or not choice.takes_text) and await dialog.settle(outcome):
                    lines.note(f"Decided: {choice.does.verb} {choice.does.about}".rstrip() + ".")
                    return End.HERE
            line = await dialog.hear(f"{', '.join(named)}, b decides later, ? repeats:")
        except Interrupted:
            line = "b"


def _keyed(choices: tuple[Choice, ...]) -> Iterator[tuple[str, Choice]]:
    """Yield choices with their keys: those of the panel, and numbers beyond its nine."""
    number = 0
    for choice in choices:
        number += choice.suggestion is not None
        yield choice.key or str(number), choice


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
