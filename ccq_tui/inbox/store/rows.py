"""What the store gives back, and the words for states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied, Request, RequestOutcome
from ccq_tui.processes import Owner
from ccq_tui.questions import Answered, Declined, Discussed, Dismissed, Expired

PUT_BACK = "written anew: the database is another file than the one it was asked in"
"""What the history says of a request that a process held."""


NOTIFIED = "notified"
"""What the history says of a session whose program told the person something, which is the cause."""


class RequestState(StrEnum):
    """What a stored request is."""

    PENDING = "pending"
    ANSWERED = "answered"
    DISCUSSED = "discussed"
    DECLINED = "declined"
    DISMISSED = "dismissed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    DELIVERED = "delivered"


TO_DELIVER = (
    RequestState.ANSWERED,
    RequestState.DISCUSSED,
    RequestState.DECLINED,
    RequestState.DISMISSED,
    RequestState.EXPIRED,
)
"""States in which a person has decided, or let the time pass, and the agent was not yet seen to know."""


class StoredSessionState(StrEnum):
    """What a stored session is."""

    STARTING = "starting"
    WORKING = "working"
    AWAITING = "awaiting"
    PARKED = "parked"
    IDLE = "idle"
    FAILED = "failed"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """A request and what became of it.

    Attributes:
        number: Its place in the order of asking, for paging.
        request: What was asked.
        context: What the agent wrote before it.
        state: What it is.
        asked_at: When it was first asked.
        deferred: Whether the resumed session asks it again as the same call.
        has_draft: Whether a draft is stored.
        outcome: How it was settled, or None.
        actor: Who settled it, or None.
        settled_at: When, or None.
        delivered_at: When the agent was seen to have it, or None.
        way: How it got there: "result" of the same call or "message"; or "".
    """

    number: int
    request: Request
    context: str
    state: RequestState
    asked_at: datetime
    deferred: bool = False
    has_draft: bool = False
    outcome: RequestOutcome | None = None
    actor: Actor | None = None
    settled_at: datetime | None = None
    delivered_at: datetime | None = None
    way: str = ""


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session as the inbox knows it.

    Attributes:
        id: The Claude session id.
        directory: Where it works.
        name: What the person calls it, or "".
        state: What it is doing.
        owner: The process that runs it, or None.
        started_at: When it was first seen.
        changed_at: When anything about it last changed.
        launch: What it was started with.
        last_line: The last line of its transcript.
        cost: What it cost so far, in US dollars.
        done: Whether the person marked it as done.
    """

    id: str
    directory: str
    name: str
    state: StoredSessionState
    owner: Owner | None
    started_at: datetime
    changed_at: datetime
    launch: Mapping[str, Any] = field(default_factory=dict, hash=False)
    last_line: str = ""
    cost: float = 0.0
    done: bool = False


@dataclass(frozen=True, slots=True)
class StoredStanding:
    """A session with what waits in it.

    Attributes:
        session: The session.
        waiting: How many of its requests wait.
        undelivered: How many answers to its questions were confirmed, and not seen to have reached the agent.
        since: When it began to do what it does.
    """

    session: StoredSession
    waiting: int
    since: datetime
    undelivered: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """One row of the history: a request, or where ``request_id`` is "" a session, changed its state."""

    number: int
    at: datetime
    session_id: str
    request_id: str
    was: str
    became: str
    cause: str
    actor: Actor | None


def state_after(outcome: RequestOutcome) -> RequestState:
    """Return what an outcome makes of a request."""
    match outcome:
        case Answered() | Allowed():
            return RequestState.ANSWERED
        case Discussed():
            return RequestState.DISCUSSED
        case Declined() | Denied():
            return RequestState.DECLINED
        case Dismissed():
            return RequestState.DISMISSED
        case Expired():
            return RequestState.EXPIRED
        case Cancelled():
            return RequestState.CANCELLED


def stamp(moment: datetime) -> str:
    """Write a time, in UTC and so that texts sort as times do."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment(text: str) -> datetime:
    """Read a time that `stamp` wrote."""
    return datetime.fromisoformat(text)
