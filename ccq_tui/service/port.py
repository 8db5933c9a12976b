"""The port of an adapter: what the service sends to a ticket, and what people say there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.service.people import UNKNOWN, Involved, Participant
from ccq_tui.service.run import Run, RunEvent


class RetryLaterError(Exception):
    """A ticket cannot be reached for now.

    Attributes:
        seconds: How long to wait before the next try, as far as the other side says.
    """

    def __init__(self, problem: str, seconds: float = 0.0) -> None:
        super().__init__(problem)
        self.seconds = seconds


class RefusedError(Exception):
    """A ticket refuses what it is sent, and would again; the message says why."""


class Adapter(Protocol):
    """Reads what tickets say, and sends them what happens in their runs.

    What it calls raises `RetryLaterError` or `RefusedError`.

    Attributes:
        name: Its name, which is the ``source`` of its runs, and whose webhooks come to ``/webhooks/NAME``.
    """

    name: str

    def read(self, headers: Mapping[str, str], body: bytes) -> "Incoming | None":
        """Verify and read a webhook; return what it says, if that is for the service. Raises `ProblemError`.

        One may come again: tickets and messages are taken once, by their own ids.

        Args:
            headers: Its headers, by names in lower case.
            body: Its body, byte for byte.
        """

    async def send(self, run: Run, event: RunEvent, page: str) -> None:
        """Report what happened; the same event may be sent again.

        The details: ``kind`` ("thought" or "action"), ``text`` and ``parameter`` of what was said; ``text``
        in Markdown and ``options`` (labels to choose one of) of a question; ``text`` of an answer elsewhere,
        and of a run that is parked; ``end`` ("response" or "error") and ``text`` of an end.

        Args:
            run: The run.
            event: What happened; its id is a UUID.
            page: The address of the run's page, or "".
        """

    async def involved(self, run: Run) -> Involved:
        """Return whom the ticket names now, by their roles."""

    async def missed(self, run: Run) -> "Sequence[TicketMessage]":
        """Return what was said since the run was created, known or not, and what closed its ticket."""


@dataclass(frozen=True, slots=True)
class NewTicket:
    """A ticket that asks for work.

    Attributes:
        source: The adapter's name.
        ticket: The adapter's id of it.
        title: Its title.
        prompt: What is to be done.
        url: Where people see it, or "".
        repository: The repository that it names, or "" for the configuration to choose by ``about``.
        about: What the configuration may choose the repository by, such as a team, a project, labels.
        by_text: Whether ``repository`` stands in a text that anybody may have written.
        people: Whom it names, by their roles.
        person: Who asks for the work.
        kind: What kind of run it asks for, as `Run.kind`.
    """

    source: str
    ticket: str
    title: str
    prompt: str
    url: str = ""
    repository: str = ""
    about: Mapping[str, Any] | None = None
    by_text: bool = False
    people: Involved = field(default_factory=dict)
    person: Participant = UNKNOWN
    kind: str = ""


@dataclass(frozen=True, slots=True)
class TicketMessage:
    """What a person says in a ticket, or on the page of its run: an answer, or more to do.

    The surface of a stop that the ticket itself says, which was closed, is `Surface.LIMIT`.

    Attributes:
        source: The adapter's name.
        ticket: The adapter's id of the ticket.
        id: The adapter's id of the message: it is taken once.
        text: The text.
        person: Who says it.
        stop: Whether it says to stop at once.
        new: The ticket, should the service not know it yet.
        surface: Where it was said.
        meant: What it answers, as REQUEST:NUMBER of a question; "" for what the ticket was asked last.
    """

    source: str
    ticket: str
    id: str
    text: str
    person: Participant = UNKNOWN
    stop: bool = False
    new: NewTicket | None = None
    surface: Surface = Surface.TICKET
    meant: str = ""

    @property
    def actor(self) -> Actor:
        """Who says it, as the inbox and the audit name them."""
        return Actor(self.surface, self.person.called, device=self.person.id)


class TicketsChanged:
    """Something of tickets changed: what it was, they say themselves."""


Incoming = NewTicket | TicketMessage | TicketsChanged
