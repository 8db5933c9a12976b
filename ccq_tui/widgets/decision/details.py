"""The details of a permission or a plan as lines: who wants what, why, and the input itself.

Lines are made when they are about to be seen: nothing is left out, and a huge input costs only what is seen.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, islice
from typing import Any, TypeAlias

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from ccq_tui.config.keymap import key_of
from ccq_tui.inbox import file_diff
from ccq_tui.inbox.elicitations import MOST_URL, host_of
from ccq_tui.inbox.file_changes import phrases
from ccq_tui.inbox.file_diff import BREAK, CONTEXT, DiffLine
from ccq_tui.inbox.requests import PermissionRequest, PlanRequest
from ccq_tui.text import one_line, placeholder, safe
from ccq_tui.transcript.tools import EDITS, TOOLS, ToolCard, card_of, short_argument, tool_of
from ccq_tui.widgets.hints import NARROW
from ccq_tui.widgets.lines import PIECE, flowing, verbatim, wrapped
from ccq_tui.widgets.palette import Palette
from ccq_tui.words import plural

PLAN_TITLE = "Claude has a plan"
PLAN_EDITED = "Your changes, to be approved with the plan · Ctrl+G edits again"


def headline(
    request: PermissionRequest | PlanRequest, width: int, directory: str = "", *, edited: bool = False
) -> str:
    """Return one line that says who wants what, in the longest form that fits a panel of ``width`` cells."""
    low, room = width < NARROW, width - 6  # the head around its words
    if isinstance(request, PlanRequest):
        return f"{PLAN_TITLE} · edited by you" if edited else PLAN_TITLE
    who = "A subagent" if request.agent_id else "Claude"
    if request.agent:
        who = f"Subagent “{one_line(request.agent, 40)}”"
    wants = tuple(
        words[:1].upper() + words[1:] if low and who == "Claude" else f"{who} wants to {words}"
        for words in phrases(request, one_line(_path(request, directory), PATH_LIMIT)) or _purposes(request)
    )
    if request.danger:
        # What a command is, its first line shows.
        alone = (f"⚠ {request.danger}",) if low and request.command and who == "Claude" else ()
        warning = (f"{words} · ⚠ {request.danger}" for words in wants)
        wants = (*warning, *alone, *(f"⚠ {words}" for words in wants))
    return next((words for words in wants if cell_len(words) <= room), wants[-1])


def plan_above(plan: str, unseen: int, width: int) -> str:
    """Say how much of a plan above the panel was never on the screen, and which key shows it."""
    lines = plan.strip().count("\n") + 1
    if width < NARROW:
        return f"↑ above · {plural(unseen, 'line')} unseen · p all" if unseen else "↑ above · p enlarges it"
    if not unseen:
        return f"↑ The plan is above · {key_of('page_up')} {key_of('page_down')}"
    much = f"{unseen:,} of its {plural(lines, 'line')}" if unseen <= lines else plural(unseen, "line")
    return f"↑ The plan is above · {much} unseen · {key_of('page_down')}"


def _purposes(request: PermissionRequest) -> tuple[str, ...]:
    tool, host = request.tool, _host(request)[0]
    server, _, name = tool.removeprefix("mcp__").partition("__")
    if tool.startswith("mcp__") and name:
        return (f"use {one_line(name, 60)} of {one_line(server, 60)}",)
    wants = tool_of(tool).wants or f"use {one_line(tool, 60)}"
    return (f"{wants} of {host}", wants) if host else (wants,)


def _host(request: PermissionRequest) -> tuple[str, str]:
    """Return the host of a page as a browser reads it, and a warning of letters that may look like others."""
    url = request.input.get("url") if card_of(request.tool) is ToolCard.WEB else None
    if not isinstance(url, str):
        return "", ""
    try:
        host = host_of(url[:MOST_URL])
        letters = sorted({one for one in host.encode().decode("idna") if not one.isascii()})
    except ValueError:
        return "", "the host cannot be read"
    signs = one_line(" ".join(f"{one}{placeholder(one)}" for one in letters), PATH_LIMIT)
    return one_line(host, PATH_LIMIT), f"letters beyond ASCII: {signs}" if signs else ""


def _path(request: PermissionRequest, directory: str) -> str:
    """Return the file of a call as its card names it: relative to the session's ``directory``, or ""."""
    name = next((request.input[name] for name in PATHS if isinstance(request.input.get(name), str)), "")
    return short_argument(request.tool, name, directory)


def edited_lines(request: PlanRequest, edited: str, width: int, palette: Palette) -> Iterator[Text]:
    """Yield what a person changed in a plan: its other lines are above, and there is room for little here."""
    if edited:
        yield from wrapped(Text(PLAN_EDITED, palette.muted), width)
        compared = file_diff.changed_lines(request.plan.rstrip(), edited.rstrip())
        rows = [DiffLine(sign, None, None, line) for sign, line in compared]
        yield from change_lines(file_diff.narrowed(rows, 0), 0, width, palette)


def asides(request: PermissionRequest, width: int, palette: Palette, directory: str = "") -> Iterator[Text]:
    """Yield the words about a permission, which allow nothing: warnings, Claude's description, the reason."""
    named = request.danger in headline(request, width + FRAME, directory)
    for warning in filter(None, ("" if named else request.danger, _host(request)[1])):
        yield from flow_lines(f"⚠ {warning}", palette.warning, width)
    if request.blocked_path:
        yield from _passage(f"⚠ because of {request.blocked_path}", palette.warning, width, palette)
    # The CLI sends a command that the agent does not describe, or the path of a file, as description.
    tool = tool_of(request.tool)
    described = request.description if tool.card is ToolCard.COMMAND or not tool.wants else ""
    for text in (described, request.reason):
        if text and text.strip() != request.command and not STOCK_REASON.fullmatch(text):
            yield from _passage(text, palette.muted, width, palette)


STOCK_REASON = re.compile(
    r"(?s)This command requires approval|Path is outside .+ directories|Claude requested .+ granted it yet\."
)
"""Reasons of the CLI that say no more than the panel itself."""
BAR = "│ "
"""Sign before each line of another's text: nothing in it can be mistaken for a row of the panel."""
SHELL_BREAK = re.compile(r"\s*\S.*[&|;]\s+|\s*\S.*\s")
"""The part of a command that stays on a line: up to its last operator, else to its last blank."""
PATH_LIMIT = 400
PATHS = ("file_path", "notebook_path")
MOST_EMPTY = 2
"""Most empty lines in a row that are drawn as they are."""
TOO_DEEP = "… nested too deeply to show"

CELL_EDITS = {
    "insert": "a new cell after",
    "delete": "deletes the cell",
    "replace": "the new text of the cell",
}
PLAIN_NAME = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
MOST_FLAT = 50
"""Most members of a list that is drawn on one line."""
FRAME = 4
"""Cells beside the details: three before them, and a free one at the end of a line that is not narrow."""

Values: TypeAlias = Mapping[str, Any]


def detail_lines(
    request: PermissionRequest, width: int, palette: Palette, directory: str = "", context: int = CONTEXT
) -> Iterator[Text]:
    """Yield the input of a call, or what it would do to its file, in lines of ``width`` cells.

    Files are named relative to the session's ``directory``; changes keep ``context`` lines around them.
    Fields that the tool's form has no place for follow it: they may change what happens.
    """
    values, card = request.input, card_of(request.tool)
    shown = _shown_by_file(request) if card in EDITS else ()
    if shown:
        yield from _file(request, width, palette, directory, context)
    match card, values:
        case ToolCard.COMMAND, {"command": str(command)}:
            yield from _command(command, width, palette)
            shown = ("command", "description", "timeout")
        case ToolCard.FILE, {"file_path": str(path)}:
            named = short_argument(request.tool, path, directory)
            yield from _passage(named, palette.strong, width, palette)
            shown = ("file_path",)
        case (ToolCard.WEB, {"url": str(text)}) | (ToolCard.WEB, {"query": str(text)}):
            yield from _passage(text, palette.strong, width, palette)
            if (host := _host(request)[0]) not in headline(request, width + FRAME):
                yield from flow_lines(f"host {host}", palette.strong, width)
            shown = ("url" if values.get("url") is text else "query",)
            if isinstance(prompt := values.get("prompt"), str):
                yield from _passage(prompt, palette.muted, width, palette)
                shown = (*shown, "prompt")
    for name in values:
        # Of Claude Code's own tools, every switch is off unless the call says otherwise.
        if name not in shown and not (values[name] is False and request.tool in TOOLS):
            yield from _field(name, values[name], width, palette)


def _shown_by_file(request: PermissionRequest) -> tuple[str, ...]:
    """Return the fields of an edit that the change of its file shows; none for an input of another shape."""
    values = request.input
    match values:
        case {"file_path": str(), "content": str()}:
            return ("file_path", "content")
        case {"notebook_path": str(), "new_source": str()}:
            return ("notebook_path", "new_source", *_shown_of_cell(values))
        case {"file_path": str(), "edits": [*_]} if file_diff.hunks_of(request.change):
            return ("file_path", "edits")
        case {"file_path": str(), "old_string": str(), "new_string": str()}:
            everywhere = isinstance(values.get("replace_all"), bool)
            return ("file_path", "old_string", "new_string", *(("replace_all",) if everywhere else ()))
        case _:
            return ()


def _file(
    request: PermissionRequest, width: int, palette: Palette, directory: str, context: int
) -> Iterator[Text]:
    """Yield what a call would do to its file, as the transcript shows it afterwards."""
    path, values, change = _path(request, directory), request.input, request.change
    if one_line(path, PATH_LIMIT) not in headline(request, width + FRAME, directory) or "\n" in path:
        yield from _passage(path, palette.strong, width, palette)
    if "notebook_path" in values:
        yield from _passage(_cell(values), palette.muted, width, palette)
    if trouble := change.get("trouble"):
        name = one_line(path.rpartition("/")[2], 60)
        unknown = "what it holds now" if "content" in values else "where it changes"
        yield from _passage(f"⚠ {name} {trouble}, so {unknown} is not shown", palette.warning, width, palette)
    if values.get("replace_all") is True and "places" not in change:
        yield from flow_lines("everywhere in the file", palette.warning, width)
    rows: Iterable[DiffLine] = file_diff.diff_lines(values, change)
    if file_diff.hunks_of(change):
        rows = list(file_diff.narrowed(list(rows), context))
        digits = len(str(max(row.new or row.old or 0 for row in rows)))
    else:
        digits = len(str(file_diff.length(values["content"]))) if change and "content" in values else 0
    yield from change_lines(rows, digits, width, palette)


def change_lines(rows: Iterable[DiffLine], digits: int, width: int, palette: Palette) -> Iterator[Text]:
    """Yield changed lines with their numbers and signs; ``digits`` is 0 where the numbers are unknown."""
    grounds = {"-": palette.removed_ground, "+": palette.added_ground}
    signs = {"-": palette.removed, "+": palette.added}
    for row, counts in squeezed(rows):
        if row.sign == BREAK:
            yield Text(BREAK.rjust(digits), palette.muted)
            continue
        number = row.old if row.new is None else row.new
        lead = f"{'' if number is None else number:>{digits}} " if digits else ""
        signed = Text.assemble((lead, palette.muted), (f"{row.sign} ", signs.get(row.sign, palette.muted)))
        style = palette.note if counts else palette.plain if row.sign in grounds else palette.muted
        for line in verbatim(row.text, signed, style, width, palette.muted):
            if row.sign in grounds:
                line.pad_right(width - line.cell_len)
                line.stylize_before(grounds[row.sign])
            yield line


def squeezed(rows: Iterable[DiffLine]) -> Iterator[tuple[DiffLine, bool]]:
    """Replace many empty lines with one sign by a line that counts them; mark that line with True."""
    for (_, empty), run in groupby(
        rows, key=lambda row: (row.sign, row.sign != BREAK and not row.text.strip())
    ):
        if not empty:
            yield from ((row, False) for row in run)
            continue
        first = list(islice(run, MOST_EMPTY + 1))
        if len(first) <= MOST_EMPTY:
            yield from ((row, False) for row in first)
        else:
            count = len(first) + sum(1 for _ in run)
            yield first[0]._replace(text=f"… {count:,} empty lines …"), True


def _unsigned(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a text, many empty ones counted in one."""
    rows = (DiffLine("", None, None, line) for line in _lines(text))
    return ((row.text, counts) for row, counts in squeezed(rows))


def flow_lines(text: str, style: Style, width: int) -> Iterator[Text]:
    """Make a text harmless and wrap it, piece by piece."""
    for line in _lines(text):
        for start in range(0, max(1, len(line)), PIECE):
            yield from flowing(safe(line[start : start + PIECE]), style, width)


def _passage(text: str, style: Style, width: int, palette: Palette) -> Iterator[Text]:
    """Wrap another's text behind a bar, with long runs of empty lines counted."""
    for line, counts in _unsigned(text):
        for part in flow_lines(line, palette.note if counts else style, width - len(BAR)):
            yield Text.assemble((BAR, palette.muted), part)


def _command(command: str, width: int, palette: Palette) -> Iterator[Text]:
    for index, (line, counts) in enumerate(_unsigned(command)):
        style, sign = palette.note if counts else palette.strong, Text(BAR if index else "$ ", palette.muted)
        yield from verbatim(line, sign, style, width, palette.muted, SHELL_BREAK)


def _cell(values: Values) -> str:
    """Return a line that says what happens to which cell of a notebook."""
    does = CELL_EDITS.get(str(values.get("edit_mode")), CELL_EDITS["replace"])
    kind = f" · {values['cell_type']}" if values.get("cell_type") else ""
    return f"{does} {values.get('cell_id') or 'at the beginning'}{kind}"


def _shown_of_cell(values: Values) -> tuple[str, ...]:
    """Return the fields that `_cell` shows completely."""
    known = values.get("edit_mode") in (*CELL_EDITS, None)
    return ("cell_id", "cell_type", *(("edit_mode",) if known else ()))


def _field(name: str, value: object, width: int, palette: Palette) -> Iterator[Text]:
    # Quoted unless plain: a line break in a name must not begin a line that looks like another field.
    named = name if PLAIN_NAME.fullmatch(name) else json.dumps(name, ensure_ascii=False)
    lines: Iterable[str] = _json_lines(value, f"{named}: ")
    if isinstance(value, list) and not any(isinstance(one, list | dict) for one in value[:MOST_FLAT]):
        short = json.dumps(value[:MOST_FLAT], ensure_ascii=False, default=str)
        if len(value) <= MOST_FLAT and len(named) + len(": ") + len(short) <= width:
            lines = [f"{named}: {short}"]
    for line in lines:
        yield from verbatim(line, Text(), palette.plain, width, palette.muted)


def _json_lines(values: object, line: str = "") -> Iterator[str]:
    """Yield values as JSON behind the beginning of a line, line by line."""
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
    """Yield the lines of a text, one by one, without scanning the rest of a long text.

    A final line break begins no further line: that line would count as never seen on the screen.
    """
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end].removesuffix("\r")
        start = end + 1
    if start < len(text) or not text:
        yield text[start:]
