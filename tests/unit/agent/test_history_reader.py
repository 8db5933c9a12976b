"""What a stored session has beside its messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent.claude.history_reader import add_records
from ccq_tui.agent.events import ToolFinished
from ccq_tui.agent.replay import replay

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
