"""Requests asked in this process: the waits for their outcomes, subscribers, and earlier answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from ccq_tui.inbox.port import InboxChange, Listener
from ccq_tui.inbox.requests import QuestionRequest, Request, RequestOutcome
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.waiting_line import Draft
from ccq_tui.questions.model import Answer, Question
from ccq_tui.questions.outcome import Answered
from ccq_tui.questions.recalled import Recalled, reads_like

NEEDLE_CHARACTERS = 200
"""Most characters of a text to search for in the store; matches are then compared whole."""

_logger = logging.getLogger(__name__)


class Listeners:
    """The subscribers of an inbox, in one event loop."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def add(self, callback: Listener) -> Callable[[], None]:
        """Add a listener; return a function that ends the subscription, and does nothing if called again."""
        self._listeners.append(callback)

        def leave() -> None:
            if callback in self._listeners:
                self._listeners.remove(callback)

        return leave

    def tell(self, change: InboxChange) -> None:
        """Report a change to all listeners."""
        for listener in tuple(self._listeners):
            try:
                listener(change)
            except Exception:
                _logger.exception("A listener of the inbox failed")


def asked_before(store: Store, request: QuestionRequest) -> tuple[Recalled | None, ...]:
    """Return the earlier answer to each question of a set, or None: its directory first, then the newest.

    Returns () if none of them was answered before. Raises `InboxError` if the store cannot be read.
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
        if (found := _answer(one, question)) is not None and one.settled_at is not None:
            asked, answer = found
            return Recalled(answer, shown_day(one.settled_at), asked.text)
    return None


def _answer(stored: StoredRequest, question: Question) -> tuple[Question, Answer] | None:
    """Return a question of a stored set that reads like this one, with its answer."""
    if not isinstance(stored.request, QuestionRequest) or not isinstance(stored.outcome, Answered):
        return None
    pairs = zip(stored.request.questions.questions, stored.outcome.answers, strict=False)
    return next(
        (
            (one, answer)
            for one, answer in pairs
            if (answer.selected or answer.other) and reads_like(one, question)
        ),
        None,
    )


def shown_day(at: datetime, today: date | None = None) -> str:
    """Return the day of a moment for a person, with the time if it is today."""
    here, today = at.astimezone(), today or date.today()
    if here.date() == today:
        return f"today {here:%H:%M}"
    return f"on {here.day} {here:%b}" + (f" {here.year}" if here.year != today.year else "")


@dataclass(slots=True)
class Entry:
    """A request that is asked in this process.

    Attributes:
        request: The request.
        outcome: Its outcome, once it is settled.
        waiting: Number of callers that wait for the outcome.
        left: Whether the end of their wait no longer withdraws it.
    """

    request: Request
    outcome: asyncio.Future[RequestOutcome]
    waiting: int = 0
    left: bool = False

    async def wait(self, withdraw: Callable[[str], None]) -> RequestOutcome:
        """Wait, without limit, for the outcome, and return it."""
        self.left = False
        self.waiting += 1
        try:
            # Shielded, because a future dies with the first of its waiters.
            return await asyncio.shield(self.outcome)
        except asyncio.CancelledError as error:
            if self.waiting == 1 and not self.left:
                withdraw(str(error.args[0]) if error.args else "withdrawn")
            raise
        finally:
            self.waiting -= 1


@dataclass(slots=True)
class KeptEntry(Entry):
    """A request that is asked in this process and kept on disk.

    Attributes:
        told: Whether subscribers know that it is pending.
        in_memory: Whether the disk refused it.
        context: The agent's text before it.
        asked_at: The time at which it was asked here.
        recalled: Earlier answers to its questions.
        drafts: The draft that was on disk when it was asked, until a caller takes it.
    """

    written: asyncio.Task[None] | None = None
    told: bool = False
    in_memory: bool = False
    context: str = ""
    asked_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    recalled: tuple[Recalled | None, ...] = ()
    drafts: list[Draft | None] = field(default_factory=list)
