"""What waits for a person, and how the waiting ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ccq_tui.inbox import PermissionRequest, PlanRequest, QuestionRequest, RequestOutcome
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.waiting_line import Draft
from ccq_tui.questions.recalled import Recalled
from ccq_tui.questions.state import Arriving


@dataclass(frozen=True, slots=True)
class QuestionArriving:
    """A question set is being written, and a part of it can be read; nobody is asked it yet.

    Attributes:
        request: The set so far, under the id with which it will be asked.
        arriving: How much of it is here.
    """

    request: QuestionRequest
    arriving: Arriving


@dataclass(frozen=True, slots=True)
class ArrivingEnded:
    """A question set that was being written will not be asked; ``reason`` says why, for a person."""

    request_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """A question set waits for a person.

    Attributes:
        request: The set.
        draft: What was selected and typed for it before, or None.
        recalled: How each question was answered before; empty where nothing is known.
        by_message: Whether no call waits for it any more, so that its answer goes to the agent as a message.
    """

    request: QuestionRequest
    draft: Draft | None = None
    by_message: bool = False
    recalled: tuple[Recalled | None, ...] = ()


@dataclass(frozen=True, slots=True)
class PermissionAsked:
    """A tool call waits for permission; ``draft`` is what was typed for it before, or None."""

    request: PermissionRequest
    draft: Draft | None = None


@dataclass(frozen=True, slots=True)
class PlanProposed:
    """A plan waits for approval; ``draft`` is what was typed for it before, or None."""

    request: PlanRequest
    draft: Draft | None = None


@dataclass(frozen=True, slots=True)
class RequestParked:
    """A question set still waits, but in no process; it is shown again when its session goes on.

    Attributes:
        request_id: The request.
        deferred: Whether the same call asks it again then; else its answer goes as a message.
    """

    request_id: str
    deferred: bool


@dataclass(frozen=True, slots=True)
class AnswerNotKept:
    """The inbox did not take the outcome that was given for a request: it still waits."""

    request_id: str


@dataclass(frozen=True, slots=True)
class RequestSettled:
    """A request no longer waits: somebody answered, or it was cancelled.

    Attributes:
        request_id: The request.
        outcome: How it ended.
        actor: Who answered, or None if that is not known.
        at: When, where that was not just now: in a session's past.
    """

    request_id: str
    outcome: RequestOutcome
    actor: Actor | None = None
    at: datetime | None = None
