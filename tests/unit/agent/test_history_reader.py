"""What a stored session has beside its messages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ccq_tui.agent.claude.history_reader import add_records, before, linked, notifications
from ccq_tui.agent.events import ToolFinished
from ccq_tui.agent.history import replay
from ccq_tui.claude_lines import whole_entries

PATCH = [{"oldStart": 7, "newStart": 7, "lines": ["-a", "+b"]}]


def calls(name: str, tool: str) -> dict[str, Any]:
    use = {"type": "tool_use", "id": name, "name": tool, "input": {}}
    return {"type": "assistant", "uuid": f"a{name}", "message": {"id": "m", "content": [use]}}


def result(name: str) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": name, "content": "ok"}
    return {"type": "user", "uuid": name, "message": {"content": [block]}}


def test_edits_get_their_patch_back_and_nothing_large() -> None:
    record = {"type": "update", "structuredPatch": PATCH, "originalFile": "x" * 1000}
    lines = [
        {"uuid": "e", "toolUseResult": record, "timestamp": "2025-01-02T12:00:00Z"},
        {"uuid": "b", "toolUseResult": {"stdout": "hi"}},
        {"uuid": "other", "toolUseResult": record},
    ]
    deep = '{"structuredPatch": ' + "[" * 100_000
    messages = [calls("e", "Edit"), result("e"), calls("b", "Bash"), result("b")]
    damaged = "\0\0structuredPatch", deep, *map(json.dumps, lines), '{"structuredPatch" broken'
    add_records(damaged, messages)
    assert messages[1]["tool_use_result"] == {"type": "update", "structuredPatch": PATCH}
    assert "tool_use_result" not in messages[3]
    finished = [event for event in replay(messages) if isinstance(event, ToolFinished)]
    assert finished[0].structured == {"type": "update", "structuredPatch": PATCH}
    assert finished[1].structured is None


def stored(*lines: dict[str, Any] | str) -> list[str]:
    return [line if isinstance(line, str) else json.dumps(line) for line in lines]


def said(uuid: str, parent: str | None, **more: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "message": {"content": uuid}, **more}


def boundary(uuid: str, before: str) -> dict[str, Any]:
    return {"type": "system", "subtype": "compact_boundary", "uuid": uuid, "logicalParentUuid": before}


def test_what_was_before_compactions_is_found_in_order_and_once() -> None:
    lines = stored(
        said("1", None),
        said("meta", "1", isMeta=True),
        {"type": "attachment", "uuid": "note", "parentUuid": "meta"},
        said("2", "note"),
        said("beside", "1"),
        boundary("b1", "2"),
        said("sum1", "b1"),
        said("kept", "sum1"),
        {"type": "user", "uuid": "broken", "parentUuid": "kept", "message": "?"},
        boundary("b2", "broken"),
        "{ cut",
        said("sum2", "b2"),
        said("3", "sum2"),
    )
    assert found(lines, "sum2", "3") == (["1", "2", "sum1", "kept"], 0)
    assert found(lines, "sum2", "3", "kept") == (["1", "2", "sum1"], 0)
    assert linked([], "1") == ({}, 0)


def found(lines: list[str], *known: str) -> tuple[list[str], int]:
    """What is read beyond the messages of the SDK, and the gaps."""
    earlier, gaps = before(linked(lines, known[0] if known else "")[0], known)
    return [one["uuid"] for one in earlier], gaps


def test_what_stands_before_damage_is_read() -> None:
    torn = '{"type":"pr-link","sessionId":"x","prNu'
    lines = stored(
        said("1", None),
        said("2", "1"),
        torn + json.dumps(said("3", "2")),
        json.dumps(said("4", "3")) + json.dumps(said("5", "4")),
        said("6", "lost"),
        said("away", "1"),
        "\0\0\0" + json.dumps(said("7", "6")),
        '{"type":"user","uuid":"gone","parentUuid":"7","message":{"content":[{"type":"text","te',
        said("8", "gone"),
    )
    assert linked(lines, "8")[1] == 2, "lines with something torn"
    assert found(lines, "8") == ([*"1234567"], 2), "of two branches the one that ends nearer"
    assert found(lines, "6", "7", "8") == ([*"12345"], 1)
    assert found(lines)[0] == [*"12345678"], "the SDK reads none of it"


def test_whole_entries_of_a_damaged_line() -> None:
    one, two = {"type": "user", "uuid": "1"}, {"parentUuid": "1", "uuid": "2", "message": {"type": "x"}}
    glued = json.dumps(one) + json.dumps(two)
    assert whole_entries(glued) == ([one, two], False)
    assert whole_entries(f"\0{glued}\0\n") == ([one, two], False)
    assert whole_entries(f'{{"type":"a","b{glued}') == ([one, two], True)
    assert whole_entries(glued[:-3]) == ([one], True), "no part of a torn one"
    assert whole_entries("") == whole_entries("\0") == ([], False)
    assert whole_entries("{ cut") == ([], True)


@pytest.mark.parametrize("before", ["b", "sum", "nowhere"])
def test_a_record_that_leads_in_a_circle_has_an_end(before: str) -> None:
    lines = stored(boundary("b", before), said("sum", "b"))
    assert found(lines, "sum")[0] == []


def test_notifications_are_read_from_the_queue() -> None:
    text = "<task-notification>x</task-notification>"
    lines = stored(
        {"type": "queue-operation", "operation": "enqueue", "content": text},
        {"type": "queue-operation", "operation": "dequeue", "content": text},
        {"type": "queue-operation", "operation": "enqueue", "content": f"Look at {text}"},
        said(text, None),
    )
    assert notifications(lines) == [text]
