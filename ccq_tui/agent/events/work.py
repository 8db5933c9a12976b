"""What is done: tool calls and tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """The agent called a tool; ``parent`` is the Agent call it works for, or ""."""

    tool_use_id: str
    tool: str
    input: Mapping[str, Any] = field(hash=False)
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ToolGrew:
    """A call has written more; ``output`` is the newest part of it."""

    tool_use_id: str
    output: str


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool call has its result; ``output`` is what the model got, ``structured`` the CLI's own record."""

    tool_use_id: str
    tool: str
    output: str
    is_error: bool = False
    structured: Any = field(default=None, hash=False)
    parent: str = ""


@dataclass(frozen=True, slots=True)
class TaskStarted:
    """A subagent, or a command that takes a while, began to work.

    Attributes:
        task_id: Names the task.
        tool_use_id: The call that it belongs to, or "".
        description: What it is about.
        background: Whether the turn goes on meanwhile.
        agent: Whether it is a subagent.
    """

    task_id: str
    tool_use_id: str
    description: str
    background: bool = False
    agent: bool = False


@dataclass(frozen=True, slots=True)
class TaskProgressed:
    """A task got further; ``doing`` is what it does now, the numbers are those of the whole task so far."""

    task_id: str
    tool_use_id: str
    doing: str
    tools: int = 0
    tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TaskEnded:
    """A task is over; ``status`` is "completed", "failed" or "stopped", ``summary`` what it says itself."""

    task_id: str
    tool_use_id: str
    status: str
    summary: str = ""
    tools: int = 0
    tokens: int = 0
    seconds: float = 0.0
