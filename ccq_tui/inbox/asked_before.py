"""Earlier answers to questions that read like new ones."""

from collections.abc import Iterable
from datetime import date, datetime

from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions.model import Question, Recalled, reads_like
from ccq_tui.questions.outcome import Answered


def asked_before(store: Store, request: QuestionRequest) -> tuple[Recalled | None, ...]:
    """Return the earlier answer to each question of a set, or None: its directory first, then the newest.

    Returns () if none of them was answered before. Raises `InboxError` if the store cannot be read.
    """
    questions = request.questions.questions
    directory = known.directory if (known := store.sessions.get(request.session_id)) else ""
    words = {text for one in questions for text in (one.text, *(option.label for option in one.options[:1]))}
    # Most characters of a text to search for in the store; matches are then compared whole.
    needles = sorted(text[:200] for text in words if text.strip())
    stored = store.requests.answered(needles, directory, without=request.id)
    found = tuple(_before(stored, question) for question in questions)
    return found if any(found) else ()


def _before(stored: Iterable[StoredRequest], question: Question) -> Recalled | None:
    """Return the answer to the first question of some stored sets that reads like this one."""
    for one in stored:
        if isinstance(one.request, QuestionRequest) and isinstance(one.outcome, Answered) and one.settled_at:
            for asked, answer in zip(one.request.questions.questions, one.outcome.answers, strict=False):
                if (answer.selected or answer.other) and reads_like(asked, question):
                    return Recalled(answer, shown_day(one.settled_at), asked.text)
    return None


def shown_day(at: datetime, today: date | None = None) -> str:
    """Return the day of a moment for a person, with the time if it is today."""
    here, today = at.astimezone(), today or date.today()
    if here.date() == today:
        return f"today {here:%H:%M}"
    return f"on {here.day} {here:%b}" + (f" {here.year}" if here.year != today.year else "")
