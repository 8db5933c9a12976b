"""Looks up in a session's record which prompts the CLI has read."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from enum import StrEnum

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
        for line in _lines(options, session_id):
            found.update(name for name, uuid in wanted.items() if uuid in line)
    return frozenset(found)


def last_words(options: SessionOptions, session_id: str) -> str:
    """Return the last text of a session whose last turn came to its end, else "". For a thread.

    Where the CLI was killed in the middle of a turn, its record does not say that the turn ended.
    """
    last: Line = {}
    for line in _lines(options, session_id):
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


def recorded(options: SessionOptions, session_id: str) -> Recorded:
    """Return the state of a session's record. Reads files: for a thread."""
    if not record_files(session_id, options.environ()):
        return Recorded.NOTHING
    marks = (b'"type":"user"', b'"type":"assistant"')
    has_any = any(mark in line for line in _lines(options, session_id) for mark in marks)
    return Recorded.MESSAGES if has_any else Recorded.NO_MESSAGE


def _lines(options: SessionOptions, session_id: str) -> Iterator[bytes]:
    for path in record_files(session_id, options.environ()):
        try:
            with path.open("rb") as lines:
                yield from (line for line in lines if not line.startswith(_WAITING))
        except OSError as error:
            _logger.warning("A session's record cannot be read: %s", error.strerror)
