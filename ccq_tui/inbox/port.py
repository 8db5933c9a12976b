"""The interface behind which all waiting for a person sits."""

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
    """Something else runs the session; the message is for a person.

    Attributes:
        owner: The process that runs it, which may be this one.
    """

    def __init__(self, owner: Owner) -> None:
        here = owner == this_process()
        super().__init__(OPEN_HERE if here else f"process {owner.pid} runs it")
        self.owner = owner


@dataclass(frozen=True, slots=True)
class SessionFact:
    """What became known of a session; None for what did not.

    Attributes:
        directory: Where it works.
        name: What the person calls it.
        first_name: What it is called while nobody has named it.
        state: What it is doing, in the program's word.
        cause: Why it does that now, for the history.
        launch: What it was started with, as JSON knows it.
        last_line: The last line of its transcript.
        cost: What it cost so far, in US dollars.
        runs: Whether it is new, and this process's from now on.
    """

    directory: str | None = None
    name: str | None = None
    first_name: str | None = None
    state: str | None = None
    cause: str = ""
    launch: Mapping[str, Any] | None = None
    last_line: str | None = None
    cost: float | None = None
    runs: bool = False

    def and_then(self, newer: SessionFact) -> SessionFact:
        """Return what is known when something newer became known, too."""
        known = {field.name: getattr(newer, field.name) for field in fields(newer)}
        known = {name: value for name, value in known.items() if value not in (None, "")}
        return replace(self, **known | {"runs": self.runs or newer.runs})


@dataclass(frozen=True, slots=True)
class Left:
    """A request of a session that is resumed.

    Attributes:
        request: The request.
        outcome: What a person decided and the agent was not seen to have, or None while it waits.
        draft: What was selected and typed for it, or None.
        recalled: How each question was answered before; empty where nothing is known.
        delivered: Whether the agent has the outcome already, as a message: the call's own result lacks it.
        earlier: How many finished requests of the session came from calls with the same id: a server of
            models may use one twice.
    """

    request: Request
    outcome: RequestOutcome | None = None
    draft: Draft | None = None
    recalled: tuple[Recalled | None, ...] = ()
    delivered: bool = False
    earlier: int = 0


@dataclass(frozen=True, slots=True)
class Added:
    """A request waits and, where the inbox is durable, is on disk.

    Attributes:
        request: The request.
        again: Whether it waited before: it was asked again, and its draft stands.
    """

    request: Request
    again: bool = False


@dataclass(frozen=True, slots=True)
class Settled:
    """A request has its outcome; ``actor`` says from whom, where that is known."""

    request: Request
    outcome: RequestOutcome
    actor: Actor | None


@dataclass(frozen=True, slots=True)
class DraftUpdated:
    """What was selected and typed for a request was changed on a surface of another process.

    Attributes:
        request: The request; it still waits.
        draft: The draft on disk.
        actor: Who changed it, or None where that is not known.
        known: What was known here of each field that was not changed here since it was last on disk: what
            it was here, and what others changed it into; None where nothing is known of the draft.
        typed: The newest text that a person typed here into each field.
    """

    request: Request
    draft: Draft
    actor: Actor | None
    known: Mapping[DraftField, tuple[object, ...]] | None = None
    typed: Mapping[DraftField, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InboxTrouble:
    """Requests can no longer be kept on disk and go on in memory; ``message`` is for a person."""

    message: str


@dataclass(frozen=True, slots=True)
class InboxRenewed:
    """Requests are on disk again, in the file they were in or another one.

    Attributes:
        message: What happened, for a person.
        another: Whether it is another file: lists are to be read anew.
    """

    message: str
    another: bool = False


@dataclass(frozen=True, slots=True)
class SessionNoted:
    """A session does something else now, or the person is done with it, in whichever process."""

    session_id: str


@dataclass(frozen=True, slots=True)
class Notified:
    """Something else than a session of ours told the person something.

    Attributes:
        name: What people call it.
        message: What it told.
    """

    name: str
    message: str


@dataclass(frozen=True, slots=True)
class ParkWanted:
    """Somebody, in whichever process, wishes that a session be parked by the process that runs it.

    Attributes:
        session_id: The session.
        number: The wish, to be taken on or refused in the store.
        actor: Who wishes it.
    """

    session_id: str
    number: int
    actor: Actor


InboxChange = (
    Added | Settled | DraftUpdated | SessionNoted | Notified | ParkWanted | InboxTrouble | InboxRenewed
)
Listener = Callable[[InboxChange], None]


class InboxSessions(Protocol):
    """What an inbox keeps of sessions: which process runs one, and what is left of its requests."""

    async def left(self, session_id: str) -> tuple[Left, ...]:
        """Return what waits in a session, or was decided and not delivered, since an earlier process.

        What was delivered as a message is among it, for the session's record does not say so.

        Args:
            session_id: The Claude session id.
        """
        ...

    def delivered(self, request_id: str, way: str) -> None:
        """Note, soon and without waiting, that the agent was seen to have what was decided.

        Args:
            request_id: The request's id; one that has nothing to deliver is passed over.
            way: "result" of the same call, or "message".
        """
        ...

    def give_up(self, request_id: str, reason: str) -> None:
        """Withdraw, soon and without waiting, what was decided and no process can take any more.

        Args:
            request_id: The request's id; one that has nothing to deliver is passed over.
            reason: Why, for a person.
        """
        ...

    async def claim(self, session_id: str) -> Claim:
        """Take the right to run a session, in one step that only one of several processes can win.

        Args:
            session_id: The Claude session id.

        Returns:
            The claim, to be given back with `release` when the session's process is gone.

        Raises:
            ClaimLostError: Another process, or another session of this one, runs it.
        """
        ...

    async def launch(self, session_id: str) -> Mapping[str, Any]:
        """Return what a session was started with the last time; nothing where that is not known.

        Args:
            session_id: The Claude session id.
        """
        ...

    def release(self, session_id: str) -> None:
        """Give back the right to run a session, soon and without waiting; one that is not held stays.

        Args:
            session_id: The Claude session id.
        """
        ...

    def note(self, session_id: str, fact: SessionFact) -> None:
        """Keep what is known of a session, soon and without waiting.

        Args:
            session_id: The Claude session id.
            fact: What is known; what is None in it stays as it was.
        """
        ...


class Inbox(Protocol):
    """All requests that wait for a person, on any surface."""

    @property
    def sessions(self) -> InboxSessions:
        """What it keeps of sessions."""
        ...

    async def ask(self, request: Request, context: str = "") -> RequestOutcome:
        """Wait, without limit, until the request has an outcome.

        `Added` is told to all subscribers once it waits, also when it waited before. Cancelling the wait
        withdraws the request: it then has the outcome `Cancelled`.

        Args:
            request: What to ask.
            context: What the agent wrote before it asked.

        Returns:
            How the request was settled.
        """
        ...

    async def answer(self, request_id: str, outcome: RequestOutcome, actor: Actor) -> Verdict:
        """Settle a request; the first answer wins.

        Args:
            request_id: The request's id.
            outcome: How it ends.
            actor: Who answers.

        Returns:
            Whether this call settled it; when it did not, who did.

        Raises:
            InvalidOutcome: The request does not take this outcome (`ccq_tui.inbox.kinds`).
        """
        ...

    def withdraw(self, request_id: str, reason: str, actor: Actor = WITHDRAWN) -> None:
        """Settle a request as cancelled, soon and without waiting, unless it is settled already.

        Args:
            request_id: The request's id; one that is not known is passed over.
            reason: Why nobody can answer any more, for a person.
            actor: Who withdraws it.
        """
        ...

    async def defer(self, request_id: str) -> bool:
        """Keep a request that waits, for its resumed session to ask again; see `leave`.

        Args:
            request_id: The request's id.

        Returns:
            Whether it waits and will outlive this process.
        """
        ...

    def leave(self, request_id: str) -> None:
        """Keep a request that waits: ending its wait in this process no longer withdraws it."""
        ...

    def save_draft(self, request_id: str, draft: Draft, actor: Actor) -> None:
        """Keep what was selected and typed so far, soon and without waiting.

        Args:
            request_id: The request's id.
            draft: The draft.
            actor: Who selects and types.
        """
        ...

    async def load_draft(self, request: Request) -> Draft | None:
        """Return the state in which a request opens with its draft, or None when none is kept."""
        ...

    async def asked_before(self, request: Request) -> tuple[Recalled | None, ...]:
        """Return how each question of a set was answered before, or () where nothing is known."""
        ...

    async def close(self) -> bool:
        """Write what is not written yet, and end; whether everything was written in time."""
        ...

    def subscribe(self, callback: Listener) -> Callable[[], None]:
        """Be told of every request that arrives or is settled from now on, before its asker is.

        Args:
            callback: Called in the event loop; must not block.

        Returns:
            A function that ends the subscription; calling it again does nothing.
        """
        ...
