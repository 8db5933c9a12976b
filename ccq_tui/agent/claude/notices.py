"""Translates the CLI's notices beside the conversation, and its messages about tasks."""

from __future__ import annotations

from collections.abc import Iterator

from ccq_tui.agent import events as ev
from ccq_tui.agent.user_texts import SUMMARY, TASK_ENDS
from ccq_tui.claude_lines import Line, bounded, fields, number, text

_LEVELS = {"info", "warning", "error"}

TaskEvent = ev.TaskStarted | ev.TaskBackgrounded | ev.TaskProgressed | ev.TaskEnded


def task(subtype: str, data: Line) -> Iterator[TaskEvent]:
    """Translate a message about a task.

    The CLI may report the end twice, the second time with a summary.
    """
    name, call, usage = text(data, "task_id"), text(data, "tool_use_id"), fields(data, "usage")
    tools, tokens = (int(number(usage, counted) or 0) for counted in ("tool_uses", "total_tokens"))
    seconds = (number(usage, "duration_ms") or 0.0) / 1000
    match subtype:
        case "task_started":
            yield ev.TaskStarted(
                name,
                call,
                bounded(text(data, "description"), SUMMARY),
                background=bool(data.get("is_backgrounded")),
                agent=data.get("task_type") == "local_agent",
            )
        case "task_progress":
            doing = bounded(text(data, "description") or text(data, "last_tool_name"), SUMMARY)
            yield ev.TaskProgressed(name, call, doing, tools, tokens, seconds)
        case "task_updated" | "task_notification":
            told = fields(data, "patch") or data
            if told.get("is_backgrounded") is True:
                yield ev.TaskBackgrounded(name)
            if (status := text(told, "status")) in TASK_ENDS:
                summary = bounded(text(data, "summary"), SUMMARY)
                yield ev.TaskEnded(name, call, TASK_ENDS[status], summary, tools, tokens, seconds)


def rate_limit(info: Line) -> Iterator[ev.NoticeGiven]:
    """Translate the state of the account's limits; nothing while all is well."""
    name = (text(info, "rateLimitType") or "usage").replace("_", " ")
    part = number(info, "utilization")
    used = "" if part is None else f", {part:.0%} used"
    match info.get("status"):
        case "allowed":
            pass
        case "rejected":
            yield ev.NoticeGiven("error", f"The {name} limit is reached{used}.")
        case _:
            yield ev.NoticeGiven("warning", f"The {name} limit is near{used}.")


def status(data: Line) -> Iterator[ev.NoticeGiven]:
    """Translate the CLI's status message: only a compaction."""
    if data.get("status") == "compacting":
        yield ev.NoticeGiven("info", ev.COMPACTING)
    elif data.get("compact_result") not in (None, "success"):
        reason = data.get("compact_error") or data["compact_result"]
        yield ev.NoticeGiven("error", f"The conversation could not be compacted: {reason}")


def system(subtype: str, data: Line) -> Iterator[ev.NoticeGiven | ev.Compacted | TaskEvent]:
    """Translate the system messages that do not concern the CLI's own state."""
    match subtype:
        case "informational":
            level = str(data.get("level") or "info")
            said = data.get("content") or data.get("message")
            if said:
                yield ev.NoticeGiven(level if level in _LEVELS else "info", bounded(str(said)))
        case "permission_denied":
            yield ev.NoticeGiven(
                "warning", f"{data.get('tool_name', 'A tool')} was not allowed: {_reason(data)}"
            )
        case "compact_boundary":
            sizes = fields(data, "compact_metadata", "compactMetadata")
            yield ev.Compacted(
                _count(sizes, "pre_tokens", "preTokens"), _count(sizes, "post_tokens", "postTokens")
            )
        case "task_started" | "task_progress" | "task_updated" | "task_notification":
            yield from task(subtype, data)


def _reason(data: Line) -> str:
    # The first sentence is for a person, the rest instructs the model.
    return (
        bounded(str(data.get("message") or "no reason was given")).split(". ", 1)[0].split(" IMPORTANT", 1)[0]
    )


def _count(sizes: Line, *names: str) -> int | None:
    found = next((value for name in names if (value := number(sizes, name))), None)
    return int(found) if found else None
