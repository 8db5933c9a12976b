"""Earlier answers to questions that read the same, looked up in the store."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions.model import Answer, Question
from ccq_tui.questions.outcome import Answered
from ccq_tui.questions.recalled import Recalled, reads_like

NEEDLE_CHARACTERS = 200
"""Of a text so much is looked for in the store; what is found is compared whole."""


def asked_before(store: Store, request: QuestionRequest) -> tuple[Recalled | None, ...]:
    """Find how each question of a set was answered before: in its directory first, the newest answer first.

    Args:
        store: Where requests and answers are.
        request: The set.

    Returns:
        An answer or None for each question; empty where none was found.

    Raises:
        InboxError: The store cannot be read.
    """
    questions = request.questions.questions
    directory = known.directory if (known := store.sessions.get(request.session_id)) else ""
    words = {text for one in questions for text in (one.text, *(option.label for option in one.options[:1]))}
    needles = sorted(text[:NEEDLE_CHARACTERS] for text in words if text.strip())
    stored = store.requests.answered(needles, directory, without=request.id)
    found = tuple(_before(stored, question) for question in questions)
    return found if any(found) else ()


def _before(stored: Iterable[StoredRequest], question: Question) -> Recalled | None:
    for one in stored:
        if (answer := _answer(one, question)) is not None and one.settled_at is not None:
            return Recalled(answer, shown_day(one.settled_at))
    return None


def _answer(stored: StoredRequest, question: Question) -> Answer | None:
    """Return what a stored set answered to a question that reads like this one."""
    if not isinstance(stored.request, QuestionRequest) or not isinstance(stored.outcome, Answered):
        return None
    pairs = zip(stored.request.questions.questions, stored.outcome.answers, strict=False)
    return next(
        (answer for one, answer in pairs if (answer.selected or answer.other) and reads_like(one, question)),
        None,
    )


def shown_day(at: datetime, today: date | None = None) -> str:
    """Return the day of a moment as a person reads it, with the time for today."""
    here, today = at.astimezone(), today or date.today()
    if here.date() == today:
        return f"today {here:%H:%M}"
    return f"on {here.day} {here:%b}" + (f" {here.year}" if here.year != today.year else "")
