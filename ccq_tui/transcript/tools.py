"""The tools with cards of their own: one table of their names, and short descriptions of calls."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ccq_tui.transcript.bodies import done, todos

SHELL = "!"
"""Name in place of a tool's for a command that a person ran in the shell."""
LIMIT = 2_000
"""Most characters of an argument that are read."""


class ToolCard(Enum):
    """Ways to show the calls of a tool."""

    OTHER = "other"
    """Input and output, for an unknown tool such as one of an MCP server."""
    LINE = "line"
    COMMAND = "command"
    FILE = "file"
    SEARCH = "search"
    WEB = "web"
    EDIT = "edit"
    WRITE = "write"
    NOTEBOOK = "notebook"
    AGENT = "agent"
    """A card with the calls of the agent under it."""
    TODOS = "todos"
    TASKS = "tasks"
    """A card with the list that the calls change, an entry at a time."""
    REQUEST = "request"
    """The request to a person, not the call."""
    PLANNING = "planning"
    """A line that says it; as for the CLI's own file of a plan, there is a card only for a failure."""


EDITS = frozenset({ToolCard.EDIT, ToolCard.WRITE, ToolCard.NOTEBOOK})
"""Cards that show changes of a file."""
READING = frozenset({ToolCard.FILE, ToolCard.SEARCH})
"""Cards of calls that only look, and fold into one line where several follow each other."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A row of the table.

    Attributes:
        card: The card of its calls.
        arguments: Arguments that say most about a call, the most telling first.
        wants: Its purpose, in words that follow "wants to", or "".
    """

    card: ToolCard = ToolCard.OTHER
    arguments: tuple[str, ...] = ()
    wants: str = ""


ENTER_PLAN_MODE = "EnterPlanMode"
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
    ENTER_PLAN_MODE: Tool(ToolCard.PLANNING),
}
_UNKNOWN = Tool()
_PLAN_FILE = re.compile(r"/\.claude/plans/[^/]+\.md\Z")
_LIKELY = ("command", "file_path", "path", "pattern", "url", "query", "description", "prompt", "name", "id")


def tool_of(name: str) -> Tool:
    """Return a tool's row; the row of an unknown tool shows everything."""
    return TOOLS.get(name, _UNKNOWN)


def card_of(name: str) -> ToolCard:
    """Return the card of a tool's calls."""
    return tool_of(name).card


def card_of_call(tool: str, arguments: Mapping[str, Any], directory: str) -> ToolCard:
    """Return the card of a call: the CLI's own file of a plan is none of a session in ``directory``."""
    path = str(arguments.get("file_path", ""))
    plan = card_of(tool) in EDITS and _PLAN_FILE.search(path)
    return ToolCard.PLANNING if plan and not path.startswith(f"{directory}/.claude/") else card_of(tool)


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
    """Return the question or plan of a call that was rejected before anybody was asked."""
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
    """Shorten a result of `main_argument` by the session's working directory (or "")."""
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
