"""Lists, names and deletes Claude Code's sessions; run by `ccq_tui.agent.reader` as a program."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from ccq_tui.claude_files import record_entry, record_files
from ccq_tui.compat.sdk.light_import import import_sdk

CLEARED = "/clear"
"""The first prompt of a session that began when another was cleared, until there is one."""
LAST_MESSAGES = 3
LONGEST_MESSAGE = 600
TAIL = 128 * 1024
"""Bytes at the end of a record to search for the last messages."""


def listed(directory: str, limit: int) -> list[dict[str, Any]]:
    """Describe sessions, the newest first, as `EarlierSession` has them; "" for all directories."""
    sdk = import_sdk()
    if directory:
        found = sdk.list_sessions(directory, limit=limit, include_worktrees=True)
    else:
        found = sdk.list_sessions(limit=limit)
    sessions = [
        {
            "session_id": one.session_id,
            "title": one.custom_title or "",
            "first_prompt": one.first_prompt or "",
            "summary": one.summary,
            "modified": one.last_modified / 1000,
            "branch": one.git_branch or "",
            "directory": one.cwd or "",
            "last": _last_messages(one.session_id),
        }
        for one in found
    ]
    return [one for one in sessions if one["last"] or one["first_prompt"] != CLEARED]


def deleted(session_id: str) -> str:
    """Delete the one file of a session, and return its path; raises unless there is exactly one."""
    files = record_files(str(UUID(session_id)))
    if len(files) != 1:
        raise FileNotFoundError(f"{len(files)} files have the session {session_id}")
    # Not by the SDK's own function, which also removes the directory of its subagents.
    files[0].unlink()
    return str(files[0])


def _last_messages(session_id: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in _lines_from_end(session_id):
        if len(found) == LAST_MESSAGES:
            break
        said = _said(line)
        if said is not None:
            found.append(said)
    return found[::-1]


def _lines_from_end(session_id: str) -> Iterator[bytes]:
    for path in record_files(session_id):
        try:
            with path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - TAIL))
                lines = file.read(TAIL).splitlines()
        except OSError:
            continue  # the session is listed without its last words
        # The first one is the rest of a line, unless the file is short.
        yield from reversed(lines if size <= TAIL else lines[1:])


def _said(line: bytes) -> tuple[str, str] | None:
    """Return the role and text of a message's line, or None for any other line."""
    entry = record_entry(line)
    if entry.get("type") not in {"user", "assistant"}:
        return None
    message = entry.get("message")
    if entry.get("isMeta") or entry.get("isSidechain") or not isinstance(message, dict):
        return None
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    texts = [
        str(block.get("text") or "")
        for block in (blocks if isinstance(blocks, list) else ())
        if isinstance(block, dict) and block.get("type") == "text"
    ]
    text = "\n".join(texts).strip()[:LONGEST_MESSAGE]
    # In angle brackets the CLI notes commands and their output.
    return (str(entry["type"]), text) if text and not text.startswith("<") else None


def main(action: str, *arguments: str) -> None:
    """List, rename or delete sessions, and print the result as JSON."""
    told: object = None
    match action, arguments:
        case "list", (directory, limit):
            told = listed(directory, int(limit))
        case "rename", (session_id, title):
            import_sdk().rename_session(session_id, title)
        case "delete", (session_id,):
            told = deleted(session_id)
        case _:
            raise ValueError(f"unknown: {action}")
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
