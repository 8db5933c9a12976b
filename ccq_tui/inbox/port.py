"""The interface of the inbox, through which the program waits for a person."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Protocol

from ccq_tui.inbox.actors import WITHDRAWN, Actor
from ccq_tui.inbox.draft_fields import DraftField
from ccq_tui.inbox.requests import Request, RequestOutcome
from ccq_tui.inbox.verdicts import Verdict
from ccq_tui.inbox.waiting_line import Draft
from ccq_tui.processes import Owner, this_process
from ccq_tui.questions.recalled import Recalled

OPEN_HERE = "it is open in this terminal"


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run a session; only an inbox's `claim` gives it, and a CLI that resumes one needs it.

    Attributes:
        session_id: The Claude session id.
    """

    session_id: str


class ClaimLostError(Exception):
    """The session runs elsewhere already; the message is for a person.

    Attributes:
        owner: The process that runs it, which may be this one.
    """

    def __init__(self, owner: Owner) -> None:
        here = owner == this_process()
        super().__init__(OPEN_HERE if here else f"process {owner.pid} runs it")
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
        runs: Whether it is new, and this process's from now on.
    """

    directory: str | None = None
    name: str | None = None
    state: str | None = None
    cause: str = ""
    launch: Mapping[str, Any] | None = None
    last_line: str | None = None
    cost: float | None = None
    runs: bool = False

    def and_then(self, newer: SessionFact) -> SessionFact:
        """Return these facts, updated by newer ones."""
        known = {field.name: getattr(newer, field.name) for field in fields(newer)}
        known = {name: value for name, value in known.items() if value not in (None, "")}
        return replace(self, **known | {"runs": self.runs or newer.runs})


@dataclass(frozen=True, slots=True)
class Left:
    """A request of a session that is resumed.

    Attributes:
        request: The request.
        outcome: The person's decision, or None while it is pending.
        draft: Its draft, or None.
        recalled: The earlier answer to each question; empty if none is known.
        delivered: Whether the agent has the outcome already, as a message: the call's own result lacks it.
        earlier: Number of finished requests of the session from calls with the same id: a model server may
            use an id twice.
    """

    request: Request
    outcome: RequestOutcome | None = None
    draft: Draft | None = None
    recalled: tuple[Recalled | None, ...] = ()
    delivered: bool = False
    earlier: int = 0


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
class Settled:
    """A request has its outcome, from ``actor``, or None if unknown."""

    request: Request
    outcome: RequestOutcome
    actor: Actor | None


@dataclass(frozen=True, slots=True)
class DraftUpdated:
    """A surface of another process changed the draft of a request.

    Attributes:
        request: The request, which is still pending.
        draft: The draft on disk.
        actor: Who changed it, or None if unknown.
        known: The known values of each field that was not changed here since it was last on disk: its values
            here, and those that others gave it; None if nothing is known of the draft.
        typed: The newest text that a person typed here into each field.
    """

    request: Request
    draft: Draft
    actor: Actor | None
    known: Mapping[DraftField, tuple[object, ...]] | None = None
    typed: Mapping[DraftField, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InboxTrouble:
    """The disk takes no requests, so they stay in memory; ``message`` is for a person."""

    message: str


@dataclass(frozen=True, slots=True)
class InboxRenewed:
    """Requests are on disk again, in the file they were in or another one.

    Attributes:
        message: The event, for a person.
        another: Whether it is another file: lists must be read again.
    """

    message: str
    another: bool = False


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


@dataclass(frozen=True, slots=True)
class ParkWanted:
    """A park request, made in any process, for the process that runs the session.

    Attributes:
        session_id: The session.
        number: The park request's number, to accept or refuse it in the store.
        actor: Who asks for it.
    """

    session_id: str
    number: int
    actor: Actor


InboxChange = (
    Added | Settled | DraftUpdated | SessionNoted | Notified | ParkWanted | InboxTrouble | InboxRenewed
)
Listener = Callable[[InboxChange], None]


class InboxSessions(Protocol):
    """Sessions in an inbox: the process that runs each, and the requests left in it."""

    async def left(self, session_id: str) -> tuple[Left, ...]:
        """Return the requests of a session that earlier processes left pending or undelivered.

        Those delivered as a message are included, because the session's record does not show that.

        Args:
            session_id: The Claude session id.
        """

    def delivered(self, request_id: str, way: str) -> None:
        """Record, without waiting, that the agent was seen to receive a decision.

        Args:
            request_id: The request's id; one with nothing to deliver is ignored.
            way: "result" of the same call, or "message".
        """

    def give_up(self, request_id: str, reason: str) -> None:
        """Withdraw, without waiting, a decision that no process can take any more.

        Args:
            request_id: The request's id; one with nothing to deliver is ignored.
            reason: The reason, for a person.
        """

    async def claim(self, session_id: str) -> Claim:
        """Take the right to run a session, in one step that only one of several processes can win.

        Args:
            session_id: The Claude session id.

        Returns:
            The claim, to be given back with `release` when the session's process is gone.

        Raises:
            ClaimLostError: Another process, or another session of this one, runs it.
        """

    async def launch(self, session_id: str) -> Mapping[str, Any]:
        """Return the last launch options of a session; empty if unknown.

        Args:
            session_id: The Claude session id.
        """

    def release(self, session_id: str) -> None:
        """Give back the right to run a session, without waiting; do nothing if it is not held.

        Args:
            session_id: The Claude session id.
        """

    def note(self, session_id: str, fact: SessionFact) -> None:
        """Record facts about a session, without waiting.

        Args:
            session_id: The Claude session id.
            fact: The facts; where one is None, the stored value stays.
        """


class Inbox(Protocol):
    """All requests that wait for a person, on any surface."""

    @property
    def sessions(self) -> InboxSessions:
        """The sessions in the inbox."""

    async def ask(self, request: Request, context: str = "") -> RequestOutcome:
        """Wait, without limit, until the request has an outcome.

        All subscribers get `Added` once it is pending, also if it was pending before. Cancelling the wait
        withdraws the request: it then has the outcome `Cancelled`.

        Args:
            request: The request.
            context: The agent's text before it.

        Returns:
            The outcome.
        """

    async def answer(self, request_id: str, outcome: RequestOutcome, actor: Actor) -> Verdict:
        """Settle a request; the first answer wins.

        Args:
            request_id: The request's id.
            outcome: The outcome.
            actor: Who answers.

        Returns:
            Whether this call settled it, and if not, who did.

        Raises:
            InvalidOutcome: The request does not take this outcome (`ccq_tui.inbox.kinds`).
        """

    def withdraw(self, request_id: str, reason: str, actor: Actor = WITHDRAWN) -> None:
        """Settle a request as cancelled, without waiting, unless it is settled already.

        Args:
            request_id: The request's id; an unknown one is ignored.
            reason: The reason that nobody can answer any more, for a person.
            actor: Who withdraws it.
        """

    async def defer(self, request_id: str) -> bool:
        """Keep a pending request for its resumed session to ask again; see `leave`.

        Args:
            request_id: The request's id.

        Returns:
            Whether it is pending and will outlive this process.
        """

    def leave(self, request_id: str) -> None:
        """Keep a pending request: ending its wait in this process no longer withdraws it."""

    def save_draft(self, request_id: str, draft: Draft, actor: Actor) -> None:
        """Save the draft of a request, without waiting.

        Args:
            request_id: The request's id.
            draft: The draft.
            actor: Who selects and types.
        """

    async def load_draft(self, request: Request) -> Draft | None:
        """Return the state in which a request opens with its draft, or None when none is kept."""

    async def asked_before(self, request: Request) -> tuple[Recalled | None, ...]:
        """Return the earlier answer to each question of a set, or () if none is known."""

    async def close(self) -> bool:
        """Write what is not written yet, end, and return whether everything was written in time."""

    def subscribe(self, callback: Listener) -> Callable[[], None]:
        """Report every change from now on to ``callback``, an outcome before its asker has it.

        Args:
            callback: Called in the event loop; must not block.

        Returns:
            A function that ends the subscription; calling it again does nothing.
        """
