"""Translates the CLI's messages about tasks: subagents and long commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ccq_tui.agent.events import TaskBackgrounded, TaskEnded, TaskProgressed, TaskStarted
from ccq_tui.agent.output_text import SUMMARY, TASK_ENDS, bounded

TaskEvent = TaskStarted | TaskBackgrounded | TaskProgressed | TaskEnded

SUBTYPES = frozenset({"task_started", "task_progress", "task_updated", "task_notification"})
"""The system messages that this module translates."""


def task(subtype: str, data: Mapping[str, Any]) -> Iterator[TaskEvent]:
    """Translate a message about a task.

    The CLI may report the end twice, the second time with a summary.
    """
    name = str(data.get("task_id") or "")
    call = str(data.get("tool_use_id") or "")
    tools, tokens, seconds = _usage(data.get("usage"))
    match subtype:
        case "task_started":
            yield TaskStarted(
                name,
                call,
                bounded(str(data.get("description") or ""), SUMMARY),
                background=bool(data.get("is_backgrounded")),
                agent=data.get("task_type") == "local_agent",
            )
        case "task_progress":
            doing = bounded(str(data.get("description") or data.get("last_tool_name") or ""), SUMMARY)
            yield TaskProgressed(name, call, doing, tools, tokens, seconds)
        case "task_updated" | "task_notification":
            patch = data.get("patch")
            told = patch if isinstance(patch, Mapping) else data
            if told.get("is_backgrounded") is True:
                yield TaskBackgrounded(name)
            status = told.get("status")
            if isinstance(status, str) and status in TASK_ENDS:
                summary = bounded(str(data.get("summary") or ""), SUMMARY)
                yield TaskEnded(name, call, TASK_ENDS[status], summary, tools, tokens, seconds)


def _usage(usage: Any) -> tuple[int, int, float]:
    numbers = usage if isinstance(usage, Mapping) else {}
    tools, tokens, milliseconds = (
        value if isinstance(value, int) else 0
        for value in (numbers.get(name) for name in ("tool_uses", "total_tokens", "duration_ms"))
    )
    return tools, tokens, milliseconds / 1000
