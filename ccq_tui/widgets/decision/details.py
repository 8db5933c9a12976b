"""The details of a permission or a plan as lines: who wants what, why, and the input itself.

Lines are made when they are about to be seen: nothing is left out, and a huge input costs only what is seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, groupby, islice
from typing import Any, TypeAlias

from rich.style import Style
from rich.text import Text

from ccq_tui.inbox import PermissionRequest, PlanRequest
from ccq_tui.text import one_line, safe
from ccq_tui.widgets.lines import flowing, wrapped
from ccq_tui.widgets.palette import Palette
from ccq_tui.widgets.transcript.diff import changed_lines
from ccq_tui.widgets.transcript.tools import ToolCard, card_of, short_argument, tool_of, tool_title

PLAN_TITLE = "Claude has a plan"
PLAN_ABOVE = "The plan is above · PgUp PgDn scroll it · Ctrl+G edits it first"
PLAN_ABOVE_SHORT = "PgUp PgDn scroll · Ctrl+G edits"
"""Shorter form where the other would take two lines: a narrow panel has none to spare."""
PLAN_EDITED = "Your changes, to be approved with the plan · Ctrl+G edits again"


def headline(request: PermissionRequest | PlanRequest, *, edited: bool = False) -> str:
    """Return one line that says who wants what."""
    if isinstance(request, PlanRequest):
        return "Claude has a plan · edited by you" if edited else PLAN_TITLE
    who = "A subagent" if request.agent_id else "Claude"
    if request.agent:
        who = f"Subagent “{one_line(request.agent, 40)}”"
    return f"{who} wants to {tool_of(request.tool).wants or f'use {one_line(tool_title(request.tool), 60)}'}"


def detail_lines(
    request: PermissionRequest | PlanRequest,
    width: int,
    palette: Palette,
    plan: str = "",
    directory: str = "",
) -> Iterator[Text]:
    """Yield the details, wrapped to ``width`` cells, with files relative to the session's ``directory``."""
    if isinstance(request, PlanRequest):
        # The transcript above shows the plan, rendered and scrolling; showing it twice would leave room for
        # neither.
        above = PLAN_ABOVE if width >= len(PLAN_ABOVE) else PLAN_ABOVE_SHORT
        yield from wrapped(Text(PLAN_EDITED if plan else above, palette.muted), width)
        if plan:
            # Unchanged lines are above; there is room for little here.
            yield from change_lines(request.plan.rstrip(), plan.rstrip(), width, palette, stays=False)
        return
    # Where the agent describes no command, the CLI sends the command itself as description.
    said = str(request.input.get("command", "")).strip()
    # A low screen has one line only: it must show what would run, not the agent's words about it.
    tool = tool_of(request.tool)
    first = tool.card is ToolCard.COMMAND
    if first:
        yield from input_lines(request.tool, request.input, width, palette, directory)
    if request.blocked_path:
        yield from _passage(f"because of {request.blocked_path}", palette.warning, width, palette)
    description = (
        "" if tool.wants and not first else request.description
    )  # it would repeat a part of the input
    for text in (description, request.reason):
        if text and text.strip() != said:
            yield from _passage(text, palette.muted, width, palette)
    if not first:
        yield from input_lines(request.tool, request.input, width, palette, directory)


PATHS = ("file_path", "notebook_path")
PIECE = 20_000
"""Characters of a line made harmless in one go."""
MOST_EMPTY = 2
"""Most empty lines in a row that are drawn as they are."""
EMPTY_LINES = "… {:,} empty lines …"
TOO_DEEP = "… nested too deeply to show"

CELL_EDITS = {
    "insert": "a new cell after",
    "delete": "deletes the cell",
    "replace": "the new text of the cell",
}
BESIDE_COMMAND = frozenset({"description", "timeout"})
"""Fields that do not change what a command runs; the CLI sends the description separately, too."""

Values: TypeAlias = Mapping[str, Any]


def input_lines(
    tool: str, values: Values, width: int, palette: Palette, directory: str = ""
) -> Iterator[Text]:
    drawn = _drawn(card_of(tool), _from_here(tool, values, directory), width, palette)
    yield from _json(values, width, palette) if drawn is None else drawn


def _drawn(card: ToolCard, values: Values, width: int, palette: Palette) -> Iterator[Text] | None:
    """Return the lines of an input, or None for one of an unknown shape.

    Fields that the tool's form has no place for follow it: they may change what happens.
    """
    shown: frozenset[str] = frozenset()
    match card, values:
        case ToolCard.COMMAND, {"command": str(command), **rest}:
            lines, shown = _command(command, width, palette), BESIDE_COMMAND
        case ToolCard.WRITE, {"file_path": str(path), "content": str(content), **rest}:
            lines = _new(path, "", content, width, palette)
        case ToolCard.NOTEBOOK, {"notebook_path": str(path), "new_source": str(source), **rest}:
            lines, shown = _new(path, _cell(rest), source, width, palette), _shown_of_cell(rest)
        case ToolCard.EDIT, {"file_path": str(path), "old_string": str(old), "new_string": str(new), **rest}:
            everywhere = rest.get("replace_all", False)
            shown = frozenset({"replace_all"} if isinstance(everywhere, bool) else ())
            lines = _edited(path, old, new, width, palette, everywhere=everywhere is True)
        case ToolCard.WEB, {"url": str(url), "prompt": str(prompt), **rest}:
            lines = _both(url, prompt, width, palette)
        case (
            (ToolCard.FILE, {"file_path": str(text), **rest})
            | (ToolCard.WEB, {"url": str(text), **rest})
            | (ToolCard.WEB, {"query": str(text), **rest})
        ):
            lines = _passage(text, palette.strong, width, palette)
        case _:
            return None
    return chain(lines, _fields({name: rest[name] for name in rest if name not in shown}, width, palette))


def _from_here(tool: str, values: Values, directory: str) -> Values:
    """Shorten file names as their cards do: without the session's working directory."""
    names = {name for name in PATHS if isinstance(values.get(name), str)}
    return {**values, **{name: short_argument(tool, values[name], directory) for name in names}}


def change_lines(old: str, new: str, width: int, palette: Palette, *, stays: bool = True) -> Iterator[Text]:
    """Yield the lines of both texts, with signs before those removed and those added."""
    styles = {"-": palette.warning, "+": palette.on, " ": palette.muted}
    changed = (each for each in changed_lines(old, new) if stays or each[0] != " ")
    for sign, line, counts in squeezed(changed):
        yield from _led(f"{sign} ", styles[sign], line, palette.note if counts else styles[sign], width)


def squeezed(lines: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, bool]]:
    """Replace many empty lines with one sign by a line that counts them; mark that line with True."""
    for (sign, empty), run in groupby(lines, key=lambda line: (line[0], not line[1].strip())):
        if not empty:
            yield from ((*line, False) for line in run)
            continue
        first = list(islice(run, MOST_EMPTY + 1))
        if len(first) <= MOST_EMPTY:
            yield from ((*line, False) for line in first)
        else:
            yield sign, EMPTY_LINES.format(len(first) + sum(1 for _ in run)), True


def flow_lines(text: str, style: Style, width: int) -> Iterator[Text]:
    """Make a text harmless and wrap it, piece by piece."""
    for line in _lines(text):
        for start in range(0, max(1, len(line)), PIECE):
            yield from flowing(safe(line[start : start + PIECE]), style, width)


def _passage(text: str, style: Style, width: int, palette: Palette) -> Iterator[Text]:
    """Wrap a text, with long runs of empty lines counted."""
    for _, line, counts in squeezed(("", line) for line in _lines(text)):
        yield from flow_lines(line, palette.note if counts else style, width)


def _command(command: str, width: int, palette: Palette) -> Iterator[Text]:
    for index, (_, line, counts) in enumerate(squeezed(("", line) for line in _lines(command))):
        style = palette.note if counts else palette.strong
        yield from _led("  " if index else "$ ", palette.muted, line, style, width)


def _new(path: str, about: str, text: str, width: int, palette: Palette) -> Iterator[Text]:
    yield from _passage(path, palette.strong, width, palette)
    if about:
        yield from _passage(about, palette.muted, width, palette)
    for _, line, counts in squeezed(("+", line) for line in _lines(text)):
        yield from _led("+ ", palette.on, line, palette.note if counts else palette.on, width)


def _cell(values: Values) -> str:
    """Return a line that says what happens to which cell of a notebook."""
    does = CELL_EDITS.get(str(values.get("edit_mode")), CELL_EDITS["replace"])
    kind = f" · {values['cell_type']}" if values.get("cell_type") else ""
    return f"{does} {values.get('cell_id') or 'at the beginning'}{kind}"


def _shown_of_cell(values: Values) -> frozenset[str]:
    """Return the fields that `_cell` shows completely."""
    known = values.get("edit_mode") in (*CELL_EDITS, None)
    return frozenset({"cell_id", "cell_type", *(("edit_mode",) if known else ())})


def _edited(
    path: str, old: str, new: str, width: int, palette: Palette, *, everywhere: bool
) -> Iterator[Text]:
    yield from _passage(path, palette.strong, width, palette)
    if everywhere:
        yield from flow_lines("everywhere in the file", palette.warning, width)
    yield from change_lines(old, new, width, palette)


def _both(first: str, second: str, width: int, palette: Palette) -> Iterator[Text]:
    yield from _passage(first, palette.strong, width, palette)
    yield from _passage(second, palette.muted, width, palette)


def _json(values: Values, width: int, palette: Palette) -> Iterator[Text]:
    for line in _json_lines(values):
        yield from flow_lines(line, palette.plain, width)


def _fields(values: Values, width: int, palette: Palette) -> Iterator[Text]:
    for name, value in values.items():
        # Quoted: a line break in a name must not begin a line that looks like another field.
        for line in _json_lines(value, f"{json.dumps(name, ensure_ascii=False)}: "):
            yield from flow_lines(line, palette.plain, width)


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


def _led(lead: str, lead_style: Style, line: str, style: Style, width: int) -> Iterator[Text]:
    """Wrap a line with a sign before its first part, and blanks before the others."""
    for index, text in enumerate(flow_lines(line, style, width - len(lead))):
        yield Text.assemble((" " * len(lead) if index else lead, lead_style), text)
