"""The records that the store returns, and the words for states.

Each field of a type that `encoding.columns_of` knows is a column of its name: tables are made by these
records, and read and written by them. A new field needs a default, which earlier rows get.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.requests import Allowed, Denied, Request, RequestOutcome
from ccq_tui.processes import Owner

if TYPE_CHECKING:
    from ccq_tui.inbox.draft import Draft

Short = Annotated[str, "short"]
"""A text of which only the last 500 characters are kept."""
NOTIFIED = "notified"
"""The history's word for a message to the person, which is the cause of its row."""


class RequestState(StrEnum):
    """The state of a stored request."""

    PENDING = "pending"
    ANSWERED = "answered"
    DISCUSSED = "discussed"
    DECLINED = "declined"
    DISMISSED = "dismissed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    DELIVERED = "delivered"


LISTED = "listed"
"""The way of an outcome that its asker has read in a list; it still answers the same call, once."""
TO_DELIVER = tuple(one for one in RequestState if one not in ("pending", "cancelled", "delivered"))
"""States after a person decided, or let the time pass, and before the agent was seen to know."""


class SessionState(StrEnum):
    """The state of a session; only its process knows that it is queued."""

    QUEUED = "queued"
    STARTING = "starting"
    WORKING = "working"
    AWAITING = "awaiting"
    PARKED = "parked"
    IDLE = "idle"
    FAILED = "failed"
    ENDED = "ended"


class CommandKind(StrEnum):
    """What a session is to do."""

    PARK = "park"
    SEND = "send"
    INTERRUPT = "interrupt"
    END = "end"


class CommandState(StrEnum):
    """The state of a command; the last three are final."""

    OPEN = "open"
    TAKEN = "taken"
    """A process carries it out."""
    DONE = "done"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    """Nobody took it, and nobody waits for it any more."""


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """A request and its outcome.

    Attributes:
        number: Its place in the order of asking, for paging.
        request: The request.
        context: The agent's text before it.
        state: Its state.
        asked_at: The time at which it was first asked.
        deferred: Whether the resumed session asks it again as the same call.
        has_draft: Whether a draft is stored.
        asked_again: The number of the change by which it was asked again after a withdrawal, or 0.
        outcome: Its outcome, or None.
        actor: Who settled it, or None.
        settled_at: The time at which it was settled, or None.
        delivered_at: The time at which the agent was seen to have the outcome, or None.
        way: The way of the outcome: "result" of the same call or "message"; or "".
    """

    number: int
    request: Request
    context: str
    state: RequestState
    asked_at: datetime
    deferred: bool = False
    has_draft: bool = False
    asked_again: int = 0
    outcome: RequestOutcome | None = None
    actor: Actor | None = None
    settled_at: datetime | None = None
    delivered_at: datetime | None = None
    way: str = ""


OF_ANSWER = frozenset({"outcome", "actor", "settled_at", "delivered_at", "way"})
"""The fields of a request that are columns of its answer."""
FOUND = frozenset({"has_draft", "asked_again"})
"""Those that are in no table, but found out."""


@dataclass(frozen=True, slots=True)
class StoredDraft:
    """The draft of a request on disk.

    Attributes:
        request: The request.
        draft: The draft.
        actor: Who changed it last, or None if unknown.
        serial: Its place in the order of saving; of one to be saved, that of the draft it began from, or
            -1 to save it whatever is there.
        stale: Whether something was typed here before: that draft stays until a person takes this one over.
    """

    request: Request
    draft: "Draft"
    actor: Actor | None
    serial: int
    stale: bool = False

    @property
    def words(self) -> str:
        """Where the draft was changed, for a person."""
        return f"changed {self.actor.where_from_here if self.actor else 'on another surface'}"


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session as the inbox knows it.

    Attributes:
        id: The Claude session id.
        directory: Its working directory.
        name: Its name, or "".
        state: Its state.
        owner: The process that runs it, or None.
        started_at: The time at which it was first seen.
        changed_at: The time of the last change of anything about it.
        launch: Its launch options.
        last_line: The last line of its transcript.
        cost: Its cost so far, in US dollars.
        done: Whether the person marked it as done.
        labels: What its starter labelled it with.
    """

    id: str
    directory: str
    name: Short
    state: SessionState
    owner: Owner | None
    started_at: datetime
    changed_at: datetime
    launch: Mapping[str, Any] = field(default_factory=dict, hash=False)
    last_line: Short = ""
    cost: float = 0.0
    done: bool = False
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def labelled(self) -> str:
        """Its labels in one line: ``ticket=ABC-1 team=web``, or ""."""
        return " ".join(f"{key}={value}" for key, value in self.labels.items())

    def has(self, label: str) -> bool:
        """Whether it has a label, which is given as KEY or as KEY=VALUE."""
        key, valued, value = label.partition("=")
        return key in self.labels and (not valued or self.labels[key] == value)


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


@dataclass(frozen=True, slots=True)
class StoredCommand:
    """A command to a session.

    Attributes:
        number: Its place in the order of commands.
        kind: What is to be done.
        session_id: The session.
        actor: Who commands it.
        state: Its state.
        body: Its arguments.
        taker: The process that took it, or None.
        words: The reason of a refusal or the result, for a person, or "".
    """

    number: int
    kind: CommandKind
    session_id: str
    actor: Actor
    state: CommandState
    body: Mapping[str, Any] = field(default_factory=dict, hash=False)
    taker: Owner | None = None
    words: str = ""


class Presence(NamedTuple):
    """What one terminal program knows of its person.

    Attributes:
        focused: Whether its terminal is in focus; None if the terminal never reported that.
        at: The time of the last key press or report, which alone prove a person, in seconds since 1970.
    """

    focused: bool | None
    at: float


def state_after(outcome: RequestOutcome) -> RequestState:
    """Return the state of a request with an outcome."""
    match outcome:
        case Allowed():
            return RequestState.ANSWERED
        case Denied():
            return RequestState.DECLINED
        case _:
            return RequestState(type(outcome).__name__.lower())


def stamp(moment: datetime) -> str:
    """Write a time in UTC, in a form that sorts by time."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment(text: str) -> datetime:
    """Read a time that `stamp` wrote."""
    return datetime.fromisoformat(text)
