"""What is stored, as JSON for scripts; `docs/scripts.md` has the schema, which only grows in a version."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.choices import choices_for
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied, PermissionRequest, PlanRequest, QuestionRequest
from ccq_tui.inbox.standing import stored_group
from ccq_tui.inbox.store.encoding import kind_of
from ccq_tui.inbox.store.rows import Change, StoredRequest, StoredSession, stamp
from ccq_tui.processes import alive
from ccq_tui.questions import Answer, Answered, Discussed, Question

VERSION = 1
"""Changes when a reader of the JSON would have to."""


def report(name: str, record: Mapping[str, Any]) -> str:
    """Write one record, for reading too; ASCII, as a model's text may hold halves of characters, or act."""
    return json.dumps({"version": VERSION, name: record}, indent=2, default=str)


def list_report(name: str, records: Iterable[Mapping[str, Any]]) -> str:
    """Write a list, one record a line: a long one is written five times as fast as with more lines."""
    written = json.JSONEncoder(default=str).encode  # one for all: json.dumps would make one for each
    lines = ",\n".join(map(written, records))
    inner = f"[\n{lines}\n]" if lines else "[]"
    return f'{{"version": {VERSION}, {json.dumps(name)}: {inner}}}'


def request_record(stored: StoredRequest) -> dict[str, Any]:
    """Return a request as JSON has it, without what the agent wrote before it."""
    return {
        "id": stored.request.id,
        "tool_use_id": stored.request.tool_use_id,
        "session": stored.request.session_id,
        "kind": kind_of(stored.request),
        "origin": {"asker": str(stored.request.origin.asker), "name": stored.request.origin.name},
        "state": str(stored.state),
        "asked_at": stamp(stored.asked_at),
        "has_draft": stored.has_draft,
        "deferred": stored.deferred,
        **_asked(stored),
    }


def whole_record(stored: StoredRequest) -> dict[str, Any]:
    """Return a request with what the agent wrote before it and with what became of it."""
    return {
        **request_record(stored),
        "context": stored.context,
        "outcome": _outcome(stored),
        **_who(stored.actor),
        "settled_at": stamp(stored.settled_at) if stored.settled_at else None,
        "delivered_at": stamp(stored.delivered_at) if stored.delivered_at else None,
        "delivered_as": stored.way or None,
    }


def session_record(session: StoredSession, waiting: int, undelivered: int = 0) -> dict[str, Any]:
    """Return a session as JSON has it.

    Args:
        session: The session.
        waiting: How many requests of it wait.
        undelivered: How many answers to it have not reached its agent, while no process runs it.
    """
    return {
        "id": session.id,
        "name": session.name,
        "directory": session.directory,
        "state": str(session.state),
        "group": str(stored_group(session, waiting)),
        "running": alive(session.owner),
        "waiting": waiting,
        "undelivered": undelivered,
        "started_at": stamp(session.started_at),
        "changed_at": stamp(session.changed_at),
        "last_line": session.last_line,
        "cost_usd": session.cost,
        "done": session.done,
    }


def change_record(change: Change) -> dict[str, Any]:
    """Return a change as JSON has it; one of a session has no request."""
    return {
        "number": change.number,
        "at": stamp(change.at),
        "session": change.session_id,
        "request": change.request_id or None,
        "from": change.was or None,
        "to": change.became,
        "cause": change.cause,
        **_who(change.actor),
    }


def _who(actor: Actor | None) -> dict[str, Any]:
    if actor is None:
        return {"surface": "", "actor": None}
    process = None if actor.process is None else actor.process.pid
    return {
        "surface": actor.called,
        "actor": {
            "surface": str(actor.surface),
            "name": actor.name,
            "process": process,
            "device": actor.device,
        },
    }


def _asked(stored: StoredRequest) -> dict[str, Any]:
    match stored.request:
        case QuestionRequest(questions=questions):
            return {
                "title": questions.title,
                "questions": [
                    _question(number, question) for number, question in enumerate(questions.questions, 1)
                ],
            }
        case PermissionRequest() as asked:
            return {
                "tool": asked.tool,
                "input": dict(asked.input),
                "description": asked.description,
                "reason": asked.reason,
                "choices": _choices(asked),
            }
        case PlanRequest() as asked:
            return {"plan": asked.plan, "choices": _choices(asked)}


def _question(number: int, question: Question) -> dict[str, Any]:
    return {
        "number": number,
        "text": question.text,
        "header": question.header,
        "kind": str(question.kind),
        "multi_select": question.multi_select,
        "description": question.description,
        "options": [
            {
                "number": place,
                "label": option.label,
                "description": option.description,
                "recommended": option.recommended,
                "preview": option.preview,
            }
            for place, option in enumerate(question.options, 1)
        ],
        "minimum": question.minimum,
        "maximum": question.maximum,
        "step": question.step,
        "unit": question.unit,
        "default": question.default,
    }


def _choices(asked: PermissionRequest | PlanRequest) -> list[dict[str, Any]]:
    return [
        {
            "number": number,
            "label": choice.label,
            "holds": choice.where,
            "allows": choice.allows,
            "takes_note": choice.takes_text,
        }
        for number, choice in enumerate(choices_for(asked), 1)
    ]


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "selected": list(answer.selected),
        "other": answer.other,
        "note": answer.note,
        "empty": answer.empty,
        "unselected": answer.unselected,
    }


def _outcome(stored: StoredRequest) -> dict[str, Any] | None:
    outcome = stored.outcome
    if outcome is None:
        return None
    record: dict[str, Any] = {"kind": type(outcome).__name__.lower()}
    match outcome:
        case Answered(answers):
            record["answers"] = [_answer(answer) for answer in answers]
        case Discussed(text, answers):
            record |= {"text": text, "answers": [_answer(answer) for answer in answers]}
        case Denied(text):
            record["text"] = text
        case Allowed():
            record |= {"text": outcome.text, "for_longer": outcome.suggestion is not None}
            record |= {"mode": outcome.mode, "plan": outcome.plan}
        case Cancelled(reason):
            record["text"] = reason
        case _:
            pass
    return record
