"""The interface behind which all waiting for a person sits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ccq_tui.inbox.requests import Request, RequestOutcome


@dataclass(frozen=True, slots=True)
class Added:
    """A request arrived."""

    request: Request


@dataclass(frozen=True, slots=True)
class Settled:
    """A request has its outcome; ``surface`` says where it came from."""

    request: Request
    outcome: RequestOutcome
    surface: str


InboxChange = Added | Settled
Listener = Callable[[InboxChange], None]


class Inbox(Protocol):
    """All requests that wait for a person, whoever answers them."""

    async def ask(self, request: Request) -> RequestOutcome:
        """Wait, without limit, until the request has an outcome.

        Cancelling the wait withdraws the request: it then has the outcome `Cancelled`.
        """
        ...

    def answer(self, request_id: str, outcome: RequestOutcome, surface: str) -> bool:
        """Settle a request; the first answer wins.

        Args:
            request_id: The request's id.
            outcome: How it ends.
            surface: Where it was answered, for example "panel".

        Returns:
            Whether this call settled it; False when it was settled before or is not known.
        """
        ...

    def subscribe(self, callback: Listener) -> Callable[[], None]:
        """Be told of every request that arrives or is settled from now on, before its asker is.

        Args:
            callback: Called in the event loop; must not block.

        Returns:
            A function that ends the subscription; calling it again does nothing.
        """
        ...
