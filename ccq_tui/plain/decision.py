"""What a permission or a plan would allow, read out."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ccq_tui.inbox.file_changes import phrases
from ccq_tui.inbox.file_diff import diff_lines, hunks_of
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import PermissionRequest, PlanRequest, Request
from ccq_tui.plain.tables import as_sentences


def details(request: Request, plan: str) -> Iterator[str]:
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
