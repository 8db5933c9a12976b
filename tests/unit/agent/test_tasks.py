"""What the CLI tells of tasks, as recorded from it."""

from __future__ import annotations

from typing import Any

import pytest

from ccq_tui.agent.claude.notices import task
from ccq_tui.agent.events import TaskBackgrounded, TaskEnded, TaskProgressed, TaskStarted

AGENT = {"task_id": "t", "tool_use_id": "a"}
USAGE = {"total_tokens": 8865, "tool_uses": 2, "duration_ms": 1203}


@pytest.mark.parametrize(
    ("subtype", "data", "told"),
    [
        (
            "task_started",
            {**AGENT, "description": "Look", "is_backgrounded": False, "task_type": "local_agent"},
            [TaskStarted("t", "a", "Look", agent=True)],
        ),
        (
            "task_started",
            {**AGENT, "description": "Build", "is_backgrounded": True, "task_type": "local_bash"},
            [TaskStarted("t", "a", "Build", background=True)],
        ),
        (
            "task_progress",
            {**AGENT, "description": "Searching for one", "usage": USAGE, "last_tool_name": "Grep"},
            [TaskProgressed("t", "a", "Searching for one", 2, 8865, 1.203)],
        ),
        ("task_progress", {**AGENT, "last_tool_name": "Grep"}, [TaskProgressed("t", "a", "Grep")]),
        ("task_updated", {"task_id": "t", "patch": {"status": "killed"}}, [TaskEnded("t", "", "stopped")]),
        ("task_updated", {"task_id": "t", "patch": {"is_backgrounded": True}}, [TaskBackgrounded("t")]),
        (
            "task_notification",
            {**AGENT, "status": "completed", "summary": "All found.", "usage": USAGE},
            [TaskEnded("t", "a", "completed", "All found.", 2, 8865, 1.203)],
        ),
        ("task_notification", {"usage": "odd", "status": "odd"}, []),
    ],
)
def test_messages_about_tasks(subtype: str, data: dict[str, Any], told: list[Any]) -> None:
    assert list(task(subtype, data)) == told
