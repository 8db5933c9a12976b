"""Prints a session's messages as JSON: a program of its own, run by `ccq_tui.agent.history`.

For a session to be resumed it first prints the id on a line of its own, and reads and repairs nothing until
the caller confirms that no other program runs the session.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ccq_tui.agent.claude.record_repair import RecordRepairError, beside, blocks_of, line_of, repair
from ccq_tui.claude_files import record_entry, record_files
from ccq_tui.compat.sdk.light_import import import_sdk

_QUESTION_TOOL = "AskUserQuestion"
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


def main(directory: str, session_id: str, limit: int, *, resuming: bool, repairing: bool) -> None:
    """Print the conversation, a JSON object a line; each line but the first has ``"messages"`` alone.

    The first has ``"session_id"``, ``"title"``, ``"first_prompt"``, ``"messages"``, ``"cut"``,
    ``"deferred"``, ``"queued"`` and ``"notifications"``. With ``resuming``, the session is named before it
    is read; with ``repairing`` too, its record is repaired.
    """
    sdk = import_sdk()
    if not session_id:
        # As --continue does: the newest of this very directory.
        found = sdk.list_sessions(directory, limit=1, include_worktrees=False)
        session_id = found[0].session_id if found else ""
    if resuming and not _allowed(session_id):
        return
    messages = sdk.get_session_messages(session_id, directory) if session_id else []
    if messages and resuming and repairing:
        _repair(sdk, directory, session_id, messages)
    said = [{"type": one.type, "uuid": one.uuid, "message": one.message} for one in messages]
    entries = linked(session_id) if messages else {}
    said = [*compacted(entries, [one["uuid"] for one in said]), *said]
    told = said[-limit:]
    add_records(session_id, told)
    newest, *older = parts(told)
    past = {"cut": len(told) < len(said), "messages": newest, "deferred": deferred(session_id)}
    past["notifications"] = notifications(session_id)
    past["queued"] = queued(entries, messages[-1].uuid) if messages else []
    info = sdk.get_session_info(session_id) if messages else None
    past["title"] = (info.custom_title if info else None) or ""
    past["first_prompt"] = (info.first_prompt if info else None) or ""
    for line in ({"session_id": session_id, **past}, *({"messages": part} for part in older)):
        sys.stdout.write(json.dumps(line) + "\n")


def _allowed(session_id: str) -> bool:
    """Print the id of the session, and wait for leave to read it."""
    sys.stdout.write(session_id + "\n")
    sys.stdout.flush()
    return bool(sys.stdin.readline())


def _repair(sdk: Any, directory: str, session_id: str, messages: list[Any]) -> None:
    """Let the CLI find the newest message, and check that the conversation still reads the same."""
    for path in record_files(session_id):
        try:
            if not repair(path, messages[-1].uuid):
                continue
        except (OSError, RecordRepairError) as error:  # the messages can be read all the same
            sys.stderr.write(f"The record was not repaired: {error}\n")
            continue
        read = [message.uuid for message in sdk.get_session_messages(session_id, directory)]
        if read != [message.uuid for message in messages]:
            sys.stderr.write(f"{path.name}: another conversation is read after it was repaired\n")


def linked(session_id: str) -> dict[str, dict[str, Any]]:
    """Return the entries of a record by their ids; none if its messages already hold all that is needed."""
    if not any(_QUEUED in line or _BOUNDARY in line for line in _lines(session_id)):
        return {}
    return {
        str(entry["uuid"]): entry
        for line in _lines(session_id)
        if '"uuid"' in line and (entry := record_entry(line)).get("uuid")
    }


def compacted(entries: Mapping[str, Mapping[str, Any]], known: Sequence[str]) -> list[dict[str, Any]]:
    """Return the messages before a compaction, which the SDK leaves out; ``known`` are the ids it returns."""
    given = frozenset(known)
    found: dict[str, None] = {}
    line = line_of(entries, known[0]) if known else []
    while boundary := next((one for one in line if entries[one].get("subtype") == "compact_boundary"), ""):
        line = line_of(entries, str(entries[boundary].get("logicalParentUuid") or ""))
        if not line or line[0] in found:
            break
        found |= dict.fromkeys(line)
    return [
        {"type": entry["type"], "uuid": uuid, "message": entry["message"]}
        for uuid in reversed(found)
        if (entry := entries[uuid]).get("type") in ("user", "assistant")
        and isinstance(entry.get("message"), Mapping)
        and not entry.get("isMeta")
        and uuid not in given
    ]


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


def add_records(session_id: str, messages: Iterable[dict[str, Any]]) -> None:
    """Add the CLI's own records of answers and edits to the messages, which the SDK leaves out."""
    calls: dict[str, str] = {}
    wanted: dict[str, dict[str, Any]] = {}
    questions: set[str] = set()
    for message in messages:
        for block in blocks_of(message["message"]):
            if block.get("type") == "tool_use" and block.get("name") in {_QUESTION_TOOL, *_EDITORS}:
                calls[str(block.get("id"))] = str(block["name"])
            elif block.get("type") == "tool_result" and (name := str(block.get("tool_use_id"))) in calls:
                wanted[message["uuid"]] = message
                if calls[name] == _QUESTION_TOOL:
                    questions.add(name)
    if wanted:
        for entry in _entries(session_id, questions):
            if found := wanted.get(str(entry.get("uuid"))):
                found["tool_use_result"] = _short(entry.get("toolUseResult"))
                found["timestamp"] = entry.get("timestamp")


def deferred(session_id: str) -> list[str]:
    """Return the ``tool_use_id`` of the call that the CLI deferred last, unless it has its result."""
    call = ""
    for line in _lines(session_id):
        if '"hook_deferred_tool"' in line:
            attachment = record_entry(line).get("attachment")
            call = str(attachment.get("toolUseID") or "") if isinstance(attachment, Mapping) else call
        elif call and '"tool_result"' in line and call in line:
            call = ""
    return [call] if call else []


def notifications(session_id: str) -> list[str]:
    """Return the notices that background tasks have ended; few of them are messages."""
    return [
        text[:LONGEST]
        for line in _lines(session_id)
        if _NOTIFICATION in line
        and '"queue-operation"' in line
        and (entry := record_entry(line)).get("operation") == "enqueue"
        and (text := str(entry.get("content"))).startswith(_NOTIFICATION)
    ]


def queued(entries: Mapping[str, Mapping[str, Any]], newest: str) -> list[str]:
    """Return the ids of prompts that were read in the middle of a turn: the record has no messages for them.

    Claude knows only what came before ``newest``, the id of the newest message.
    """
    known = set(line_of(entries, newest))
    found = {uuid: _queued(entry) for uuid, entry in entries.items()}
    return [
        prompt
        for uuid, prompt in found.items()
        if prompt and (uuid in known or beside(entries, uuid) == newest)
    ]


def _queued(entry: Mapping[str, Any]) -> str:
    attachment = entry.get("attachment")
    if not isinstance(attachment, Mapping) or attachment.get("type") != "queued_command":
        return ""
    return str(attachment.get("source_uuid") or "")


def _short(record: Any) -> Any:
    """Drop the original file from an edit's record: it may be large and is not shown."""
    if not isinstance(record, Mapping) or _PATCH not in record:
        return record
    return {name: record[name] for name in ("type", _PATCH) if name in record}


def _entries(session_id: str, questions: set[str]) -> Iterator[dict[str, Any]]:
    """Read the entries about these calls, or about an edit."""
    for line in _lines(session_id):
        if f'"{_PATCH}"' in line or any(call in line for call in questions):
            yield record_entry(line)


def _lines(session_id: str) -> Iterator[str]:
    """Read a session's own record; a file that cannot be read has no lines."""
    for path in record_files(session_id):
        try:
            with path.open(encoding="utf-8", errors="replace") as lines:
                yield from lines
        except OSError:
            continue  # answers and edits are then read from their text


if __name__ == "__main__":
    gc.disable()  # the data has no reference cycles, and the process ends after printing it
    place, session, most, *given = sys.argv[1:]
    main(place, session, int(most), resuming="resuming" in given, repairing="repairing" in given)
