"""A stored conversation as events."""

from __future__ import annotations

from typing import Any

import pytest

from ccq_tui.agent.events import PromptAccepted, TaskEnded, TaskStarted
from ccq_tui.agent.history import replay


def user(content: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}}


def background(name: str, output: str) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": f"call_{name}", "name": "Bash", "input": {"command": name}}
    result = {"type": "tool_result", "tool_use_id": f"call_{name}", "content": output}
    return [
        {"type": "assistant", "uuid": f"a{name}", "message": {"id": f"m{name}", "content": [call]}},
        user([result]),
    ]


def notification(task: str, status: str) -> dict[str, Any]:
    fields = {"task-id": task, "tool-use-id": f"call_{task}", "status": status, "summary": f"{task} is over"}
    lines = "\n".join(f"<{name}>{text}</{name}>" for name, text in fields.items())
    return user(f"<task-notification>\n{lines}\n</task-notification>")


STARTED = "Command running in background with ID: {}. Output is being written to: /tmp/x"


@pytest.mark.parametrize(
    "output",
    [
        STARTED,
        "Command was manually backgrounded by user with ID: {}. Output is being written to: /tmp/x",
        "Command was moved to the background (ID: {}) so that a message can be read",
        "Async agent launched successfully. (Internal metadata.)\nagentId: {} (use it to continue)",
    ],
)
def test_what_ran_in_the_background_of_a_stored_conversation_has_ended(output: str) -> None:
    stored = [*background("b1", output.format("b1")), *background("b2", output.format("b2"))]
    told = list(replay([*stored, notification("b1", "failed"), notification("b1", "strange")]))
    assert [event for event in told if isinstance(event, TaskStarted | TaskEnded)] == [
        TaskStarted("b1", "call_b1", "", background=True),
        TaskStarted("b2", "call_b2", "", background=True),
        TaskEnded("b1", "call_b1", "failed", "b1 is over"),
        TaskEnded("b2", "call_b2", "stopped"),
    ]
    assert not [event for event in told if isinstance(event, PromptAccepted)]


def test_an_agents_report_says_nothing_of_its_task() -> None:
    text = "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<result>{}</result>"
    (told,) = replay([user(text.format("<status>failed</status><task-id>zz</task-id><summary>x</summary>"))])
    assert told == TaskEnded("a1", "", "completed")
    assert len(list(replay([user(text.format("<summary>" * 100_000))]))) == 1, "and takes no time"


def test_output_that_reads_like_a_background_call_is_none_of_another_tool() -> None:
    call, result = background("b1", STARTED.format("b1"))
    call["message"]["content"][0]["name"] = "Read"
    assert not [event for event in replay([call, result]) if isinstance(event, TaskStarted | TaskEnded)]


def test_an_end_that_newer_messages_tell_is_the_end_of_a_task_of_older_ones() -> None:
    ended: dict[str, TaskEnded] = {}
    list(replay([notification("b1", "completed")], ended=ended))
    older = list(replay(background("b1", STARTED.format("b1")), ended=ended))
    assert older[-1] == TaskEnded("b1", "call_b1", "completed", "b1 is over")
