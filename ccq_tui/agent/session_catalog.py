"""The sessions that can be resumed, those of the native program too, and what can be done with one."""

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
        modified: When something was last said in it, in seconds since 1970.
        branch: The git branch then, or "".
        directory: Where it worked, or "" if its record does not say.
        last: Who said what last, oldest first, each text cut short: "user" or "assistant" and the text.
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
    """List the sessions of the options' directory and of other git worktrees of the same repository.

    The newest are first; at most `MOST_SESSIONS` are listed.

    Args:
        options: The options of a session there.
        everywhere: Whether to list those of all directories.

    Raises:
        ReaderError: They could not be read within `LIST_SECONDS`.
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
    """Give a session that does not run here a title.

    Args:
        options: The options of any session of the same configuration.
        session_id: The session.
        title: Its title; not empty.

    Raises:
        ReaderError: It could not be written.
    """
    await read_by(MODULE, options, "rename", session_id, title, seconds=LIST_SECONDS)


async def delete_earlier(options: SessionOptions, session_id: str) -> Path:
    """Delete the file in which Claude Code keeps a session, and nothing else.

    Args:
        options: The options of any session of the same configuration.
        session_id: The session.

    Returns:
        The file that is gone.

    Raises:
        ReaderError: There is no such file, or it could not be deleted.
    """
    output = await read_by(MODULE, options, "delete", session_id, seconds=LIST_SECONDS)
    return Path(json.loads(output))
