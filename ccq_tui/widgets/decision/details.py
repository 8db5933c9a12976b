"""What a permission or a plan is about, as lines: the command, the change, the address, the input.

Lines are made when they are about to be seen: nothing is left out, and a huge input costs what is seen of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rich.style import Style
from rich.text import Text

from ccq_tui.inbox import PermissionRequest, PlanRequest
from ccq_tui.text import one_line, safe
from ccq_tui.widgets.decision.changes import changed_lines
from ccq_tui.widgets.lines import flowing, wrapped
from ccq_tui.widgets.palette import Palette

PIECE = 20_000
"""Characters of a line that are made harmless at once."""
PLAN_ABOVE = "The plan stands above · PgUp PgDn scroll it"
TOO_DEEP = "… nested deeper than can be shown"
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


def detail_lines(request: PermissionRequest | PlanRequest, width: int, palette: Palette) -> Iterator[Text]:
    """Yield what is decided on, wrapped for a width in cells."""
    if isinstance(request, PlanRequest):
        # The transcript above holds it, rendered and scrolling; twice would leave room for neither.
        yield from wrapped(Text(PLAN_ABOVE, palette.muted), width)
        return
    # On a low screen one line is all there is: it must be what would run, not what the agent says of it.
    first = request.tool == "Bash"
    if first:
        yield from _input(request.tool, request.input, width, palette)
    for text in (request.description, request.reason):
        if text:
            yield from _flow(text, palette.muted, width)
    if request.blocked_path:
        yield from _flow(f"because of {request.blocked_path}", palette.warning, width)
    if not first:
        yield from _input(request.tool, request.input, width, palette)


def _input(tool: str, values: Mapping[str, Any], width: int, palette: Palette) -> Iterator[Text]:
    match tool, values:
        case "Bash", {"command": str(command)}:
            for index, line in enumerate(_lines(command)):
                yield from _led("  " if index else "$ ", palette.muted, line, palette.strong, width)
        case "Write", {"file_path": str(path), "content": str(content)}:
            yield from _flow(path, palette.strong, width)
            for line in _lines(content):
                yield from _led("+ ", palette.on, line, palette.on, width)
        case "Edit", {"file_path": str(path), "old_string": str(old), "new_string": str(new)}:
            yield from _flow(path, palette.strong, width)
            styles = {"-": palette.warning, "+": palette.on, " ": palette.muted}
            for sign, line in changed_lines(old, new):
                yield from _led(f"{sign} ", styles[sign], line, styles[sign], width)
        case "WebFetch", {"url": str(url), **rest}:
            yield from _flow(url, palette.strong, width)
            yield from _flow(str(rest.get("prompt", "")), palette.muted, width)
        case _:
            for line in _json_lines(values):
                yield from _flow(line, palette.plain, width)


def _json_lines(values: Mapping[str, Any]) -> Iterator[str]:
    """Write values as JSON, a line at a time."""
    line = ""
    try:
        for chunk in json.JSONEncoder(indent=2, ensure_ascii=False, default=str).iterencode(values):
            # A line break within a value is escaped: one in a chunk ends a line.
            *ended, rest = chunk.split("\n")
            for part in ended:
                yield line + part
                line = ""
            line += rest
    except RecursionError:
        yield line
        line = TOO_DEEP
    yield line


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text, one by one; the rest of a long text is not looked at."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end].removesuffix("\r")
        start = end + 1
    yield text[start:]


def _flow(text: str, style: Style, width: int) -> Iterator[Text]:
    """Make a text harmless and wrap it, piece by piece."""
    for line in _lines(text):
        for start in range(0, max(1, len(line)), PIECE):
            yield from flowing(safe(line[start : start + PIECE]), style, width)


def _led(lead: str, lead_style: Style, line: str, style: Style, width: int) -> Iterator[Text]:
    """Wrap a line with a sign before it, and blanks before what does not fit beside the sign."""
    for index, text in enumerate(_flow(line, style, width - len(lead))):
        yield Text.assemble((" " * len(lead) if index else lead, lead_style), text)
