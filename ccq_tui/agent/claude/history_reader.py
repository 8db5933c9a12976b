"""Prints a session's messages as JSON: a program of its own, run by `ccq_tui.agent.history`.

For a session to be resumed it first prints the id on a line of its own, and reads and repairs nothing until
the caller confirms that no other program runs the session.
"""

from __future__ import annotations

import gc
import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from ccq_tui.agent.claude.sessions_reader import title_by_person
from ccq_tui.claude_files import record_files
from ccq_tui.claude_lines import QUESTION_TOOL, Line, blocks_of, fields, record_entry, text, whole_entries
from ccq_tui.compat.sdk.light_import import import_sdk

_EDITORS = ("Edit", "MultiEdit", "Write")
_PATCH = "structuredPatch"
_QUEUED = '"queued_command"'
_BOUNDARY = '"compact_boundary"'
_NOTIFICATION = "<task-notification>"
LONGEST = 8_000
"""Most characters of a notification: an agent's has its whole report."""
PART = 200
"""Messages in a part; more if a call's result comes late."""
FEWEST = 60
"""Messages in the newest part, at least."""

# On an orderly end the CLI notes the last entry of the session's record. When resumed, it continues from that
# entry, or from those that follow on it. After a deferred call that entry is a note beside the call, on which
# nothing ever follows: the call's result follows on the call itself. If the process that continued there is
# killed, the next one would continue right after the result and know nothing of what came later. The format
# is Claude Code's own and not documented: anything unknown in it is a reason to write nothing.
_LEAF = '"last-prompt"'
_DEFERRED = '"hook_deferred_tool"'
_KNOWN = frozenset({"type", "lastPrompt", "leafUuid", "sessionId"})
"""The fields of a note of the last entry."""


def repair(path: Path, lines: Sequence[str], newest: str) -> bool:
    """Note ``newest`` as the last entry if the CLI would resume before it; return whether it did.

    One line is appended to the record that has these lines, a copy of the CLI's own last note with another
    entry in it; nothing is changed or removed. A record with anything unexpected in it is left as it is.
    Raises OSError.
    """
    notes = (one for one in _entries_with(reversed(lines), _LEAF) if one.get("type") == "last-prompt")
    noted = next(notes, None)
    if noted is None or noted.get("leafUuid") == newest or noted.get("sessionId") != path.stem:
        return False
    if not _KNOWN.issuperset(noted) or not stat.S_ISREG(path.lstat().st_mode):
        return False
    if not any(map(_deferred, _entries_with(lines, _DEFERRED))):
        return False
    entries = _by_uuid(_entries_with(lines, '"uuid"'))
    call = _call_beside(entries, str(noted.get("leafUuid") or ""))
    line = line_of(entries, newest)
    # The call itself, or its result alone: the CLI finds those by itself.
    if not call or call not in line[2:]:
        return False
    wanted = noted | {"leafUuid": newest}
    added = json.dumps(wanted, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    with path.open("ab+", buffering=0) as file:
        file.seek(-1, os.SEEK_END)
        cut = file.read(1) != b"\n"
        # In one write: a CLI that still runs may write into the record at the same time.
        file.write(b"\n" * cut + added)
    return True


def _call_beside(entries: dict[str, dict[str, Any]], leaf: str) -> str:
    """Return the message whose call was deferred, if the leaf is one of the notes beside it, or "".

    The note may come after the result of another call of the same message.
    """
    for uuid in line_of(entries, leaf):
        if entries[uuid].get("type") != "attachment":
            return ""
        if call := _deferred(entries[uuid]):
            # Only the message that makes a call has its id in a block.
            calls = ((one, blocks_of(entries[one].get("message"))) for one in reversed(entries))
            return next((one for one, blocks in calls if call in (block.get("id") for block in blocks)), "")
    return ""


def beside(entries: Mapping[str, Line], uuid: str) -> str:
    """Return the message that a note is beside, or the message itself; "" for none."""
    line = line_of(entries, uuid)
    return next((one for one in line if entries[one].get("type") != "attachment"), "")


def line_of(entries: Mapping[str, Line], uuid: str) -> list[str]:
    """Return an entry and its ancestors, the newest first."""
    found: dict[str, None] = {}
    while uuid in entries and uuid not in found:
        found[uuid] = None
        uuid = str(entries[uuid].get("parentUuid") or "")
    return list(found)


def _deferred(entry: Line) -> str:
    """Return the call that an entry notes as deferred, or ""."""
    return text(_attached(entry, "hook_deferred_tool"), "toolUseID")


def _attached(entry: Line, kind: str) -> Line:
    """Return what is attached to the conversation by an entry, if it is of a kind."""
    attached = fields(entry, "attachment")
    return attached if attached.get("type") == kind else {}


def _entries_with(lines: Iterable[str], *words: str) -> Iterator[dict[str, Any]]:
    """Read the entries of the lines that contain one of the words."""
    for line in lines:
        if any(word in line for word in words):
            yield from _read(line)[0]


def _read(line: str) -> tuple[list[dict[str, Any]], bool]:
    entry = record_entry(line)
    return ([entry], False) if entry or not line.strip() else whole_entries(line)


def _by_uuid(entries: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {str(entry["uuid"]): entry for entry in entries if entry.get("uuid")}


def main(directory: str, session_id: str, *, resuming: bool, repairing: bool) -> None:
    """Print the conversation, a JSON object a line; each line but the first has ``"messages"`` alone.

    The first has ``"session_id"``, ``"title"``, ``"first_prompt"``, ``"messages"``, ``"gaps"``,
    ``"deferred"``, ``"queued"`` and ``"notifications"``. With ``resuming``, the session is named before it
    is read; with ``repairing`` too, its record is repaired.
    """
    sdk = import_sdk()
    if not session_id:
        # As --continue does: the newest of this very directory.
        found = sdk.list_sessions(directory, limit=1, include_worktrees=False)
        session_id = found[0].session_id if found else ""
    if resuming:
        # Nothing is read before the caller confirms that no other program runs the session.
        sys.stdout.write(session_id + "\n")
        sys.stdout.flush()
        if not sys.stdin.readline():
            return
    messages = sdk.get_session_messages(session_id, directory) if session_id else []
    paths = record_files(session_id)
    lines = lines_of(paths)
    if messages and resuming and repairing and len(paths) == 1:
        try:
            repair(paths[0], lines, messages[-1].uuid)
        except OSError as error:  # the messages can be read all the same
            sys.stderr.write(f"The record was not repaired: {error}\n")
    said = [{"type": one.type, "uuid": one.uuid, "message": one.message} for one in messages]
    entries, damaged = linked(lines, said[0]["uuid"] if said else "")
    earlier, gaps = before(entries, [one["uuid"] for one in said])
    told = [*earlier, *said]
    add_records(lines, told)
    newest, *older = parts(told)
    info = sdk.get_session_info(session_id) if messages else None
    past = {
        "messages": newest,
        "deferred": deferred(lines),
        "gaps": max(gaps, damaged),
        "notifications": notifications(lines),
        "queued": queued(entries, messages[-1].uuid) if messages else [],
        "title": title_by_person(session_id, info.custom_title if info else None),
        "first_prompt": (info.first_prompt if info else None) or "",
    }
    for line in ({"session_id": session_id, **past}, *({"messages": part} for part in older)):
        sys.stdout.write(json.dumps(line) + "\n")


def linked(lines: Sequence[str], first: str) -> tuple[dict[str, dict[str, Any]], int]:
    """Return the entries of a record by their ids, in order, and its number of damaged lines.

    No entries if the messages already hold all that is needed: from the beginning to ``first``.
    """
    for line in lines:
        # Of a damaged line nothing is known, not even to the SDK.
        entry = record_entry(line) if first in line else {"uuid": ""}
        follows = not entry or (entry.get("uuid") == first and entry.get("parentUuid"))
        if _QUEUED in line or _BOUNDARY in line or follows:
            break
    else:
        return {}, 0
    read = [_read(line) for line in lines]
    return _by_uuid(entry for found, _ in read for entry in found), sum(torn for _, torn in read)


def before(entries: Mapping[str, Line], known: Sequence[str]) -> tuple[list[dict[str, Any]], int]:
    """Return the messages that the SDK leaves out, and the number of places where the record has a gap.

    They stand before a compaction, or before an entry whose parent is missing; then the nearest earlier one
    takes its place. ``known`` are the ids that the SDK returns.
    """
    given, order = frozenset(known), list(entries)
    places = {uuid: place for place, uuid in enumerate(order)}
    found: dict[str, None] = {}
    gaps = 0
    line = line_of(entries, known[0] if known else next(filter(partial(_is_said, entries), order[::-1]), ""))
    while line and not found.keys() & line:
        top = next((one for one in line if entries[one].get("subtype") == "compact_boundary"), "")
        found |= dict.fromkeys(line[: line.index(top) + 1] if top else line)
        name = "logicalParentUuid" if top else "parentUuid"
        top = top or line[-1]
        parent = str(entries[top].get(name) or "")
        if parent and parent not in entries:
            gaps += 1
            earlier = order[places[top] - 1 :: -1] if places[top] else ()
            parent = next((one for one in earlier if _is_said(entries, one) and one not in found), "")
        line = line_of(entries, parent)
    return [
        {"type": entry["type"], "uuid": uuid, "message": entry["message"]}
        for uuid in reversed(found)
        if _is_said(entries, uuid) and not (entry := entries[uuid]).get("isMeta") and uuid not in given
    ], gaps


def _is_said(entries: Mapping[str, Line], uuid: str) -> bool:
    entry = entries[uuid]
    said = entry.get("type") in ("user", "assistant") and isinstance(entry.get("message"), Mapping)
    return said and not entry.get("isSidechain")


def parts(messages: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Cut messages into parts, the newest first; a call and its result are in the same part."""
    last = {
        str(block.get("tool_use_id")): index
        for index, message in enumerate(messages)
        for block in blocks_of(message["message"])
        if block.get("type") == "tool_result"
    }
    found, begin, needed = [], 0, -1
    for index, message in enumerate(messages):
        for block in blocks_of(message["message"]):
            needed = max(needed, last.get(str(block.get("id")), -1))
        if index >= needed and index + 1 - begin >= PART:
            found.append(messages[begin : index + 1])
            begin = index + 1
    rest = messages[begin:]
    if found and len(rest) < FEWEST:  # less than a screen or two: not worth a part
        rest = found.pop() + rest
    return [rest, *reversed(found)]


def add_records(lines: Iterable[str], messages: Iterable[dict[str, Any]]) -> None:
    """Add the CLI's own records of answers and edits to the messages, which the SDK leaves out."""
    calls: dict[str, str] = {}
    wanted: dict[str, dict[str, Any]] = {}
    questions: set[str] = set()
    for message in messages:
        for block in blocks_of(message["message"]):
            if block.get("type") == "tool_use" and block.get("name") in {QUESTION_TOOL, *_EDITORS}:
                calls[str(block.get("id"))] = str(block["name"])
            elif block.get("type") == "tool_result" and (name := str(block.get("tool_use_id"))) in calls:
                wanted[message["uuid"]] = message
                if calls[name] == QUESTION_TOOL:
                    questions.add(name)
    if wanted:
        for entry in _entries_with(lines, f'"{_PATCH}"', *questions):
            if found := wanted.get(str(entry.get("uuid"))):
                found["tool_use_result"] = _short(entry.get("toolUseResult"))
                found["timestamp"] = entry.get("timestamp")


def deferred(lines: Iterable[str]) -> list[str]:
    """Return the ``tool_use_id`` of the call that the CLI deferred last, unless it has its result."""
    call = ""
    for line in lines:
        if _DEFERRED in line:
            call = _deferred(record_entry(line)) or call
        elif call and '"tool_result"' in line and call in line:
            call = ""
    return [call] if call else []


def notifications(lines: Iterable[str]) -> list[str]:
    """Return the notices that background tasks have ended; few of them are messages."""
    return [
        said[:LONGEST]
        for entry in _entries_with(lines, _NOTIFICATION)
        if entry.get("operation") == "enqueue" and (said := text(entry, "content")).startswith(_NOTIFICATION)
    ]


def queued(entries: Mapping[str, Line], newest: str) -> list[str]:
    """Return the ids of prompts that were read in the middle of a turn: the record has no messages for them.

    Claude knows only what came before ``newest``, the id of the newest message.
    """
    known = set(line_of(entries, newest))
    found = {uuid: text(_attached(entry, "queued_command"), "source_uuid") for uuid, entry in entries.items()}
    return [
        prompt
        for uuid, prompt in found.items()
        if prompt and (uuid in known or beside(entries, uuid) == newest)
    ]


def _short(record: Any) -> Any:
    """Drop the original file from an edit's record: it may be large and is not shown."""
    if not isinstance(record, Mapping) or _PATCH not in record:
        return record
    return {name: record[name] for name in ("type", _PATCH) if name in record}


def lines_of(paths: Iterable[Path]) -> list[str]:
    """Read a session's own record; a file that cannot be read has no lines."""
    found: list[str] = []
    for path in paths:
        with suppress(OSError), path.open(encoding="utf-8", errors="replace") as lines:
            found += lines
    return found


if __name__ == "__main__":
    gc.disable()  # the data has no reference cycles, and the process ends after printing it
    place, session, *given = sys.argv[1:]
    main(place, session, resuming="resuming" in given, repairing="repairing" in given)
