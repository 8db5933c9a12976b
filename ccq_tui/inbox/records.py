"""Stored data as public JSON: its shapes, which only grow within a version, and records of them."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from math import isfinite
from typing import Any, Literal

from ccq_tui.answering.record import VERSION, AnswerRecord, Record, RecordShape, SetFields, made
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.place import Group, stored_group
from ccq_tui.inbox.requests import Origin, QuestionRequest, RequestOutcome
from ccq_tui.inbox.store.encoding import outcome_word, plain
from ccq_tui.inbox.store.rows import Change, StoredRequest, StoredSession
from ccq_tui.processes import alive


class ActorRecord(RecordShape, of=Actor, names="surface name process device"):
    """Who did something."""

    process: int | None


class OriginRecord(RecordShape, of=Origin, names="asker name directory"):
    """Who asked, which decides how the outcome is delivered."""


class OutcomeRecord(RecordShape):
    """How a request ended.

    Attributes:
        answers: One a question, or [] for none.
        text: What was said, or why it was cancelled.
        mode: In which an approved plan is carried out.
        plan: As the person edited it.
    """

    kind: Literal[
        "answered", "discussed", "declined", "dismissed", "expired", "allowed", "denied", "cancelled"
    ]
    answers: list[AnswerRecord] | None = None
    text: str | None = None
    for_longer: bool | None = None
    mode: str | None = None
    plan: str | None = None


HEAD = "id tool_use_id session kind origin state asked_at has_draft deferred"


class RequestHead(RecordShape, of=StoredRequest, names=HEAD):
    """What every request has.

    Attributes:
        tool_use_id: Its call.
    """

    id: str
    tool_use_id: str
    session: str
    kind: str
    origin: OriginRecord


class Became(RecordShape, of=StoredRequest, names="context settled_at delivered_at"):
    """What the agent wrote before a request, and what became of it.

    Attributes:
        surface: The name of the actor, or its surface.
        delivered_as: The way to its agent, or None.
    """

    outcome: OutcomeRecord | None
    surface: str
    actor: ActorRecord | None
    delivered_as: str | None


class RecordedSet(SetFields, of=QuestionRequest, names="id tool_use_id"):
    """A question set of a recording.

    Attributes:
        outcome: None while it waits: its session asks it again once it is resumed.
    """

    session: str
    outcome: OutcomeRecord | None
    settled_at: str | None


SESSION = "id name directory state started_at changed_at last_line done labels"


class SessionRecord(RecordShape, of=StoredSession, names=SESSION):
    """A session.

    Attributes:
        running: Whether a process has it.
        undelivered: Answers that have not reached its agent.
        question_rounds: Question sets that it asked so far.
    """

    group: Group
    running: bool
    waiting: int
    undelivered: int
    question_rounds: int
    cost_usd: float | None


class ChangeRecord(RecordShape, of=Change, names="number at session request from_ to cause"):
    """An event of the inbox: a request or a session changed its state.

    Attributes:
        request: None for a change of the session.
        from_: None for the first.
    """

    session: str
    request: str | None
    from_: str | None
    to: str
    surface: str
    actor: ActorRecord | None


class CommandRecord(RecordShape):
    """What became of a command to a session.

    Attributes:
        result: Others end with a message on standard error.
        words: For a person, after the session's name.
    """

    kind: Literal["park", "send", "interrupt", "end"]
    session: str
    result: Literal["done", "already"]
    words: str


# -- written ------------------------------------------------------------------------------------------------


def report(name: str, record: Mapping[str, Any]) -> str:
    """Write one record, indented; ASCII, as a model's text may hold lone surrogates or control characters."""
    return json.dumps({"version": VERSION, name: record}, indent=2, default=str)


def list_report(name: str, records: Iterable[Mapping[str, Any]]) -> str:
    """Write a list, one record a line: for a long list, this is five times as fast as indented records."""
    written = json.JSONEncoder(default=str).encode  # one for all: json.dumps would make one for each record
    lines = ",\n".join(map(written, records))
    inner = f"[\n{lines}\n]" if lines else "[]"
    return f'{{"version": {VERSION}, {json.dumps(name)}: {inner}}}'


def lines_report(records: Iterable[Mapping[str, Any]]) -> str:
    """Write records as JSON lines, without a version around them."""
    return "\n".join(json.dumps(record, default=str) for record in records)


def request_record(stored: StoredRequest) -> Record:
    """Return a request, without the agent's text before it."""
    request, kind = stored.request, kind_of(stored.request)
    origin = made(OriginRecord, request.origin)
    head = made(RequestHead, stored, request, session=request.session_id, kind=kind.WORD, origin=origin)
    return {**head, **kind.record(request)}


def whole_record(stored: StoredRequest) -> Record:
    """Return a request with the agent's text before it and with its outcome."""
    outcome, way = outcome_record(stored.outcome), stored.way or None
    return {
        **request_record(stored),
        **made(Became, stored, outcome=outcome, delivered_as=way, **_by(stored)),
    }


def recorded_set(request: QuestionRequest, outcome: RequestOutcome | None, at: datetime | None) -> Record:
    """Return a question set of a recording, with its outcome."""
    ended = {"outcome": outcome_record(outcome), "settled_at": at}
    head = made(RecordedSet, request, session=request.session_id, **ended)
    return {**head, **kind_of(request).record(request)}


def session_record(session: StoredSession, waiting: int, undelivered: int = 0, rounds: int = 0) -> Record:
    """Return a session in JSON."""
    counts = {"waiting": waiting, "undelivered": undelivered, "question_rounds": rounds}
    about = {"group": stored_group(session, waiting), "running": alive(session.owner)}
    cost = session.cost if isfinite(session.cost) else None
    return made(SessionRecord, session, **counts, **about, cost_usd=cost, labels=dict(session.labels))


def change_record(change: Change) -> Record:
    """Return a change in JSON; one of a session has no request."""
    ends = {"from_": change.was or None, "to": change.became}
    about = {"session": change.session_id, "request": change.request_id or None}
    return made(ChangeRecord, change, **about, **ends, **_by(change))


def _by(done: StoredRequest | Change) -> Record:
    actor = done.actor
    if actor is None:
        return {"surface": "", "actor": None}
    process = None if actor.process is None else actor.process.pid
    return {"surface": actor.called, "actor": made(ActorRecord, actor, process=process)}


def outcome_record(outcome: RequestOutcome | None) -> Record | None:
    """Return the outcome of a request in JSON, or None while it is pending."""
    if outcome is None:
        return None
    record: Record = {"kind": outcome_word(outcome), **plain(outcome)}
    for answer in record.get("answers", ()):
        del answer["preview"]  # the question has it
    if "reason" in record:
        record["text"] = record.pop("reason")
    if "suggestion" in record:
        record["for_longer"] = record.pop("suggestion") is not None
    return record
