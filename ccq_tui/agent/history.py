"""What was said in a session before it is resumed."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from ccq_tui.agent.events import AgentEvent
from ccq_tui.agent.options import SessionOptions
from ccq_tui.agent.reader import ReaderError, read_by
from ccq_tui.agent.replay import replay

READ_SECONDS = 60.0
MAX_MESSAGES = 2_000


class HistoryError(Exception):
    """The history cannot be read; the message is for a person."""


@dataclass(frozen=True, slots=True)
class History:
    """A session's past.

    Attributes:
        session_id: The session, or "" if there is none.
        events: What happened, oldest first.
        uuids: Ids of the messages, by which a replay of them is recognised.
        cut: Whether older messages were left out.
        deferred: Calls that the CLI makes again when the session is resumed.
    """

    session_id: str
    events: tuple[AgentEvent, ...] = ()
    uuids: tuple[str, ...] = ()
    cut: bool = False
    deferred: frozenset[str] = frozenset()


NO_HISTORY = History("")


async def read_history(options: SessionOptions) -> History:
    """Read the past of the session that the options name, or of the last one in their directory.

    Args:
        options: The session's options, with ``resume`` or ``continue_conversation``.

    Returns:
        The newest `MAX_MESSAGES` messages as events; a history without a session id if there is no session.

    Raises:
        HistoryError: It could not be read within `READ_SECONDS`.
    """
    try:
        output = await read_by(
            "ccq_tui.agent.claude.history_reader",
            options,
            str(options.cwd),
            options.resume or "",
            str(MAX_MESSAGES),
            seconds=READ_SECONDS,
        )
    except ReaderError as error:
        raise HistoryError(str(error)) from error
    return await asyncio.to_thread(_history, output)


def _history(output: bytes) -> History:
    found: dict[str, Any] = json.loads(output)
    messages: list[dict[str, Any]] = found["messages"]
    return History(
        session_id=found["session_id"],
        events=tuple(replay(messages, found["session_id"])),
        uuids=tuple(message["uuid"] for message in messages),
        cut=found["cut"],
        deferred=frozenset(found["deferred"]),
    )
