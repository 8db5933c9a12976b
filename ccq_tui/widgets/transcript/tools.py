"""The tools that have a card of their own: one table of their names, and a call in a few words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ccq_tui.widgets.transcript.checklist import done, todos

SHELL = "!"
"""In place of a tool where a person ran a command in the shell."""
LIMIT = 2_000
"""Characters of an argument that are looked at."""


class ToolCard(Enum):
    """How the calls of a tool are shown; who asks for a card draws what it has beside others."""

    OTHER = "other"
    """By its input and its output: a tool that nobody knows, such as one of an MCP server."""
    LINE = "line"
    COMMAND = "command"
    FILE = "file"
    SEARCH = "search"
    WEB = "web"
    EDIT = "edit"
    WRITE = "write"
    NOTEBOOK = "notebook"
    AGENT = "agent"
    """With calls of its own under it."""
    TODOS = "todos"
    TASKS = "tasks"
    """With the list that its calls change, an entry at a time."""
    REQUEST = "request"
    """By what is asked of a person, not as a call."""


EDITS = frozenset({ToolCard.EDIT, ToolCard.WRITE, ToolCard.NOTEBOOK})
"""Cards that show what changed in a file."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A row of the table.

    Attributes:
        card: How its calls are shown.
        arguments: Those that say most about a call, the most telling first.
        wants: What is wanted with it, in words that follow "wants to", or "".
    """

    card: ToolCard = ToolCard.OTHER
    arguments: tuple[str, ...] = ()
    wants: str = ""


TOOLS: Mapping[str, Tool] = {
    SHELL: Tool(ToolCard.COMMAND, ("command",)),
    "Bash": Tool(ToolCard.COMMAND, ("command",), "run a command"),
    "Read": Tool(ToolCard.FILE, ("file_path",), "read a file"),
    "Edit": Tool(ToolCard.EDIT, ("file_path",), "change a file"),
    "MultiEdit": Tool(ToolCard.EDIT, ("file_path",)),
    "Write": Tool(ToolCard.WRITE, ("file_path",), "write a file"),
    "NotebookEdit": Tool(ToolCard.NOTEBOOK, ("notebook_path",), "change a notebook"),
    "Glob": Tool(ToolCard.SEARCH, ("pattern", "path"), "look for files"),
    "Grep": Tool(ToolCard.SEARCH, ("pattern", "path"), "search in files"),
    "LS": Tool(ToolCard.LINE, ("path",)),
    "WebFetch": Tool(ToolCard.WEB, ("url",), "fetch a page"),
    "WebSearch": Tool(ToolCard.WEB, ("query",), "search the web"),
    "Agent": Tool(ToolCard.AGENT, ("description", "prompt")),
    "Task": Tool(ToolCard.AGENT, ("description", "prompt")),
    "Skill": Tool(ToolCard.LINE, ("skill",)),
    "TodoWrite": Tool(ToolCard.TODOS),
    "TaskCreate": Tool(ToolCard.TASKS, ("subject",)),
    "TaskUpdate": Tool(ToolCard.TASKS, ("subject", "taskId")),
    "TaskList": Tool(ToolCard.TASKS),
    "TaskOutput": Tool(ToolCard.OTHER, ("task_id",)),
    "KillShell": Tool(ToolCard.OTHER, ("shell_id",)),
    "AskUserQuestion": Tool(ToolCard.REQUEST),
    "ExitPlanMode": Tool(ToolCard.REQUEST),
}
_UNKNOWN = Tool()
_LIKELY = ("command", "file_path", "path", "pattern", "url", "query", "description", "prompt", "name", "id")


def tool_of(name: str) -> Tool:
    """Return a tool's row; that of a tool nobody knows shows all that there is."""
    return TOOLS.get(name, _UNKNOWN)


def card_of(name: str) -> ToolCard:
    """Return how the calls of a tool are shown."""
    return tool_of(name).card


def tool_title(tool: str) -> str:
    """Return a tool's name for display: ``mcp__server__tool`` reads ``server: tool``."""
    if tool.startswith("mcp__"):
        server, _, name = tool.removeprefix("mcp__").partition("__")
        return f"{server}: {name}" if name else server
    return tool


def main_argument(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the argument that says most about a call, unsanitised."""
    row = tool_of(tool)
    if row.card is ToolCard.TODOS:
        return done(todos(arguments.get("todos")))
    if row.card is ToolCard.REQUEST:
        return _asked(arguments)
    values = [_short(arguments[name]) for name in row.arguments if arguments.get(name)]
    if row.card is ToolCard.SEARCH and len(values) == len(row.arguments):
        return f"{values[0]} in {values[1]}"
    if values:
        return values[0]
    for name in _LIKELY:
        if isinstance(arguments.get(name), str) and arguments[name]:
            return _short(arguments[name])
    return _short(arguments) if arguments else ""


def _asked(arguments: Mapping[str, Any]) -> str:
    """Return what a call asks a person that was rejected before anybody was asked."""
    match arguments:
        case {"questions": [{"question": str(text)}, *_]} | {"plan": str(text)}:
            return text.strip().partition("\n")[0][:LIMIT]
        case _:
            return ""


def _short(value: Any) -> str:
    if isinstance(value, str):
        return value[:LIMIT]
    return json.dumps(value, ensure_ascii=False, default=str)[:LIMIT]


def short_argument(tool: str, argument: str, directory: str) -> str:
    """Leave out of what `main_argument` returned the directory that the session works in, or ""."""
    card, here = card_of(tool), directory.rstrip("/")
    if not here:
        return argument
    if card is ToolCard.FILE or card in EDITS:
        return argument.removeprefix(f"{here}/")
    if card is ToolCard.SEARCH:
        pattern, sign, where = argument.rpartition(" in ")
        if sign and where.rstrip("/") == here:
            return pattern
        if sign and where.startswith(f"{here}/"):
            return f"{pattern} in {where.removeprefix(f'{here}/')}"
    return argument
