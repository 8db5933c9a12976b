"""A stored conversation as events."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ccq_tui.agent.events import (
    BlockFinished,
    BlockKey,
    BlockKind,
    Compacted,
    NoticeGiven,
    PromptAccepted,
    TaskEnded,
    TaskStarted,
    ToolFinished,
    ToolStarted,
)
from ccq_tui.agent.output_text import OUTPUT_LIMIT
from ccq_tui.agent.stored_messages import replay
from tests.unit.prompts.pictures import png


def user(content: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": "u", "message": {"role": "user", "content": content}}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "assistant",
        "uuid": "a",
        "message": {"id": "m", "role": "assistant", "content": list(blocks)},
    }


def test_prompts_blocks_and_tools() -> None:
    stored = [
        user("Build it"),
        assistant({"type": "thinking", "thinking": "Hm.", "signature": "s"}),
        assistant({"type": "text", "text": "So:"}),
        assistant({"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}),
        user([{"type": "tool_result", "tool_use_id": "t", "content": "a.txt", "is_error": False}]),
        user([{"type": "text", "text": "[Request interrupted by user]"}]),
        assistant({"type": "text", "text": "No response requested."}),
        user([{"type": "text", "text": "And then?"}, {"type": "image"}]),
    ]
    assert list(replay(stored)) == [
        PromptAccepted("Build it", prompt_id="u"),
        BlockFinished(BlockKey("m", 0), BlockKind.THINKING, "Hm."),
        BlockFinished(BlockKey("m", 1), BlockKind.TEXT, "So:"),
        ToolStarted("t", "Bash", {"command": "ls"}),
        ToolFinished("t", "Bash", "a.txt"),
        PromptAccepted("And then?\n[image]", prompt_id="u"),
    ]


def test_images_are_named_in_the_text_that_they_came_with() -> None:
    data = base64.b64encode(png(64, 48)).decode()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    broken = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "!"}}
    size = len(png(64, 48))
    ours = f"See [image 1: a.png 64×48, {size} bytes]"
    stored = [
        user([{"type": "text", "text": ours}, image]),
        user([{"type": "text", "text": "See [Image #1] [Image #2]"}, image, broken]),
        user([image]),
    ]
    assert [event.text for event in replay(stored) if isinstance(event, PromptAccepted)] == [
        ours,
        f"See [Image #1] [Image #2]\n[image 1: 64×48, {size} bytes]\n[image, image/png, 0 bytes]",
        f"[image, image/png, {size} bytes]",
    ]


def test_the_clis_own_commands() -> None:
    stored = [
        user("<local-command-caveat>Caveat: ...</local-command-caveat>"),
        user("<command-name>/model</command-name>\n<command-args>opus</command-args>"),
        user("<local-command-stdout>Set model to \x1b[1mopus\x1b[22m</local-command-stdout>"),
        user("This session is being continued from a previous conversation. Summary: ..."),
        user("Output token limit hit. Resume directly — no apology, no recap."),
        user("Stop hook feedback:\n[sh check.sh]: the tests fail\n"),
    ]
    assert list(replay(stored)) == [
        PromptAccepted("/model opus"),
        NoticeGiven("info", "Set model to opus"),
        Compacted(summary="This session is being continued from a previous conversation. Summary: ..."),
        NoticeGiven("warning", OUTPUT_LIMIT),
        NoticeGiven("warning", "A Stop hook says: the tests fail"),
    ]


def test_what_is_not_a_message_is_passed_over() -> None:
    assert (
        list(replay([{"type": "user", "uuid": "u", "message": None}, user(None), user(["x", {"type": "y"}])]))
        == []
    )


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
