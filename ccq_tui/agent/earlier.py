"""The sessions that can be gone on with."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ccq_tui.agent.options import SessionOptions
from ccq_tui.agent.reader import read_by

LIST_SECONDS = 30.0
MOST_SESSIONS = 200


@dataclass(frozen=True, slots=True)
class EarlierSession:
    """A session of the directory.

    Attributes:
        session_id: The Claude session id.
        summary: Its title, or its first prompt.
        modified: When something was last said in it, in seconds since 1970.
        branch: The git branch then, or "".
    """

    session_id: str
    summary: str
    modified: float
    branch: str


async def earlier_sessions(options: SessionOptions) -> tuple[EarlierSession, ...]:
    """List the sessions of the options' directory, the newest first, at most `MOST_SESSIONS`.

    Args:
        options: The options of a session there.

    Raises:
        ReaderError: They could not be read within `LIST_SECONDS`.
    """
    output = await read_by(
        "ccq_tui.agent.claude.sessions_reader",
        options,
        str(options.cwd),
        str(MOST_SESSIONS),
        seconds=LIST_SECONDS,
    )
    return tuple(
        EarlierSession(one["session_id"], one["summary"], one["modified"], one["branch"])
        for one in json.loads(output)
    )
