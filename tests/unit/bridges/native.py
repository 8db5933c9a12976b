"""Files of Claude Code as it writes them (docs/dev/measured.md), made up."""

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ccq_tui.processes import this_process

SESSION = "13db048b-058f-4032-b872-1efb0e5822cf"
STOPPED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file "
    "edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to "
    "tell you how to proceed."
)
SAID = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file "
    "edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n"
)
ACCEPTED = {"decision": "accept", "source": "user_temporary", "grantScope": "once", "reasonCode": "unknown"}
REJECTED = {"decision": "reject", "source": "user_reject", "reasonCode": "unknown"}
QUESTION = {
    "question": "Which database?",
    "header": "Database",
    "options": [
        {"label": "SQLite", "description": "one file"},
        {"label": "Postgres", "description": "a server"},
    ],
    "multiSelect": False,
}
ASKED: Mapping[str, Any] = {"questions": [QUESTION]}
COMMAND: Mapping[str, Any] = {"command": "touch made", "description": "Make a file"}


class NativeSession:
    """A session of Claude Code on disk, whose process is this one.

    Args:
        config: The configuration directory.
        directory: Where the session works.
    """

    def __init__(self, config: Path, directory: Path = Path("/work/project")) -> None:
        self.config = config
        self.directory = directory
        key = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in str(directory))
        self.path = config / "projects" / key / f"{SESSION}.jsonl"
        self.path.parent.mkdir(parents=True)
        self.path.touch()
        self.live = config / "sessions" / f"{os.getpid()}.json"

    def write(self, *entries: Mapping[str, Any], path: Path | None = None) -> None:
        """Add lines to the transcript."""
        with (path or self.path).open("a", encoding="utf-8") as file:
            for entry in entries:
                file.write(json.dumps(entry, separators=(",", ":"), ensure_ascii=False) + "\n")

    def stands(self, status: str, *, seconds_ago: float = 0.0, **more: Any) -> None:
        """Say what Claude Code is doing."""
        since = datetime.now(UTC) - timedelta(seconds=seconds_ago)
        body = {
            "pid": os.getpid(),
            "sessionId": SESSION,
            "cwd": str(self.directory),
            "procStart": this_process().start.rpartition(":")[2],
            "kind": "interactive",
            "entrypoint": "cli",
            "status": status,
            "statusUpdatedAt": int(since.timestamp() * 1000),
        }
        self.live.parent.mkdir(exist_ok=True)
        self.live.write_text(json.dumps(body | more))

    def hook_input(self, tool: str, source: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        """Return what a hook is told."""
        return {
            "session_id": SESSION,
            "transcript_path": str(self.path),
            "cwd": str(self.directory),
            "prompt_id": "4f8919e4-e790-4673-91dc-ccdddfd22c81",
            "permission_mode": "default",
            "effort": {"level": "medium"},
            "hook_event_name": "PermissionRequest",
            "tool_name": tool,
            "tool_input": source,
        } | more


def prompt(text: str) -> dict[str, Any]:
    """Return the line of a person's prompt."""
    return {"type": "user", "message": {"role": "user", "content": text}, "timestamp": stamp()}


def says(text: str, message: str = "msg_1") -> dict[str, Any]:
    """Return the line of the model's prose."""
    return _assistant(message, {"type": "text", "text": text})


def calls(name: str, tool: str, source: Mapping[str, Any], message: str = "msg_1") -> dict[str, Any]:
    """Return the line of a call."""
    return _assistant(message, {"type": "tool_use", "id": name, "name": tool, "input": source})


def ends(
    name: str, text: str, *, failed: bool = False, result: Any = None, at: datetime | None = None, **more: Any
) -> dict[str, Any]:
    """Return the line of a call's result."""
    block = {"type": "tool_result", "content": text, "tool_use_id": name}
    return {
        "type": "user",
        "message": {"role": "user", "content": [block | ({"is_error": True} if failed else {})]},
        "timestamp": stamp(at),
        "toolUseResult": result,
    } | more


def stamp(at: datetime | None = None) -> str:
    """Write a time as Claude Code does."""
    return (at or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _assistant(message: str, block: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "assistant",
        "message": {"id": message, "role": "assistant", "content": [block]},
        "timestamp": stamp(),
    }
