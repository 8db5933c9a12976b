"""Results of tool calls: structured content for programs, and text for a model."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any

from mcp import types

from ccq_tui.inbox.requests import Cancelled, QuestionRequest, RequestOutcome
from ccq_tui.inbox.store.encoding import outcome_word
from ccq_tui.inbox.store.rows import StoredRequest, stamp
from ccq_tui.questions import Answer, Answered, Discussed, Kind, Outcome, Question, QuestionSet
from ccq_tui.questions.message import answers_as_result

LONG_AGO = timedelta(minutes=1)
"""An older answer was given before the call, and its result names the time."""


def text_result(text: str, *, is_error: bool = False) -> types.CallToolResult:
    """Return a result that is text alone."""
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=is_error)


def wrong_arguments(tool: str, problem: str) -> types.CallToolResult:
    """Return the result of a call with wrong arguments."""
    return text_result(f"{tool}: {problem}. Nothing was done; correct this and call it again.", is_error=True)


def outcome_result(
    request: QuestionRequest, outcome: RequestOutcome, at: datetime | None, asked_at: datetime
) -> types.CallToolResult:
    """Return the result for an outcome; ``at`` is its time, if known, ``asked_at`` the begin of the call."""
    text = _outcome_text(request.questions, outcome)
    if at is not None and asked_at - at > LONG_AGO and not isinstance(outcome, Cancelled):
        text = f"{text}\n\n(This was decided at {at.astimezone(UTC):%Y-%m-%d %H:%M} UTC, before this call.)"
    return _both(text, outcome_record(request, outcome, at))


def list_result(waiting: Sequence[StoredRequest], answered: Sequence[StoredRequest]) -> types.CallToolResult:
    """Return the result for a list of a client's requests."""
    open_ones = [_waiting_record(one) for one in waiting]
    done = [
        (one.request, one.outcome, one.settled_at)
        for one in answered
        if one.outcome is not None and isinstance(one.request, QuestionRequest)
    ]
    parts = [f"{len(open_ones)} waiting for the user."]
    parts += [f"- {'; '.join(one['questions'])}" for one in open_ones]
    for request, outcome, _ in done:
        asked = "; ".join(question.text for question in request.questions.questions)
        parts.append(f"\nAnswered meanwhile: {asked}\n{_outcome_text(request.questions, outcome)}")
    records = [outcome_record(*one) for one in done]
    return _both("\n".join(parts), {"waiting": open_ones, "answered": records})


def outcome_record(request: QuestionRequest, outcome: RequestOutcome, at: datetime | None) -> dict[str, Any]:
    """Return the outcome of a question set in the tool's schema."""
    word = outcome_word(outcome) if isinstance(outcome, Outcome) else "withdrawn"
    record: dict[str, Any] = {"outcome": word, "request": request.id}
    if isinstance(outcome, Discussed | Cancelled):
        record["text"] = outcome.text if isinstance(outcome, Discussed) else outcome.reason
    if isinstance(outcome, Answered | Discussed):
        pairs = zip(request.questions.questions, outcome.answers, strict=False)
        record["answers"] = [_answer(*pair) for pair in pairs]
    return record | ({"answered_at": stamp(at)} if at is not None else {})


def _outcome_text(questions: QuestionSet, outcome: RequestOutcome) -> str:
    if isinstance(outcome, Outcome):
        return answers_as_result(questions, outcome)
    reason = outcome.reason if isinstance(outcome, Cancelled) else "it was decided in another way"
    return f"Nobody answered: {reason}. Nothing was chosen."


def _answer(question: Question, answer: Answer) -> dict[str, Any]:
    record: dict[str, Any] = {
        "question": question.text,
        "selected": list(answer.selected),
        "other": answer.other,
        "note": answer.note,
    }
    if question.kind is Kind.NUMBER and answer.other and isfinite(number := float(answer.other)):
        record["number"] = int(number) if number.is_integer() else number
    return record


def _waiting_record(stored: StoredRequest) -> dict[str, Any]:
    questions = stored.request.questions if isinstance(stored.request, QuestionRequest) else None
    return {
        "request": stored.request.id,
        "asked_at": stamp(stored.asked_at),
        "title": questions.title if questions else "",
        "questions": [one.text for one in questions.questions] if questions else [],
    }


def _both(text: str, record: dict[str, Any]) -> types.CallToolResult:
    """Return text and structured content; a client of an old protocol gets the text alone."""
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=record)
