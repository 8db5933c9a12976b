"""What a permission or a plan is about, as lines: the command, the change, the address, the input."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from typing import Any

from rich.text import Text

from ccq_tui.inbox import PermissionRequest, PlanRequest
from ccq_tui.text import one_line, safe
from ccq_tui.widgets.lines import Line, wrapped
from ccq_tui.widgets.palette import Palette

MOST_CHARACTERS = 50_000
"""Of one value; the rest is counted, not shown."""
PLAN_ABOVE = "The plan stands above · PgUp PgDn scroll it"
FILE_TOOLS = {"Write": "write", "Edit": "change", "NotebookEdit": "change"}


def headline(request: PermissionRequest | PlanRequest) -> str:
    """Say in a line who wants what."""
    if isinstance(request, PlanRequest):
        return "Claude has a plan"
    who = "A subagent" if request.agent_id else "Claude"
    if request.tool == "Bash":
        return f"{who} wants to run a command"
    if request.tool in FILE_TOOLS:
        return f"{who} wants to {FILE_TOOLS[request.tool]} a file"
    if request.tool == "WebFetch":
        return f"{who} wants to fetch a page"
    return f"{who} wants to use {one_line(request.tool, 60)}"


def detail_lines(request: PermissionRequest | PlanRequest, width: int, palette: Palette) -> list[Line]:
    """Return what is decided on, wrapped for a width in cells."""
    if isinstance(request, PlanRequest):
        # The transcript above holds it, rendered and scrolling; twice would leave room for neither.
        return [Line(text) for text in wrapped(Text(PLAN_ABOVE, palette.muted), width)]
    texts: list[Text] = []
    for line in (request.description, request.reason):
        if line:
            texts += wrapped(Text(_bounded(line), palette.muted), width)
    if request.blocked_path:
        texts += wrapped(Text(f"because of {_bounded(request.blocked_path)}", palette.warning), width)
    for text in _input(request.tool, request.input, palette):
        texts += wrapped(text, width)
    return [Line(text) for text in texts]


def _input(tool: str, values: Mapping[str, Any], palette: Palette) -> list[Text]:
    match tool, values:
        case "Bash", {"command": str(command)}:
            return _block("$ ", command, palette)
        case "Write", {"file_path": str(path), "content": str(content)}:
            return [Text(_bounded(path), palette.strong), *_added(content, palette)]
        case "Edit", {"file_path": str(path), "old_string": str(old), "new_string": str(new)}:
            return [Text(_bounded(path), palette.strong), *_changed(old, new, palette)]
        case "WebFetch", {"url": str(url), **rest}:
            return [
                Text(_bounded(url), palette.strong),
                Text(_bounded(str(rest.get("prompt", ""))), palette.muted),
            ]
        case _:
            return [
                Text(_bounded(json.dumps(values, indent=2, ensure_ascii=False, default=str)), palette.plain)
            ]


def _block(lead: str, text: str, palette: Palette) -> list[Text]:
    lines = _bounded(text).split("\n")
    return [
        Text.assemble((lead if index == 0 else " " * len(lead), palette.muted), (line, palette.strong))
        for index, line in enumerate(lines)
    ]


def _added(content: str, palette: Palette) -> list[Text]:
    return [Text(f"+ {line}", palette.on) for line in _bounded(content).split("\n")]


def _changed(old: str, new: str, palette: Palette) -> list[Text]:
    styles = {"-": palette.warning, "+": palette.on, " ": palette.muted}
    lines = difflib.ndiff(_bounded(old).split("\n"), _bounded(new).split("\n"))
    return [Text(line, styles[line[0]]) for line in lines if line[0] != "?"]


def _bounded(text: str) -> str:
    if len(text) <= MOST_CHARACTERS:
        return safe(text)
    return f"{safe(text[:MOST_CHARACTERS])}… {len(text) - MOST_CHARACTERS:,} more characters"
