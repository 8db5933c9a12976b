"""Adds the line to a session's record that the CLI needs to find all of the conversation, and only that one.

On an orderly end the CLI notes the last entry of the session's record. When resumed, it continues from that
entry, or from those that follow on it. After a deferred call that entry is a note beside the call, on which
nothing ever follows: the call's result follows on the call itself. If the process that continued there is
killed, the next one would continue right after the result and know nothing of what came later.

The format is Claude Code's own and not documented: anything unknown in it is a reason to write nothing.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ccq_tui.claude_files import record_entry

_LEAF = '"last-prompt"'
_DEFERRED = '"hook_deferred_tool"'
_KNOWN = frozenset({"type", "lastPrompt", "leafUuid", "sessionId"})
"""The fields of a note of the last entry."""


class RecordRepairError(Exception):
    """A record that is not as intended after its repair; the message is for the log."""


def repair(path: Path, newest: str) -> bool:
    """Note ``newest`` as the last entry if the CLI would resume before it; return whether it did.

    One line is appended, a copy of the CLI's own last note with another entry in it; nothing is changed
    or removed. A record with anything unexpected in it is left as it is. Raises OSError, or
    `RecordRepairError` if the record does not end with the line as it was written.
    """
    noted = _noted(path)
    if noted is None or noted.get("leafUuid") == newest or not _is_known(noted, path):
        return False
    entries = {str(entry["uuid"]): entry for entry in _read(path, '"uuid"') if entry.get("uuid")}
    call = _call_beside(entries, str(noted.get("leafUuid") or ""))
    line = line_of(entries, newest)
    # The call itself, or its result alone: the CLI finds those by itself.
    if not call or call not in line[2:]:
        return False
    wanted = noted | {"leafUuid": newest}
    _append(path, json.dumps(wanted, ensure_ascii=False, separators=(",", ":")).encode())
    if _noted(path) != wanted:
        raise RecordRepairError(f"{path.name}: the line that was added is not its last note")
    return True


def _is_known(noted: Mapping[str, Any], path: Path) -> bool:
    """Return whether a note has the known form and belongs to this record, a regular file."""
    ours = noted.get("sessionId") == path.stem and _KNOWN.issuperset(noted)
    return ours and stat.S_ISREG(path.lstat().st_mode)


def _append(path: Path, added: bytes) -> None:
    """Add a line in one write: a CLI that still runs may write into the record at the same time."""
    flags = os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    try:
        size = os.fstat(descriptor).st_size
        os.lseek(descriptor, max(0, size - 1), os.SEEK_SET)
        whole = os.read(descriptor, 1) in (b"", b"\n")
        line = (b"" if whole else b"\n") + added + b"\n"
        if (count := os.write(descriptor, line)) != len(line):
            # So that the next entry begins on a line of its own; the CLI skips the incomplete one.
            os.write(descriptor, b"\n")
            raise RecordRepairError(f"{path.name}: only {count} of {len(line)} bytes were added")
    finally:
        os.close(descriptor)


def _noted(path: Path) -> dict[str, Any] | None:
    """Return the last note of the session's end, if a call was ever deferred in it."""
    noted: dict[str, Any] | None = None
    deferred = False
    for entry in _read(path, _LEAF, _DEFERRED):
        if entry.get("type") == "last-prompt":
            noted = entry
        deferred = deferred or bool(_deferred(entry))
    return noted if deferred else None


def _call_beside(entries: dict[str, dict[str, Any]], leaf: str) -> str:
    """Return the message whose call was deferred, if the leaf is one of the notes beside it, or "".

    The note may come after the result of another call of the same message.
    """
    for uuid in line_of(entries, leaf):
        if entries[uuid].get("type") != "attachment":
            return ""
        if call := _deferred(entries[uuid]):
            return next((one for one in reversed(entries) if call in _calls(entries[one])), "")
    return ""


def beside(entries: Mapping[str, Mapping[str, Any]], uuid: str) -> str:
    """Return the message that a note is beside, or the message itself; "" for none."""
    line = line_of(entries, uuid)
    return next((one for one in line if entries[one].get("type") != "attachment"), "")


def line_of(entries: Mapping[str, Mapping[str, Any]], uuid: str) -> list[str]:
    """Return an entry and its ancestors, the newest first."""
    found: dict[str, None] = {}
    while uuid in entries and uuid not in found:
        found[uuid] = None
        uuid = str(entries[uuid].get("parentUuid") or "")
    return list(found)


def _deferred(entry: Mapping[str, Any]) -> str:
    """Return the call that an entry notes as deferred, or ""."""
    attachment = entry.get("attachment")
    if not isinstance(attachment, Mapping) or attachment.get("type") != "hook_deferred_tool":
        return ""
    return str(attachment.get("toolUseID") or "")


def _calls(entry: Mapping[str, Any]) -> set[str]:
    return {str(one.get("id")) for one in blocks_of(entry.get("message")) if one.get("type") == "tool_use"}


def blocks_of(message: Any) -> Iterator[Mapping[str, Any]]:
    """Return the content blocks of a message."""
    content = message.get("content") if isinstance(message, Mapping) else None
    return (block for block in (content if isinstance(content, list) else ()) if isinstance(block, Mapping))


def _read(path: Path, *words: str) -> Iterator[dict[str, Any]]:
    """Read the entries whose lines contain one of the words."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if any(word in line for word in words):
                yield record_entry(line)
