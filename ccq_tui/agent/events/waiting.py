"""What waits for a person, and how the waiting ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ccq_tui.inbox import PermissionRequest, PlanRequest, QuestionRequest, RequestOutcome


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """A question set waits for a person."""

    request: QuestionRequest


@dataclass(frozen=True, slots=True)
class PermissionAsked:
    """A tool call waits for permission."""

    request: PermissionRequest


@dataclass(frozen=True, slots=True)
class PlanProposed:
    """A plan waits for approval."""

    request: PlanRequest


@dataclass(frozen=True, slots=True)
class RequestSettled:
    """A request no longer waits: somebody answered, or it was cancelled.

    Attributes:
        request_id: The request.
        outcome: How it ended.
        surface: Where it was answered, for example "panel", or "" if that is not known.
        at: When, where that was not just now: in a session's past.
    """

    request_id: str
    outcome: RequestOutcome
    surface: str = ""
    at: datetime | None = None
