"""An inbox that lives and dies with its process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from ccq_tui.inbox.port import Added, InboxChange, Listener, Settled
from ccq_tui.inbox.requests import Cancelled, Request, RequestOutcome

_logger = logging.getLogger(__name__)

SURFACE_WITHDRAWN = "withdrawn"
"""The surface named when nobody answered because the asker no longer waits."""


@dataclass(slots=True)
class _Entry:
    request: Request
    outcome: asyncio.Future[RequestOutcome]
    waiting: int = field(default=0)


class MemoryInbox:
    """`ccq_tui.inbox.Inbox` in one process and one event loop.

    Requests wait in the order of their arrival; the first answer settles one.
    """

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._listeners: list[Listener] = []

    @property
    def pending(self) -> tuple[Request, ...]:
        """What waits for a person, oldest first."""
        return tuple(entry.request for entry in self._entries.values())

    async def ask(self, request: Request) -> RequestOutcome:
        """Wait, without limit, until the request has an outcome.

        Asking again with the id of a request that still waits joins that wait. Cancelling the wait withdraws
        the request, unless somebody else waits for it too: it then has the outcome `Cancelled`, whose reason
        is the message the wait was cancelled with.

        Args:
            request: What to ask.

        Returns:
            How the request was settled.
        """
        entry = self._entries.get(request.id)
        if entry is None:
            entry = _Entry(request, asyncio.get_running_loop().create_future())
            self._entries[request.id] = entry
            self._tell(Added(request))
        entry.waiting += 1
        try:
            # Shielded, because a future dies with the first of its waiters.
            return await asyncio.shield(entry.outcome)
        except asyncio.CancelledError as error:
            if entry.waiting == 1:
                reason = str(error.args[0]) if error.args else "withdrawn"
                self.answer(request.id, Cancelled(reason), SURFACE_WITHDRAWN)
            raise
        finally:
            entry.waiting -= 1

    def answer(self, request_id: str, outcome: RequestOutcome, surface: str) -> bool:
        """Settle a request; the first answer wins.

        Args:
            request_id: The request's id.
            outcome: How it ends.
            surface: Where it was answered, for example "panel".

        Returns:
            Whether this call settled it; False when it was settled before or is not known.
        """
        entry = self._entries.pop(request_id, None)
        if entry is None:
            return False
        entry.outcome.set_result(outcome)
        self._tell(Settled(entry.request, outcome, surface))
        return True

    def subscribe(self, callback: Listener) -> Callable[[], None]:
        """Be told of every request that arrives or is settled from now on.

        Args:
            callback: Called in the event loop, in order, while the change is made; must not block. What it
                raises is logged and reaches neither the asker nor the answerer.

        Returns:
            A function that ends the subscription; calling it again does nothing.
        """
        self._listeners.append(callback)

        def unsubscribe() -> None:
            if callback in self._listeners:
                self._listeners.remove(callback)

        return unsubscribe

    def _tell(self, change: InboxChange) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(change)
            except Exception:
                _logger.exception("A listener of the inbox failed")
