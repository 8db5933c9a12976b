"""The port of an adapter: what the service tells a ticket, and what people say there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ccq_tui.service.run import Run


class RetryLaterError(Exception):
    """A ticket could not be told for now.

    Attributes:
        seconds: How long to wait before the next try, as far as the other side says.
    """

    def __init__(self, problem: str, seconds: float = 0.0) -> None:
        super().__init__(problem)
        self.seconds = seconds


class RefusedError(Exception):
    """A ticket refuses what it is told, and would again; the message says why."""


class Adapter(Protocol):
    """Tells tickets what happens in their runs; each call may be repeated with the same ``key``.

    A call raises `RetryLaterError` or `RefusedError`; ``key`` is a UUID that identifies what is told.

    Attributes:
        name: Its name, which is the ``source`` of its runs.
    """

    name: str

    async def started(self, run: Run, key: str, page: str) -> None:
        """Tell that work begins; ``page`` is the address of the run's page, or ""."""

    async def said(self, run: Run, key: str, kind: str, text: str, parameter: str) -> None:
        """Tell what the session does.

        ``kind`` is "thought", "action" with a ``parameter``, or "plan": then ``parameter`` is its steps as
        JSON, each with "content" and "status" as Claude Code's list of tasks has them, and ``text`` the same
        for reading.
        """

    async def asked(self, run: Run, key: str, text: str, options: tuple[str, ...]) -> None:
        """Ask a question, in Markdown with numbered options; ``options`` are labels to choose one of."""

    async def answered(self, run: Run, key: str, text: str) -> None:
        """Tell that a question was answered elsewhere, and how."""

    async def ended(self, run: Run, key: str, end: str, text: str) -> None:
        """Tell the end; ``end`` is "response", "error" or "parked" (it waits on)."""


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
    """

    source: str
    ticket: str
    title: str
    prompt: str
    url: str = ""
    repository: str = ""
    about: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class TicketMessage:
    """What a person says in a ticket: an answer, or more to do.

    Attributes:
        source: The adapter's name.
        ticket: The adapter's id of the ticket.
        id: The adapter's id of the message: it is taken once.
        text: The text.
        author: The person's name, or "".
        stop: Whether it says to stop at once.
        new: The ticket, should the service not know it yet.
    """

    source: str
    ticket: str
    id: str
    text: str
    author: str = ""
    stop: bool = False
    new: NewTicket | None = None


Incoming = NewTicket | TicketMessage


class WebhookError(Exception):
    """A call of a webhook is refused; the message says why.

    Attributes:
        status: The HTTP status of the response.
    """

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status = status


@dataclass(frozen=True, slots=True)
class WebhookCall:
    """A verified call of a webhook.

    Attributes:
        id: Its id: the same when the sender repeats it.
        incoming: What it says, or None if that is nothing for the service.
    """

    id: str
    incoming: Incoming | None


class Webhook(Protocol):
    """Reads what the other side sends to ``/webhooks/NAME``."""

    def read(self, headers: Mapping[str, str], body: bytes) -> WebhookCall:
        """Verify and read a call; raises `WebhookError`.

        Args:
            headers: Its headers, by names in lower case.
            body: Its body, byte for byte.
        """
