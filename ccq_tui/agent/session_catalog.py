"""Lists, renames and deletes the sessions that can be resumed, also the native program's."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from ccq_tui.agent.options import SessionOptions
from ccq_tui.agent.reader import read_by

LIST_SECONDS = 30.0
MOST_SESSIONS = 200
MODULE = "ccq_tui.agent.claude.sessions_reader"


@dataclass(frozen=True, slots=True)
class EarlierSession:
    """A session that Claude Code keeps.

    Attributes:
        session_id: The Claude session id.
        summary: Its title, or its first prompt.
        modified: The time of its last message, in seconds since 1970.
        branch: The git branch then, or "".
        directory: Its working directory, or "" if its record does not say.
        last: Its last messages, oldest first: "user" or "assistant", and the text, cut short.
    """

    session_id: str
    summary: str
    modified: float
    branch: str
    directory: str = ""
    last: tuple[tuple[str, str], ...] = ()


async def earlier_sessions(
    options: SessionOptions, *, everywhere: bool = False
) -> tuple[EarlierSession, ...]:
    """List the sessions of a directory and of other worktrees of its repository, the newest first.

    Raises `ReaderError`.
    """
    place = "" if everywhere else str(options.cwd)
    output = await read_by(MODULE, options, "list", place, str(MOST_SESSIONS), seconds=LIST_SECONDS)
    return tuple(
        EarlierSession(
            one["session_id"],
            one["summary"],
            one["modified"],
            one["branch"],
            one["directory"] or place,
            tuple((who, text) for who, text in one["last"]),
        )
        for one in json.loads(output)
    )


async def rename_earlier(options: SessionOptions, session_id: str, title: str) -> None:
    """Give a session that does not run here a title, which is not empty; raises `ReaderError`."""
    await read_by(MODULE, options, "rename", session_id, title, seconds=LIST_SECONDS)


async def delete_earlier(options: SessionOptions, session_id: str) -> Path:
    """Delete the file in which Claude Code keeps a session, and nothing else; raises `ReaderError`."""
    output = await read_by(MODULE, options, "delete", session_id, seconds=LIST_SECONDS)
    return Path(json.loads(output))
