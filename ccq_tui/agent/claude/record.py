"""Looks up in a session's record which prompts the CLI has read."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from ccq_tui.agent.options import SessionOptions
from ccq_tui.claude_files import record_files
from ccq_tui.claude_lines import Line, blocks_of, fields, record_entry, text

_logger = logging.getLogger(__name__)

_WAITING = b'{"type":"queue-operation"'
"""Start of a line about the queue, which does not show that a turn has read a prompt."""


def taken(options: SessionOptions, prompts: Mapping[str, str]) -> frozenset[str]:
    """Return the prompts that a turn has read, by the records of their sessions. For a thread.

    A record that is missing or cannot be read names none.
    """
    found: set[str] = set()
    for session_id in set(prompts.values()) - {""}:
        wanted = {name: name.encode() for name, session in prompts.items() if session == session_id}
        for path in record_files(session_id, options.environ()):
            found |= _named(path, wanted)
    return frozenset(found)


def last_words(options: SessionOptions, session_id: str) -> str:
    """Return the last text of a session whose last turn came to its end, else "". For a thread.

    Where the CLI was killed in the middle of a turn, its record does not say that the turn ended.
    """
    last: Line = {}
    for path in record_files(session_id, options.environ()):
        try:
            with path.open("rb") as lines:
                for line in lines:
                    if b'"message"' in line and not line.startswith(_WAITING):
                        read = record_entry(line)
                        last = last if read.get("isSidechain") or not read.get("message") else read
        except OSError as error:
            _logger.warning("How a session ended is not known: %s", error.strerror)
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


def recorded(options: SessionOptions, session_id: str) -> Recorded:
    """Return the state of a session's record. Reads files: for a thread."""
    paths = record_files(session_id, options.environ())
    if not paths:
        return Recorded.NOTHING
    marks = {kind: b'"type":"%s"' % kind.encode() for kind in ("user", "assistant")}
    return Recorded.MESSAGES if any(_named(path, marks) for path in paths) else Recorded.NO_MESSAGE


def _named(path: Path, wanted: Mapping[str, bytes]) -> set[str]:
    found: set[str] = set()
    try:
        with path.open("rb") as lines:
            for line in lines:
                if not line.startswith(_WAITING):
                    found.update(name for name, uuid in wanted.items() if uuid in line)
    except OSError as error:
        _logger.warning("What a session has read is not known: %s", error.strerror)
    return found
