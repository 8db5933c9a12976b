"""A tool call in a few words: what it was called with, and what came of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ccq_tui.widgets.transcript.checklist import done, todos

_MAIN_ARGUMENT = {
    "Bash": ("command",),
    "Read": ("file_path",),
    "Edit": ("file_path",),
    "MultiEdit": ("file_path",),
    "Write": ("file_path",),
    "NotebookEdit": ("notebook_path",),
    "Glob": ("pattern", "path"),
    "Grep": ("pattern", "path"),
    "LS": ("path",),
    "WebFetch": ("url",),
    "WebSearch": ("query",),
    "Agent": ("description", "prompt"),
    "Task": ("description", "prompt"),
    "Skill": ("skill",),
    "TaskCreate": ("subject",),
    "TaskUpdate": ("subject", "taskId"),
    "TaskOutput": ("task_id",),
    "KillShell": ("shell_id",),
}
_LIKELY = ("command", "file_path", "path", "pattern", "url", "query", "description", "prompt", "name", "id")
FILE_TOOLS = frozenset({"Read", "Edit", "MultiEdit", "Write", "NotebookEdit"})
"""Tools whose main argument is a path."""
SEARCH_TOOLS = frozenset({"Glob", "Grep"})
"""Tools with a pattern, and a path to look in."""
LIMIT = 2_000
"""Characters of an argument or outcome that are looked at."""


def tool_title(tool: str) -> str:
    """Return a tool's name for display: ``mcp__server__tool`` reads ``server: tool``."""
    if tool.startswith("mcp__"):
        server, _, name = tool.removeprefix("mcp__").partition("__")
        return f"{server}: {name}" if name else server
    return tool


def short_argument(tool: str, argument: str, directory: str) -> str:
    """Leave out of a call's argument the directory that the session works in.

    Args:
        tool: The tool's name.
        argument: What `main_argument` returned.
        directory: Where the session works, or "".
    """
    here = directory.rstrip("/")
    if not here:
        return argument
    if tool in FILE_TOOLS:
        return argument.removeprefix(f"{here}/")
    if tool in SEARCH_TOOLS:
        pattern, sign, where = argument.rpartition(" in ")
        if sign and where.rstrip("/") == here:
            return pattern
        if sign and where.startswith(f"{here}/"):
            return f"{pattern} in {where.removeprefix(f'{here}/')}"
    return argument


def main_argument(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the argument that says most about a call, unsanitised.

    Args:
        tool: The tool's name.
        arguments: The call's input, of any shape.
    """
    if tool == "TodoWrite":
        return done(todos(arguments.get("todos")))
    names = _MAIN_ARGUMENT.get(tool, ())
    values = [_short(arguments[name]) for name in names if arguments.get(name)]
    if tool in SEARCH_TOOLS and len(values) == len(names):
        return f"{values[0]} in {values[1]}"
    if values:
        return values[0]
    for name in _LIKELY:
        if isinstance(arguments.get(name), str) and arguments[name]:
            return _short(arguments[name])
    return _short(arguments) if arguments else ""


def _short(value: Any) -> str:
    if isinstance(value, str):
        return value[:LIMIT]
    return json.dumps(value, ensure_ascii=False, default=str)[:LIMIT]


def outcome(tool: str, output: str, structured: Any, *, failed: bool) -> str:
    """Say in a few words what came of a call, unsanitised.

    Args:
        tool: The tool's name.
        output: What the model was given.
        structured: The CLI's own record, of any shape.
        failed: Whether the call failed.
    """
    if failed:
        return _failure(output)
    if isinstance(structured, Mapping) and (said := _structured(tool, structured)):
        return said
    output = output.strip()
    if not output or output == f"({tool} completed with no output)":
        return "no output"
    if "\n" not in output and len(output) <= 60:
        return output
    return plural(output.count("\n") + 1, "line")


def plural(count: int, word: str) -> str:
    """Write how many there are of something: ``1 line``, ``1,200 lines``."""
    return f"{count:,} {word}{'' if count == 1 else 'es' if word.endswith('ch') else 's'}"


def _failure(output: str) -> str:
    text = re.sub(r"</?(?:tool_use_error|error)>", "", output[:LIMIT]).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return "failed"
    if re.fullmatch(r"Exit code -?\d+", lines[0]):
        return ": ".join([lines[0].lower(), *lines[1:2]])
    return lines[0]


def _structured(tool: str, record: Mapping[str, Any]) -> str:
    """Read counts from the CLI's record where it has them."""
    file = record.get("file")
    if tool == "Read" and isinstance(file, Mapping) and isinstance(file.get("numLines"), int):
        return plural(file["numLines"], "line")
    counted = {"content": ("numLines", "line"), "count": ("numMatches", "match")}
    usual = ("numFiles", "file") if "numFiles" in record else ("numMatches", "match")
    name, word = counted.get(str(record.get("mode")), usual)
    return plural(record[name], word) if isinstance(record.get(name), int) else ""


def duration(seconds: float) -> str:
    """Write a duration in seconds for a person: ``0.4 s``, ``12 s``, ``3 min 5 s``, ``1 h 2 min``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
