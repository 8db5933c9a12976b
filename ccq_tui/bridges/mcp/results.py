"""Results of tool calls: structured content for programs, and text for a model."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from mcp import types

from ccq_tui.forms.record import record_for
from ccq_tui.inbox.requests import Cancelled, FormRequest, QuestionRequest
from ccq_tui.inbox.store.encoding import outcome_word
from ccq_tui.inbox.store.rows import StoredRequest, stamp
from ccq_tui.questions import Answer, Answered, Discussed, Kind, Outcome, Question, QuestionSet
from ccq_tui.questions.message import answers_as_result
from ccq_tui.questions.numbers import exact_number

LONG_AGO = timedelta(minutes=1)
"""An older answer was given before the call, and its result names the time."""


def text_result(text: str, *, is_error: bool = False) -> types.CallToolResult:
    """Return a result that is text alone."""
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=is_error)


def wrong_arguments(tool: str, problem: str) -> types.CallToolResult:
    """Return the result of a call with wrong arguments."""
    end = "" if problem.endswith("?") else "."
    return text_result(f"{tool}: {problem}{end} Nothing was done.", is_error=True)


def outcome_result(decided: StoredRequest, asked_at: datetime) -> types.CallToolResult:
    """Return the result for a decided request; ``asked_at`` is the begin of the call."""
    text, at = _outcome_text(decided), decided.settled_at
    if at is not None and asked_at - at > LONG_AGO and not isinstance(decided.outcome, Cancelled):
        text = f"{text}\n\n(This was decided at {at.astimezone(UTC):%Y-%m-%d %H:%M} UTC, before this call.)"
    return both(text, outcome_record(decided))


def list_result(waiting: Sequence[StoredRequest], answered: Sequence[StoredRequest]) -> types.CallToolResult:
    """Return the result for a list of a client's requests."""
    open_ones = [_waiting_record(one) for one in waiting]
    parts = [f"{len(open_ones)} waiting for the user."]
    parts += [f"- {'; '.join(one['questions'])}" for one in open_ones]
    for one in answered:
        asked = "; ".join(question.text for question in _questions(one).questions)
        parts.append(f"\nAnswered meanwhile: {asked}\n{_outcome_text(one)}")
    records = [outcome_record(one) for one in answered]
    return both("\n".join(parts), {"waiting": open_ones, "answered": records})


def outcome_record(decided: StoredRequest) -> dict[str, Any]:
    """Return the outcome of a question set in the tool's schema."""
    outcome = decided.outcome
    word = outcome_word(outcome) if isinstance(outcome, Outcome) else "withdrawn"
    record: dict[str, Any] = {"outcome": word, "request": decided.request.id}
    if isinstance(outcome, Discussed | Cancelled):
        record["text"] = outcome.text if isinstance(outcome, Discussed) else outcome.reason
    if isinstance(outcome, Answered) and isinstance(decided.request, FormRequest):
        record["record"] = record_for(decided)
    elif isinstance(outcome, Answered | Discussed):
        pairs = zip(_questions(decided).questions, outcome.answers, strict=False)
        record["answers"] = [_answer(*pair) for pair in pairs]
    return record | ({"answered_at": stamp(decided.settled_at)} if decided.settled_at is not None else {})


def _questions(stored: StoredRequest) -> QuestionSet:
    asked = stored.request
    return asked.questions if isinstance(asked, QuestionRequest | FormRequest) else QuestionSet("", ())


def _outcome_text(decided: StoredRequest) -> str:
    outcome = decided.outcome
    if isinstance(outcome, Outcome):
        return answers_as_result(_questions(decided), outcome)
    reason = outcome.reason if isinstance(outcome, Cancelled) else "it was decided in another way"
    return f"Nobody answered: {reason}. Nothing was chosen."


def _answer(question: Question, answer: Answer) -> dict[str, Any]:
    record: dict[str, Any] = {
        "question": question.text,
        "selected": list(answer.selected),
        "other": answer.other,
        "note": answer.note,
    }
    if question.kind is Kind.NUMBER and (number := exact_number(answer.other)) is not None:
        record["number"] = number
    return record


def _waiting_record(stored: StoredRequest) -> dict[str, Any]:
    questions = _questions(stored)
    return {
        "request": stored.request.id,
        "asked_at": stamp(stored.asked_at),
        "title": questions.title,
        "questions": [one.text for one in questions.questions],
    }


def both(text: str, record: dict[str, Any], *, is_error: bool = False) -> types.CallToolResult:
    """Return text and structured content; a client of an old protocol gets the text alone."""
    content = [types.TextContent(text=text)]
    return types.CallToolResult(content=content, structured_content=record, is_error=is_error)
