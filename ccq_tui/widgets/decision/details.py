"""What a permission or a plan is about, as lines: who wants what, why, and the input itself."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from ccq_tui.inbox import PermissionRequest, PlanRequest
from ccq_tui.text import one_line
from ccq_tui.widgets.decision.inputs import change_lines, flow_lines, input_lines
from ccq_tui.widgets.lines import wrapped
from ccq_tui.widgets.palette import Palette

PLAN_ABOVE = "The plan stands above · PgUp PgDn scroll it · Ctrl+G edits it first"
PLAN_EDITED = "Your changes, to be approved with the plan · Ctrl+G goes on editing"
WANTS = {
    "Bash": "run a command",
    "Write": "write a file",
    "Edit": "change a file",
    "NotebookEdit": "change a notebook",
    "Read": "read a file",
    "Glob": "look for files",
    "Grep": "search in files",
    "WebFetch": "fetch a page",
    "WebSearch": "search the web",
}
"""What is wanted with a tool, in words."""
TOLD_BY_INPUT = frozenset(WANTS) - {"Bash"}
"""Tools whose description only repeats a part of the input."""


def headline(request: PermissionRequest | PlanRequest, *, edited: bool = False) -> str:
    """Say in a line who wants what.

    Args:
        request: The request.
        edited: Whether the person edited the plan.
    """
    if isinstance(request, PlanRequest):
        return "Claude has a plan · edited by you" if edited else "Claude has a plan"
    who = "A subagent" if request.agent_id else "Claude"
    if request.agent:
        who = f"Subagent “{one_line(request.agent, 40)}”"
    return f"{who} wants to {WANTS.get(request.tool) or f'use {one_line(request.tool, 60)}'}"


def detail_lines(
    request: PermissionRequest | PlanRequest, width: int, palette: Palette, plan: str = ""
) -> Iterator[Text]:
    """Yield what is decided on, wrapped for a width in cells.

    Args:
        request: The request.
        width: Cells.
        palette: The styles.
        plan: The plan as the person edited it, or "".
    """
    if isinstance(request, PlanRequest):
        # The transcript above holds it, rendered and scrolling; twice would leave room for neither.
        yield from wrapped(Text(PLAN_EDITED if plan else PLAN_ABOVE, palette.muted), width)
        if plan:
            # What stays stands above; there is room for little here.
            yield from change_lines(request.plan.rstrip(), plan.rstrip(), width, palette, stays=False)
        return
    # On a low screen one line is all there is: it must be what would run, not what the agent says of it.
    first = request.tool == "Bash"
    if first:
        yield from input_lines(request.tool, request.input, width, palette)
    if request.blocked_path:
        yield from flow_lines(f"because of {request.blocked_path}", palette.warning, width)
    description = "" if request.tool in TOLD_BY_INPUT else request.description
    for text in (description, request.reason):
        if text:
            yield from flow_lines(text, palette.muted, width)
    if not first:
        yield from input_lines(request.tool, request.input, width, palette)
