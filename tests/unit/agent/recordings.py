"""Recordings for tests, in both formats, and what is read from them."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from ccq_tui.agent.events import AgentEvent
from ccq_tui.agent.recorded import Recording, open_recording
from ccq_tui.inbox.store.encoding import plain

SESSION = "7f1a7fdb-976a-406c-bd89-7b00e6ef2ac6"
QUESTIONS = {
    "questions": [
        {
            "question": "Which approach?",
            "header": "Approach",
            "options": [{"label": "Option A", "description": "Uses X"}, {"label": "Option B"}],
            "multiSelect": False,
        }
    ]
}


def init(session: str = SESSION, cwd: str = "/work/project") -> dict[str, Any]:
    return {"type": "system", "subtype": "init", "cwd": cwd, "session_id": session, "model": "claude-x"}


def reply(*content: dict[str, Any], message: str = "msg_1", **more: Any) -> dict[str, Any]:
    return {"type": "assistant", "message": {"id": message, "content": list(content)}, **more}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(tool: str, source: Any, name: str = "toolu_1") -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": tool, "input": source}


def back(content: Any, name: str = "toolu_1", *, failed: bool = False, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": name, "content": content, "is_error": failed}
    return {"type": "user", "message": {"role": "user", "content": [block]}, **more}


def prompt(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": words}, **more}


def result(**more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 100, "cache_read_input_tokens": 50, "output_tokens": 7}
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "terminal_reason": "completed",
        "duration_ms": 1500,
        "total_cost_usd": 0.25,
        "usage": usage,
        "session_id": SESSION,
    } | more


def write(path: Path, *lines: Any) -> Path:
    """Write a recording; an item that is bytes is a line as it is."""
    path.write_bytes(
        b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
    )
    return path


def opened(path: Path, *lines: Any) -> Recording:
    return open_recording(str(write(path / "recording.jsonl", *lines)))


def events_of(recording: Recording) -> list[AgentEvent]:
    return list(recording.events())


def as_data(event: AgentEvent) -> dict[str, Any]:
    """Return an event as data, without the ids of prompts and without what has its default."""
    body = {"event": type(event).__name__}
    for one in fields(event):  # type: ignore[arg-type]  # each kind of event is a dataclass
        value = getattr(event, one.name)
        if one.name != "prompt_id" and value != one.default:
            body[one.name] = plain(value)
    return body
