"""The past of a session: read before it is resumed, and translated to the events that it gave."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.agent.reader import read_by
from ccq_tui.agent.translate import PastTranslator
from ccq_tui.claude_lines import Line
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.call_results import UNANSWERED
from ccq_tui.inbox.requests import Cancelled, QuestionRequest
from ccq_tui.words import plural

READ_SECONDS = 60.0
GAPS = "The record of this conversation is damaged in {} · what stood there is not shown"


@dataclass(frozen=True, slots=True)
class SessionPast:
    """A session's past.

    Attributes:
        session_id: The session, or "" if there is none.
        events: The past events, oldest first.
        uuids: Ids of the messages, by which a replay of them is recognised, and of the prompts that were read
            in the middle of a turn.
        deferred: Calls that the CLI makes again when the session is resumed.
        unanswered: Question sets at its end without a result.
    """

    session_id: str
    events: tuple[ev.AgentEvent, ...] = ()
    uuids: tuple[str, ...] = ()
    deferred: frozenset[str] = frozenset()
    unanswered: tuple[QuestionRequest, ...] = ()


PastListener = Callable[[str, ev.HistoryLoaded], None]
"""Takes the session's id and a part of its past, the newest first."""
Resume = Callable[[str], Awaitable[frozenset[str]]]
"""Takes the id of a session that is about to be resumed; returns the calls whose requests are left in it."""


async def read_history(
    launch: Launch, tell: PastListener | None = None, *, resume: Resume | None = None
) -> SessionPast:
    """Read the past of the session that a launch resumes, or of the last one in its directory.

    ``tell`` gets each part as soon as it is read. ``resume`` takes the id of a session that is resumed
    next, before anything of it is read, and raises if it must not be; without it the record is not
    repaired, as another process may have it open. Raises `ReaderError`.
    """
    left: frozenset[str] = frozenset()

    async def allow(session_id: str) -> None:
        nonlocal left
        left = await resume(session_id) if resume is not None else left

    output = await read_by(
        launch,
        "history",
        str(launch.settings.directory),
        launch.resume,
        *(["resuming"] if resume is not None else []),
        *(["repairing"] if launch.settings.repair_records else []),
        seconds=READ_SECONDS,
        allow=allow if resume is not None else None,
    )
    # Line by line: parsing all of it in one go would hold up the screen, even from a thread.
    lines = output.splitlines()
    first: dict[str, Any] = await asyncio.to_thread(json.loads, lines[0])
    session_id: str = first["session_id"]
    deferred = frozenset(first["deferred"])
    read: list[tuple[tuple[ev.AgentEvent, ...], tuple[str, ...]]] = []
    unanswered: tuple[QuestionRequest, ...] = ()
    for number, line in enumerate(lines):
        read.append(await asyncio.to_thread(_part, line, session_id, deferred | left))
        if not number and resume is not None and not launch.fork:
            kept, unanswered = _reopened(read[0][0])
            read[0] = kept, read[0][1]
        if not number and first["gaps"]:
            gap = ev.NoticeGiven("warning", GAPS.format(plural(first["gaps"], "place")))
            read[0] = (*read[0][0], gap), read[0][1]
        if tell is not None:
            names = ("", "") if number else (first["title"], first["first_prompt"])
            tell(session_id, ev.HistoryLoaded(read[-1][0], number > 0, *names))
    read.reverse()
    return SessionPast(
        session_id=session_id,
        events=tuple(event for events, _ in read for event in events),
        # Prompts read in the middle of a turn go first: the last id must be that of the newest message.
        uuids=(*first["queued"], *(uuid for _, uuids in read for uuid in uuids)),
        deferred=deferred,
        unanswered=unanswered,
    )


def _reopened(
    events: tuple[ev.AgentEvent, ...],
) -> tuple[tuple[ev.AgentEvent, ...], tuple[QuestionRequest, ...]]:
    """Return events without the end of question sets that no prompt followed, and these sets."""
    asked: dict[str, QuestionRequest] = {}
    for event in events:
        if isinstance(event, ev.PromptAccepted):
            asked.clear()
        elif isinstance(event, ev.RequestAsked) and isinstance(event.request, QuestionRequest):
            asked[event.request.id] = event.request
    ends = [ev.RequestSettled(name, Cancelled(UNANSWERED)) for name in asked]
    kept = tuple(event for event in events if event not in ends)
    return kept, tuple(asked[end.request_id] for end in ends if end in events)


def _part(
    line: bytes, session_id: str, left: frozenset[str]
) -> tuple[tuple[ev.AgentEvent, ...], tuple[str, ...]]:
    messages: list[dict[str, Any]] = json.loads(line)["messages"]
    events = tuple(replay(messages, session_id, left))
    return events, tuple(message["uuid"] for message in messages)


def replay(
    messages: Iterable[Line], session_id: str = "", left: Collection[str] = ()
) -> Iterator[ev.AgentEvent]:
    """Translate stored messages, oldest first, as the Messages API has them.

    Answers to questions and edits also have ``"tool_use_result"`` and ``"timestamp"``. ``left`` are
    calls whose questions still wait or have an answer to deliver.
    """
    translator = PastTranslator(session_id)
    for line in messages:
        yield from translator.feed(line)
    yield from translator.pass_over(UNANSWERED, left)
