"""To-do lists: entries done, in progress and left."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from ccq_tui.transcript.text_bodies import FixedBody

_NUMBER = re.compile(r"#(\w+)")


class TodoState(StrEnum):
    """State of an entry, in the CLI's words."""

    PENDING = "pending"
    NOW = "in_progress"
    DONE = "completed"


@dataclass(frozen=True, slots=True)
class Todo:
    """One thing to do; ``text`` is unsanitised."""

    text: str
    doing: TodoState = TodoState.PENDING


class Checklist(FixedBody):
    """Entries as a card shows them.

    Attributes:
        entries: The entries, in order.
        hidden: Number of further entries.
    """

    def __init__(self, entries: Iterable[Todo], most: int | None = None) -> None:
        whole = tuple(entries)
        self.entries = whole if most is None or len(whole) <= most + 1 else whole[:most]
        self.hidden = len(whole) - len(self.entries)

    def estimate(self, _index: int, _width: int) -> int:
        """Guess the number of rows."""
        return max(1, len(self.entries) + bool(self.hidden))


def todos(source: Any) -> tuple[Todo, ...]:
    """Read the list of a ``TodoWrite`` call, of any shape; leave out anything that is no entry."""
    if not isinstance(source, list):
        return ()
    return tuple(
        Todo(str(_named(todo)), _doing(todo.get("status"))) for todo in source if isinstance(todo, Mapping)
    )


def _named(todo: Mapping[str, Any]) -> Any:
    now = todo.get("activeForm") if todo.get("status") == TodoState.NOW else ""
    return now or todo.get("content") or ""


def _doing(status: Any) -> TodoState:
    return TodoState(status) if status in set(TodoState) else TodoState.PENDING


def done(entries: Iterable[Todo]) -> str:
    """Return the number of entries done: ``2 of 3 done``."""
    states = [entry.doing for entry in entries]
    return f"{states.count(TodoState.DONE)} of {len(states)} done"


class TaskList:
    """The list that ``TaskCreate`` and ``TaskUpdate`` calls make, entry by entry."""

    def __init__(self) -> None:
        self._entries: dict[str, Todo] = {}

    @property
    def entries(self) -> tuple[Todo, ...]:
        """The entries, in the order in which they came."""
        return tuple(self._entries.values())

    def take(self, tool: str, arguments: Mapping[str, Any], output: str, structured: Any) -> Todo | None:
        """Apply a call that succeeded; return the entry that it was about, or None for the whole list."""
        match tool:
            case "TaskCreate":
                name = _created(output, structured) or str(len(self._entries) + 1)
                self._entries[name] = Todo(str(arguments.get("subject") or ""))
                return self._entries[name]
            case "TaskUpdate":
                return self._update(str(arguments.get("taskId") or ""), arguments)
            case "TaskList" if isinstance(structured, Mapping):
                self._replace(structured.get("tasks"))
        return None

    def _update(self, name: str, arguments: Mapping[str, Any]) -> Todo | None:
        if arguments.get("status") == "deleted":
            return self._entries.pop(name, None)
        entry = self._entries.get(name)
        if entry is None:
            return None
        if arguments.get("subject"):
            entry = replace(entry, text=str(arguments["subject"]))
        if arguments.get("status"):
            entry = replace(entry, doing=_doing(arguments["status"]))
        self._entries[name] = entry
        return entry

    def _replace(self, tasks: Any) -> None:
        if isinstance(tasks, list) and all(isinstance(task, Mapping) and task.get("id") for task in tasks):
            self._entries = {
                str(task["id"]): Todo(str(task.get("subject") or ""), _doing(task.get("status")))
                for task in tasks
            }


def _created(output: str, structured: Any) -> str:
    task = structured.get("task") if isinstance(structured, Mapping) else None
    if isinstance(task, Mapping) and task.get("id"):
        return str(task["id"])
    found = _NUMBER.search(output[:200])
    return found[1] if found else ""
