"""Stored data as JSON in the shapes of `ccq_tui.inbox.schema`, which only grow within a version."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.answer_json import VERSION, named
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import RequestOutcome
from ccq_tui.inbox.session_groups import stored_group
from ccq_tui.inbox.store.encoding import outcome_word, plain
from ccq_tui.inbox.store.rows import Change, StoredRequest, StoredSession
from ccq_tui.processes import alive

if TYPE_CHECKING:
    from ccq_tui.inbox.wait_statistics import Share, WaitStatistics


Record = dict[str, Any]


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
    """Return a request as `schema.RequestRecord`, without the agent's text before it."""
    kind, origin = kind_of(stored.request), stored.request.origin
    return {
        "id": stored.request.id,
        "tool_use_id": stored.request.tool_use_id,
        "session": stored.request.session_id,
        "kind": kind.WORD,
        "origin": named(origin, "asker", "name", "directory"),
        **named(stored, "state", "asked_at", "has_draft", "deferred"),
        **kind.record(stored.request),
    }


def whole_record(stored: StoredRequest) -> Record:
    """Return a request with the agent's text before it and with its outcome."""
    return {
        **request_record(stored),
        **named(stored, "context", "settled_at", "delivered_at"),
        "outcome": outcome_record(stored.outcome),
        "surface": stored.actor.called if stored.actor else "",
        "actor": actor_record(stored.actor),
        "delivered_as": stored.way or None,
    }


def session_record(session: StoredSession, waiting: int, undelivered: int = 0, rounds: int = 0) -> Record:
    """Return a session in JSON."""
    return {
        **named(session, "id", "name", "directory", "state"),
        "group": stored_group(session, waiting),
        "running": alive(session.owner),
        "waiting": waiting,
        "undelivered": undelivered,
        "question_rounds": rounds,
        **named(session, "started_at", "changed_at", "last_line"),
        "cost_usd": session.cost if session.cost is not None and isfinite(session.cost) else None,
        "done": session.done,
        "labels": dict(session.labels),
    }


def change_record(change: Change) -> Record:
    """Return a change in JSON; one of a session has no request."""
    return {
        **named(change, "number", "at", "cause"),
        "session": change.session_id,
        "request": change.request_id or None,
        "from": change.was or None,
        "to": change.became,
        "surface": change.actor.called if change.actor else "",
        "actor": actor_record(change.actor),
    }


def actor_record(actor: Actor | None) -> Record | None:
    """Return an actor in JSON."""
    if actor is None:
        return None
    process = None if actor.process is None else actor.process.pid
    return {**named(actor, "surface", "name", "device"), "process": process}


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


def statistics_record(made: WaitStatistics) -> Record:
    """Return statistics of waits in JSON."""
    waited = made.waited
    return {
        **named(made, "since", "until"),
        "outcomes": {state: made.outcomes[state] for state in sorted(made.outcomes)},
        "requests": waited.requests,
        "waited_seconds": round(waited.seconds, 3),
        "answer_seconds_median": made.median_seconds,
        "answer_seconds_of_nine_in_ten": made.slow_seconds,
        "by_day": _shares(dict(sorted(made.days.items()))),
        "by_hour": _shares(made.hours),
        "by_project": _shares(made.projects),
        "by_kind": _shares(made.kinds),
        "answer_speeds": [{"most_seconds": most, "requests": count} for most, count in made.speeds.items()],
        "most_refused": [
            {"kind": kind, "topic": topic, **plain(one)} for kind, topic, one in made.most_refused
        ],
    }


def _shares(shares: Mapping[str, Share]) -> list[Record]:
    return [
        {"name": name, "requests": one.requests, "waited_seconds": round(one.seconds, 3)}
        for name, one in shares.items()
    ]
