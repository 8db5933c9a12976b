"""Claude Code's records of sessions: what is in one, and which there are.

`ccq_tui.agent.reader` runs this as a program for what takes the SDK: to list, rename and delete sessions,
and to print the messages of one. For a session to be resumed it first prints the id on a line of its own,
and reads and repairs nothing until the caller confirms that no other program runs the session.
"""

import gc
import json
import logging
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from enum import StrEnum
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from ccq_tui.agent.reader import EarlierSession
from ccq_tui.bounded import UnfitFileError, begin
from ccq_tui.claude_files import record_files
from ccq_tui.claude_lines import QUESTION_TOOL, Line, blocks_of, fields, record_entry, text, whole_entries
from ccq_tui.compat.sdk.light_import import import_sdk

if TYPE_CHECKING:
    from ccq_tui.config.launch import Launch

_logger = logging.getLogger(__name__)


def taken(launch: "Launch", prompts: Mapping[str, str]) -> frozenset[str]:
    """Return the prompts that a turn has read, by the records of their sessions. For a thread.

    A record that is missing or cannot be read names none.
    """
    found: set[str] = set()
    for session_id in set(prompts.values()) - {""}:
        wanted = {name: name.encode() for name, session in prompts.items() if session == session_id}
        for line in _lines(launch, session_id):
            found.update(name for name, uuid in wanted.items() if uuid in line)
    return frozenset(found)


def last_words(launch: "Launch", session_id: str) -> str:
    """Return the last text of a session whose last turn came to its end, else "". For a thread.

    Where the CLI was killed in the middle of a turn, its record does not say that the turn ended.
    """
    last: Line = {}
    for line in _lines(launch, session_id):
        if b'"message"' in line:
            read = record_entry(line)
            last = last if read.get("isSidechain") or not read.get("message") else read
    message = fields(last, "message")
    is_whole = message.get("stop_reason") == "end_turn" and message.get("model") != "<synthetic>"
    if last.get("type") != "assistant" or not is_whole:
        return ""
    return "\n\n".join(found for one in blocks_of(message) if (found := text(one, "text").strip()))


class Recorded(StrEnum):
    """The state of the CLI's record of a session."""

    NOTHING = "nothing"
    """The session can begin under its id."""
    NO_MESSAGE = "no message"
    """The session can neither begin under its id nor be resumed."""
    MESSAGES = "messages"
    """The session can be resumed."""


def recorded(launch: "Launch", session_id: str) -> Recorded:
    """Return the state of a session's record. Reads files: for a thread."""
    if not record_files(session_id, launch.environ()):
        return Recorded.NOTHING
    marks = (b'"type":"user"', b'"type":"assistant"')
    has_any = any(mark in line for line in _lines(launch, session_id) for mark in marks)
    return Recorded.MESSAGES if has_any else Recorded.NO_MESSAGE


def _lines(launch: "Launch", session_id: str) -> Iterator[bytes]:
    for path in record_files(session_id, launch.environ()):
        try:
            with path.open("rb") as lines:
                # A line about the queue does not show that a turn has read a prompt.
                yield from (line for line in lines if not line.startswith(b'{"type":"queue-operation"'))
        except OSError as error:
            _logger.warning("A session's record cannot be read: %s", error.strerror)


# -- lists -----------------------------------------------------------------------------------------------


CLEARED = "/clear"
"""The first prompt of a session that began when another was cleared, until there is one."""
LAST_MESSAGES = 3
TITLE_BYTES = 65_536
"""Bytes of each end of a record in which the SDK looks for a title."""
TAIL = 128 * 1024
"""Bytes at the end of a record to search for the last messages."""


def listed(directory: str, limit: int) -> list[EarlierSession]:
    """Describe sessions, the newest first; "" for all directories."""
    from ccq_tui.agent.session_name import SessionName, title_of

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
    for who, words in filter(None, map(_message_of, _lines_from_end(session_id))):
        if len(found) < LAST_MESSAGES:
            found.append((who, words))
        prompt = prompt or (words if who == "user" else "")
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


def _message_of(line: bytes) -> tuple[str, str] | None:
    """Return the role and text of a message's line, or None for any other line and for commands."""
    from ccq_tui.agent.events import PromptAccepted
    from ccq_tui.agent.session_name import title_of
    from ccq_tui.agent.user_texts import written

    entry = record_entry(line)
    if entry.get("type") not in {"user", "assistant"}:
        return None
    if entry.get("isMeta") or entry.get("isSidechain"):
        return None
    blocks = blocks_of(entry.get("message"))
    texts = [str(one.get("text") or "") for one in blocks if one.get("type") == "text"]
    if entry["type"] == "user":
        prompts = [one.text for words in texts for one in written(words) if isinstance(one, PromptAccepted)]
        texts = list(filter(title_of, prompts))
    words = "\n".join(texts).strip()[:600]
    return (str(entry["type"]), words) if words else None


# -- the past of one ---------------------------------------------------------------------------------------


_EDITORS = ("Edit", "MultiEdit", "Write")
_PATCH = "structuredPatch"
PART = 200
"""Messages in a part; more if a call's result comes late."""
FEWEST = 60
"""Messages in the newest part, at least."""

# On an orderly end the CLI notes the last entry of the session's record. When resumed, it continues from that
# entry, or from those that follow on it. After a deferred call that entry is a note beside the call, on which
# nothing ever follows: the call's result follows on the call itself. If the process that continued there is
# killed, the next one would continue right after the result and know nothing of what came later. The format
# is Claude Code's own and not documented: anything unknown in it is a reason to write nothing.
_KNOWN = frozenset({"type", "lastPrompt", "leafUuid", "sessionId"})
"""The fields of a note of the last entry."""


def repair(path: Path, record: Sequence[Line], newest: str) -> bool:
    """Note ``newest`` as the last entry if the CLI would resume before it; return whether it did.

    One line is appended to the record that has these entries, a copy of the CLI's own last note with another
    entry in it; nothing is changed or removed. A record with anything unexpected in it is left as it is.
    Raises OSError.
    """
    noted = next((one for one in reversed(record) if one.get("type") == "last-prompt"), None)
    if noted is None or noted.get("leafUuid") == newest or noted.get("sessionId") != path.stem:
        return False
    if not _KNOWN.issuperset(noted) or not stat.S_ISREG(path.lstat().st_mode):
        return False
    entries = by_uuid(record)
    notes = takewhile(_is_note, (entries[one] for one in line_of(entries, text(noted, "leafUuid"))))
    # Neither the call itself nor its result alone: the CLI finds those by itself.
    before = (blocks_of(entries[one].get("message")) for one in line_of(entries, newest)[1:])
    answered = {text(block, "tool_use_id") for blocks in before for block in blocks}
    if answered.isdisjoint(filter(None, map(_deferred, notes))):
        return False
    wanted = {**noted, "leafUuid": newest}
    added = json.dumps(wanted, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    with path.open("ab+", buffering=0) as file:
        file.seek(-1, os.SEEK_END)
        cut = file.read(1) != b"\n"
        # In one write: a CLI that still runs may write into the record at the same time.
        file.write(b"\n" * cut + added)
    return True


def _is_note(entry: Line) -> bool:
    return entry.get("type") == "attachment"


def beside(entries: Mapping[str, Line], uuid: str) -> str:
    """Return the message that a note is beside, or the message itself; "" for none."""
    line = line_of(entries, uuid)
    return next((one for one in line if not _is_note(entries[one])), "")


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


def by_uuid(record: Iterable[Line]) -> dict[str, Line]:
    """Return the entries that have an id by it, in order."""
    return {str(entry["uuid"]): entry for entry in record if entry.get("uuid")}


def history(directory: str, session_id: str, *, resuming: bool, repairing: bool) -> None:
    """Print the conversation, a JSON object a line; each line but the first has ``"messages"`` alone.

    The first has ``"session_id"``, ``"title"``, ``"first_prompt"``, ``"messages"``, ``"gaps"``,
    ``"deferred"`` and ``"queued"``. With ``resuming``, the session is named before it
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
    record, damaged = entries_of(paths)
    if messages and resuming and repairing and len(paths) == 1:
        try:
            repair(paths[0], record, messages[-1].uuid)
        except OSError as error:  # the messages can be read all the same
            sys.stderr.write(f"The record was not repaired: {error}\n")
    recent = [{"type": one.type, "uuid": one.uuid, "message": one.message} for one in messages]
    entries = by_uuid(record)
    earlier, gaps = before(entries, [one["uuid"] for one in recent])
    shown = [*earlier, *recent]
    add_records(entries, shown)
    newest, *older = parts(shown)
    info = sdk.get_session_info(session_id) if messages else None
    past = {
        "messages": newest,
        "deferred": deferred(record),
        "gaps": max(gaps, damaged),
        "queued": queued(entries, messages[-1].uuid) if messages else [],
        "title": title_by_person(session_id, info.custom_title if info else None),
        "first_prompt": (info.first_prompt if info else None) or "",
    }
    for line in ({"session_id": session_id, **past}, *({"messages": part} for part in older)):
        sys.stdout.write(json.dumps(line) + "\n")


def before(entries: Mapping[str, Line], known: Sequence[str]) -> tuple[list[dict[str, Any]], int]:
    """Return the messages that the SDK leaves out, and the number of places where the record has a gap.

    They stand before a compaction, or before an entry whose parent is missing; then the nearest earlier one
    takes its place. ``known`` are the ids that the SDK returns.
    """
    given, order = frozenset(known), list(entries)
    places = {uuid: place for place, uuid in enumerate(order)}
    found: dict[str, None] = {}
    gaps = 0
    line = line_of(entries, known[0] if known else next(filter(partial(_is_main, entries), order[::-1]), ""))
    while line and not found.keys() & line:
        top = next((one for one in line if entries[one].get("subtype") == "compact_boundary"), "")
        found |= dict.fromkeys(line[: line.index(top) + 1] if top else line)
        name = "logicalParentUuid" if top else "parentUuid"
        top = top or line[-1]
        parent = str(entries[top].get(name) or "")
        if parent and parent not in entries:
            gaps += 1
            earlier = order[places[top] - 1 :: -1] if places[top] else ()
            parent = next((one for one in earlier if _is_main(entries, one) and one not in found), "")
        line = line_of(entries, parent)
    return [
        {"type": entry["type"], "uuid": uuid, "message": entry["message"]}
        for uuid in reversed(found)
        if _is_main(entries, uuid) and not (entry := entries[uuid]).get("isMeta") and uuid not in given
    ], gaps


def _is_main(entries: Mapping[str, Line], uuid: str) -> bool:
    entry = entries[uuid]
    is_main = entry.get("type") in ("user", "assistant") and isinstance(entry.get("message"), Mapping)
    return is_main and not entry.get("isSidechain")


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


def add_records(entries: Mapping[str, Line], messages: Iterable[dict[str, Any]]) -> None:
    """Add the CLI's own records of answers and edits to the messages, which the SDK leaves out."""
    calls: set[str] = set()
    for message in messages:
        for block in blocks_of(message["message"]):
            if block.get("type") == "tool_use" and block.get("name") in {QUESTION_TOOL, *_EDITORS}:
                calls.add(text(block, "id"))
            elif block.get("type") == "tool_result" and text(block, "tool_use_id") in calls:
                entry = entries.get(message["uuid"], {})
                message["tool_use_result"] = _short(entry.get("toolUseResult"))
                message["timestamp"] = entry.get("timestamp")


def deferred(record: Iterable[Line]) -> list[str]:
    """Return the ``tool_use_id`` of the call that the CLI deferred last, unless it has its result."""
    call = ""
    for entry in record:
        call = _deferred(entry) or call
        if call and call in (block.get("tool_use_id") for block in blocks_of(entry.get("message"))):
            call = ""
    return [call] if call else []


def queued(entries: Mapping[str, Line], newest: str) -> list[str]:
    """Return the ids of prompts that the record has no messages for, but which were read.

    They were read in the middle of a turn, or became one message with the prompt that has its id.
    Claude knows only what came before ``newest``, the id of the newest message.
    """
    known = set(line_of(entries, newest))
    found: list[str] = []
    for uuid, entry in entries.items():
        merged, within = entry.get("mergedSendUuids"), text(_attached(entry, "queued_command"), "source_uuid")
        read = [str(one) for one in (*(merged if isinstance(merged, list) else ()), within) if one]
        if read and (uuid in known or beside(entries, uuid) == newest):
            found += read
    return found


def _short(record: Any) -> Any:
    """Drop the original file from an edit's record: it may be large and is not shown."""
    if not isinstance(record, Mapping) or _PATCH not in record:
        return record
    return {name: record[name] for name in ("type", _PATCH) if name in record}


def entries_of(paths: Iterable[Path]) -> tuple[list[Line], int]:
    """Read a session's own record: its entries, in order, and the number of its damaged lines.

    A file that cannot be read has none.
    """
    record: list[Line] = []
    damaged = 0
    for path in paths:
        with suppress(OSError), path.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                whole, torn = whole_entries(line)
                record += whole
                damaged += torn
    return record, damaged


def main(action: str, *arguments: str) -> None:
    """List, rename or delete sessions, or read one, and print the result as JSON."""
    done: object = None
    match action, arguments:
        case "history", (directory, session_id, *given):
            history(directory, session_id, resuming="resuming" in given, repairing="repairing" in given)
            return
        case "list", (directory, limit):
            done = listed(directory, int(limit))
        case "rename", (session_id, title):
            import_sdk().rename_session(session_id, title)
        case "delete", (session_id,):
            done = deleted(session_id)
        case _:
            raise ValueError(f"unknown: {action}")
    json.dump(done, sys.stdout, default=asdict)


if __name__ == "__main__":
    gc.disable()  # the data has no reference cycles, and the process ends after printing it
    main(*sys.argv[1:])
