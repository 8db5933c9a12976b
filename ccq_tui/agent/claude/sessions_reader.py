"""Lists, names and deletes Claude Code's sessions; run by `ccq_tui.agent.reader` as a program."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from uuid import UUID

from ccq_tui.agent.events import PromptAccepted
from ccq_tui.agent.reader import EarlierSession
from ccq_tui.agent.session_name import SessionName, title_of
from ccq_tui.agent.user_texts import written
from ccq_tui.bounded import UnfitFileError, begin
from ccq_tui.claude_files import record_files
from ccq_tui.claude_lines import blocks_of, record_entry
from ccq_tui.compat.sdk.light_import import import_sdk

CLEARED = "/clear"
"""The first prompt of a session that began when another was cleared, until there is one."""
LAST_MESSAGES = 3
LONGEST_MESSAGE = 600
TITLE_BYTES = 65_536
"""Bytes of each end of a record in which the SDK looks for a title."""
TAIL = 128 * 1024
"""Bytes at the end of a record to search for the last messages."""


def listed(directory: str, limit: int) -> list[EarlierSession]:
    """Describe sessions, the newest first; "" for all directories."""
    sdk = import_sdk()
    if directory:
        found = sdk.list_sessions(directory, limit=limit, include_worktrees=True)
    else:
        found = sdk.list_sessions(limit=limit)
    return [
        EarlierSession(
            one.session_id,
            str(SessionName(title, first, title_of(prompt or one.summary))) or one.summary,
            one.last_modified / 1000,
            one.git_branch or "",
            one.cwd or directory,
            tuple(last),
        )
        for one in found
        for last, prompt in (_last_messages(one.session_id),)
        for title in (title_by_person(one.session_id, one.custom_title),)
        for first in (title_of(one.first_prompt or ""),)
        if last or one.first_prompt != CLEARED
    ]


def deleted(session_id: str) -> str:
    """Delete the one file of a session, and return its path; raises unless there is exactly one."""
    files = record_files(str(UUID(session_id)))
    if len(files) != 1:
        raise FileNotFoundError(f"{len(files)} files have the session {session_id}")
    # Not by the SDK's own function, which also removes the directory of its subagents.
    files[0].unlink()
    return str(files[0])


def title_by_person(session_id: str, title: str | None) -> str:
    """Return a session's title if a person gave it; of the two kinds, the SDK does not say which it found."""
    by_model = f'"aiTitle":{json.dumps(title, ensure_ascii=False)}'.encode()
    for path in record_files(session_id) if title else ():
        with suppress(OSError, UnfitFileError):
            end = max(0, path.stat().st_size - TITLE_BYTES)
            if any(by_model in begin(path, TITLE_BYTES, at) for at in (0, end)):
                return ""
    return title or ""


def _last_messages(session_id: str) -> tuple[list[tuple[str, str]], str]:
    """Return the last messages, oldest first, and the last prompt, which may be older, or ""."""
    found: list[tuple[str, str]] = []
    prompt = ""
    for who, text in filter(None, map(_said, _lines_from_end(session_id))):
        if len(found) < LAST_MESSAGES:
            found.append((who, text))
        prompt = prompt or (text if who == "user" else "")
        if prompt and len(found) == LAST_MESSAGES:
            break
    return found[::-1], prompt


def _lines_from_end(session_id: str) -> Iterator[bytes]:
    for path in record_files(session_id):
        try:
            size = path.stat().st_size
            lines = begin(path, TAIL, max(0, size - TAIL)).splitlines()
        except (OSError, UnfitFileError):
            continue  # the session is listed without its last words
        # The first one is the rest of a line, unless the file is short.
        yield from reversed(lines if size <= TAIL else lines[1:])


def _said(line: bytes) -> tuple[str, str] | None:
    """Return the role and text of a message's line, or None for any other line and for commands."""
    entry = record_entry(line)
    if entry.get("type") not in {"user", "assistant"}:
        return None
    if entry.get("isMeta") or entry.get("isSidechain"):
        return None
    blocks = blocks_of(entry.get("message"))
    texts = [str(one.get("text") or "") for one in blocks if one.get("type") == "text"]
    if entry["type"] == "user":
        said = [one.text for text in texts for one in written(text) if isinstance(one, PromptAccepted)]
        texts = [text for text in said if title_of(text)]
    text = "\n".join(texts).strip()[:LONGEST_MESSAGE]
    return (str(entry["type"]), text) if text else None


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
    json.dump(told, sys.stdout, default=asdict)


if __name__ == "__main__":
    main(*sys.argv[1:])
