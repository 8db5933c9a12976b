"""What a stored session has beside its messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent.claude.history_reader import add_records, compacted, linked, notifications
from ccq_tui.agent.events import ToolFinished
from ccq_tui.agent.stored_messages import replay

PATCH = [{"oldStart": 7, "newStart": 7, "lines": ["-a", "+b"]}]


def calls(name: str, tool: str) -> dict[str, Any]:
    use = {"type": "tool_use", "id": name, "name": tool, "input": {}}
    return {"type": "assistant", "uuid": f"a{name}", "message": {"id": "m", "content": [use]}}


def result(name: str) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": name, "content": "ok"}
    return {"type": "user", "uuid": name, "message": {"content": [block]}}


def test_edits_get_their_patch_back_and_nothing_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    stored = tmp_path / "projects" / "p" / "s.jsonl"
    stored.parent.mkdir(parents=True)
    record = {"type": "update", "structuredPatch": PATCH, "originalFile": "x" * 1000}
    lines = [
        {"uuid": "e", "toolUseResult": record, "timestamp": "2025-01-02T12:00:00Z"},
        {"uuid": "b", "toolUseResult": {"stdout": "hi"}},
        {"uuid": "other", "toolUseResult": record},
    ]
    deep = '{"structuredPatch": ' + "[" * 100_000
    stored.write_text(
        "\n".join(["\0\0structuredPatch", deep, *map(json.dumps, lines), '{"structuredPatch" broken'])
    )
    messages = [calls("e", "Edit"), result("e"), calls("b", "Bash"), result("b")]
    add_records("s", messages)
    assert messages[1]["tool_use_result"] == {"type": "update", "structuredPatch": PATCH}
    assert "tool_use_result" not in messages[3]
    finished = [event for event in replay(messages) if isinstance(event, ToolFinished)]
    assert finished[0].structured == {"type": "update", "structuredPatch": PATCH}
    assert finished[1].structured is None


def stored(place: Path, monkeypatch: pytest.MonkeyPatch, *lines: dict[str, Any] | str) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(place))
    file = place / "projects" / "p" / "s.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))


def said(uuid: str, parent: str | None, **more: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "message": {"content": uuid}, **more}


def boundary(uuid: str, before: str) -> dict[str, Any]:
    return {"type": "system", "subtype": "compact_boundary", "uuid": uuid, "logicalParentUuid": before}


def test_what_was_before_compactions_is_found_in_order_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(
        tmp_path,
        monkeypatch,
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
    assert [one["uuid"] for one in compacted(linked("s"), ["sum2", "3"])] == ["1", "2", "sum1", "kept"]
    assert [one["uuid"] for one in compacted(linked("s"), ["sum2", "3", "kept"])] == ["1", "2", "sum1"]
    assert compacted(linked("s"), []) == compacted(linked("other"), ["1"]) == []


@pytest.mark.parametrize("before", ["b", "sum", "nowhere"])
def test_a_record_that_leads_in_a_circle_has_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    stored(tmp_path, monkeypatch, boundary("b", before), said("sum", "b"))
    assert compacted(linked("s"), ["sum"]) == []


def test_notifications_are_read_from_the_queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "<task-notification>x</task-notification>"
    stored(
        tmp_path,
        monkeypatch,
        {"type": "queue-operation", "operation": "enqueue", "content": text},
        {"type": "queue-operation", "operation": "dequeue", "content": text},
        {"type": "queue-operation", "operation": "enqueue", "content": f"Look at {text}"},
        said(text, None),
    )
    assert notifications("s") == [text]
