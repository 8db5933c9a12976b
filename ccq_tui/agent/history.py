"""The past of a session, read before it is resumed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from ccq_tui.agent.events import AgentEvent, HistoryLoaded, NoticeGiven, TaskEnded
from ccq_tui.agent.options import SessionOptions
from ccq_tui.agent.reader import ReaderError, read_by
from ccq_tui.agent.stored_messages import replay
from ccq_tui.agent.user_texts import task_ends
from ccq_tui.text import plural

READ_SECONDS = 60.0
MAX_MESSAGES = 200_000
"""A bound on memory, and far more than was ever said in a session."""


GAPS = "The record of this conversation is damaged in {} · what stood there is not shown"


class HistoryError(Exception):
    """The history cannot be read; the message is for a person."""


@dataclass(frozen=True, slots=True)
class SessionPast:
    """A session's past.

    Attributes:
        session_id: The session, or "" if there is none.
        events: The past events, oldest first.
        uuids: Ids of the messages, by which a replay of them is recognised, and of the prompts that were read
            in the middle of a turn.
        cut: Whether older messages were left out.
        deferred: Calls that the CLI makes again when the session is resumed.
    """

    session_id: str
    events: tuple[AgentEvent, ...] = ()
    uuids: tuple[str, ...] = ()
    cut: bool = False
    deferred: frozenset[str] = frozenset()


NO_HISTORY = SessionPast("")


Told = Callable[[str, HistoryLoaded], None]
"""Takes the session's id and a part of its past, the newest first."""
Resume = Callable[[str], Awaitable[object]]
"""Takes the id of a session that is about to be resumed."""


async def read_history(
    options: SessionOptions, tell: Told | None = None, *, resume: Resume | None = None
) -> SessionPast:
    """Read the past of the session that the options name, or of the last one in their directory.

    ``tell`` gets each part as soon as it is read. ``resume`` takes the id of a session that is resumed
    next, before anything of it is read, and raises if it must not be; without it the record is not
    repaired, as another process may have it open. Raises `HistoryError`.
    """
    try:
        output = await read_by(
            "ccq_tui.agent.claude.history_reader",
            options,
            str(options.cwd),
            options.resume or "",
            str(MAX_MESSAGES),
            *(["resuming"] if resume is not None else []),
            *(["repairing"] if options.repair_records else []),
            seconds=READ_SECONDS,
            allow=resume,
        )
    except ReaderError as error:
        raise HistoryError(str(error)) from error
    # Line by line: parsing all of it in one go would hold up the screen, even from a thread.
    lines = output.splitlines()
    first: dict[str, Any] = await asyncio.to_thread(json.loads, lines[0])
    session_id: str = first["session_id"]
    ended = {event.task_id: event for text in first["notifications"] for event in task_ends(text)}
    read: list[tuple[tuple[AgentEvent, ...], tuple[str, ...]]] = []
    for number, line in enumerate(lines):
        read.append(await asyncio.to_thread(_part, line, session_id, frozenset(first["deferred"]), ended))
        if not number and first["gaps"]:
            gap = NoticeGiven("warning", GAPS.format(plural(first["gaps"], "place")))
            read[0] = (*read[0][0], gap), read[0][1]
        if tell is not None:
            cut = first["cut"] and number == len(lines) - 1
            names = ("", "") if number else (first["title"], first["first_prompt"])
            tell(session_id, HistoryLoaded(read[-1][0], cut, number > 0, *names))
    read.reverse()
    return SessionPast(
        session_id=session_id,
        events=tuple(event for events, _ in read for event in events),
        # Prompts read in the middle of a turn go first: the last id must be that of the newest message.
        uuids=(*first["queued"], *(uuid for _, uuids in read for uuid in uuids)),
        cut=first["cut"],
        deferred=frozenset(first["deferred"]),
    )


def _part(
    line: bytes, session_id: str, deferred: frozenset[str], ended: dict[str, TaskEnded]
) -> tuple[tuple[AgentEvent, ...], tuple[str, ...]]:
    messages: list[dict[str, Any]] = json.loads(line)["messages"]
    events = tuple(replay(messages, session_id, deferred, ended))
    return events, tuple(message["uuid"] for message in messages)
