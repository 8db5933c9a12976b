"""An inbox that lives and dies with its process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from ccq_tui.inbox.actors import WITHDRAWN, Actor
from ccq_tui.inbox.entries import Entry, Listeners
from ccq_tui.inbox.kinds import check_outcome
from ccq_tui.inbox.port import Added, Claim, Left, Listener, SessionFact, Settled
from ccq_tui.inbox.requests import Cancelled, Request, RequestOutcome
from ccq_tui.inbox.verdicts import AlreadySettled, Unknown, Verdict, Won
from ccq_tui.inbox.waiting_line import Draft
from ccq_tui.questions.recalled import Recalled

MOST_SETTLED = 1000
"""Outcomes remembered for answers that come too late."""


class MemorySessions:
    """`ccq_tui.inbox.port.InboxSessions` of one process.

    Args:
        left: Returns what waits in a session and nobody asks any more.
    """

    def __init__(self, left: Callable[[str], tuple[Left, ...]]) -> None:
        self._left = left

    async def left(self, session_id: str) -> tuple[Left, ...]:
        """Return what waits in a session and nobody asks any more; what was decided is delivered by then."""
        return self._left(session_id)

    def delivered(self, request_id: str, way: str) -> None:
        """Forget nothing: nobody asks for it later."""

    def give_up(self, request_id: str, reason: str) -> None:
        """Keep nothing: no decision outlives the process."""

    async def claim(self, session_id: str) -> Claim:
        """Return the claim: no other process knows of this inbox."""
        return Claim(session_id)

    async def launch(self, session_id: str) -> Mapping[str, Any]:
        """Know nothing of earlier processes."""
        return {}

    def release(self, session_id: str) -> None:
        """Keep nothing: nobody else could take it."""

    def note(self, session_id: str, fact: SessionFact) -> None:
        """Keep nothing: what is known of a session ends with the process."""


class MemoryInbox:
    """`ccq_tui.inbox.port.Inbox` in one process and one event loop.

    Requests wait in the order of their arrival; the first answer settles one.
    """

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._drafts: dict[str, Draft] = {}
        self._settled: dict[str, AlreadySettled] = {}
        self._listeners = Listeners()
        self.sessions = MemorySessions(self._left)

    @property
    def pending(self) -> tuple[Request, ...]:
        """What waits for a person, oldest first."""
        return tuple(entry.request for entry in self._entries.values())

    async def ask(self, request: Request, context: str = "") -> RequestOutcome:
        """Wait, without limit, until the request has an outcome.

        Asking again with the id of a request that still waits joins that wait. Cancelling the wait withdraws
        the request, unless somebody else waits for it too: it then has the outcome `Cancelled`, whose reason
        is the message the wait was cancelled with.
        """
        entry = self._entries.get(request.id)
        again = entry is not None
        if entry is None:
            entry = Entry(request, asyncio.get_running_loop().create_future())
            self._entries[request.id] = entry
        self._listeners.tell(Added(request, again=again))
        return await entry.wait(lambda reason: self.withdraw(request.id, reason))

    async def answer(self, request_id: str, outcome: RequestOutcome, actor: Actor) -> Verdict:
        """Settle a request, as the port has it."""
        if (entry := self._entries.get(request_id)) is not None:
            check_outcome(entry.request, outcome)
        return self._settle(request_id, outcome, actor)

    def withdraw(self, request_id: str, reason: str, actor: Actor = WITHDRAWN) -> None:
        """Settle a request as cancelled at once, unless it is settled already.

        Args:
            request_id: The request's id; one that is not known is passed over.
            reason: Why nobody can answer any more, for a person.
            actor: Who withdraws it.
        """
        self._settle(request_id, Cancelled(reason), actor)

    async def defer(self, request_id: str) -> bool:
        """Return False: nothing outlives this process, so nothing can be asked again after it."""
        return False

    def leave(self, request_id: str) -> None:
        """Keep a request that waits: ending its wait no longer withdraws it."""
        entry = self._entries.get(request_id)
        if entry is not None:
            entry.left = True

    def save_draft(self, request_id: str, draft: Draft, actor: Actor) -> None:
        """Keep what was selected and typed so far for a request that waits."""
        if request_id in self._entries:
            self._drafts[request_id] = draft

    async def load_draft(self, request: Request) -> Draft | None:
        """Return the draft of a request that waits, or None when none is kept."""
        return self._drafts.get(request.id)

    async def asked_before(self, request: Request) -> tuple[Recalled | None, ...]:
        """Return (): nothing outlives the process."""
        return ()

    async def close(self) -> bool:
        """Return True: there is nothing to write."""
        return True

    def subscribe(self, callback: Listener) -> Callable[[], None]:
        """Be told of every request that arrives or is settled from now on.

        Args:
            callback: Called in the event loop, in order, while the change is made; must not block. What it
                raises is logged and reaches neither the asker nor the answerer.

        Returns:
            A function that ends the subscription; calling it again does nothing.
        """
        return self._listeners.add(callback)

    def _left(self, session_id: str) -> tuple[Left, ...]:
        return tuple(
            Left(entry.request, draft=self._drafts.get(entry.request.id))
            for entry in self._entries.values()
            if entry.request.session_id == session_id and not entry.waiting
        )

    def _settle(self, request_id: str, outcome: RequestOutcome, actor: Actor) -> Verdict:
        entry = self._entries.pop(request_id, None)
        self._drafts.pop(request_id, None)
        if entry is None:
            return self._settled.get(request_id, Unknown())
        self._settled[request_id] = AlreadySettled(actor, datetime.now(UTC), outcome)
        if len(self._settled) > MOST_SETTLED:
            del self._settled[next(iter(self._settled))]
        entry.outcome.set_result(outcome)
        self._listeners.tell(Settled(entry.request, outcome, actor))
        return Won()
