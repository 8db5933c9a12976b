"""The inbox's claims, facts and changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.requests import QuestionRequest, Request, RequestOutcome
from ccq_tui.inbox.store.rows import StoredCommand, StoredDraft
from ccq_tui.processes import Owner, this_process
from ccq_tui.questions.state import Arriving

OPEN_HERE = "it is open in this terminal"


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run a session; only an inbox's `claim` gives it, and a CLI that resumes one needs it.

    Attributes:
        session_id: The Claude session id.
    """

    session_id: str


@dataclass(frozen=True, slots=True)
class KnownPast:
    """What the inbox knows of a session that is about to be resumed.

    Attributes:
        launch: Its last launch options.
        asked: The calls of its question sets so far.
        left: The calls whose requests wait, or have an outcome that the agent was not seen to have.
    """

    launch: Mapping[str, Any] = field(default_factory=dict)
    asked: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()


class ClaimLostError(Exception):
    """The session runs elsewhere already; the message is for a person.

    Attributes:
        owner: The process that runs it, which may be this one.
    """

    def __init__(self, owner: Owner) -> None:
        super().__init__(OPEN_HERE if owner == this_process() else f"process {owner.pid} runs it")
        self.owner = owner


@dataclass(frozen=True, slots=True)
class SessionFact:
    """New facts about a session; None where nothing is new.

    Attributes:
        directory: Its working directory.
        name: Its name.
        state: Its state, in the program's word.
        cause: The cause of that state, for the history.
        launch: Its launch options, as JSON values.
        last_line: The last line of its transcript.
        cost: Its cost so far, in US dollars.
        labels: Its labels.
        runs: Whether it is new, and this process's from now on.
    """

    directory: str | None = None
    name: str | None = None
    state: str | None = None
    cause: str = ""
    launch: Mapping[str, Any] | None = None
    last_line: str | None = None
    cost: float | None = None
    labels: Mapping[str, str] | None = None
    runs: bool = False


@dataclass(frozen=True, slots=True)
class Added:
    """A request is pending and, in a durable inbox, on disk.

    Attributes:
        request: The request.
        again: Whether it was pending before: it was asked again, and keeps its draft.
    """

    request: Request
    again: bool = False


@dataclass(frozen=True, slots=True)
class Grown:
    """More of a question set was written; nobody is asked it yet.

    Attributes:
        request: The set so far, under the id with which it will be asked.
        arriving: The number of complete questions, and whether all of the set has arrived.
    """

    request: QuestionRequest
    arriving: Arriving


@dataclass(frozen=True, slots=True)
class Parked:
    """A request waits without a process.

    Attributes:
        request: The request.
        deferred: Whether the resumed session asks it again; else its answer goes as a message.
    """

    request: Request
    deferred: bool


@dataclass(frozen=True, slots=True)
class Settled:
    """A request has its outcome, from ``actor``, or None if unknown."""

    request: Request
    outcome: RequestOutcome
    actor: Actor | None


@dataclass(frozen=True, slots=True)
class Delivered:
    """The agent was seen to have the outcome of a request."""

    request_id: str


@dataclass(frozen=True, slots=True)
class InboxTrouble:
    """The disk takes no requests, so they stay in memory; ``message`` is for a person."""

    message: str


@dataclass(frozen=True, slots=True)
class InboxRenewed:
    """Requests are on disk again, perhaps in another file: lists must be read again."""

    message: str


@dataclass(frozen=True, slots=True)
class SessionNoted:
    """A session changed its state, or the person is done with it, in any process."""

    session_id: str


@dataclass(frozen=True, slots=True)
class Notified:
    """A sender other than a session of ours has a message for the person.

    Attributes:
        name: The sender's name for people.
        message: The message.
    """

    name: str
    message: str


RequestChange = Added | Grown | StoredDraft | Parked | Settled
InboxChange = (
    RequestChange | Delivered | SessionNoted | Notified | StoredCommand | InboxTrouble | InboxRenewed
)
