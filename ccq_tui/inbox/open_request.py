"""An open request: the one object of this process that knows its state, its draft and who waits for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Generic, Protocol, TypeVar

from ccq_tui.inbox.actors import WITHDRAWN, Actor
from ccq_tui.inbox.draft import Draft, first_draft
from ccq_tui.inbox.kinds import outcome_of
from ccq_tui.inbox.port import Parked, RequestChange, Settled
from ccq_tui.inbox.requests import Cancelled, Request, RequestOutcome
from ccq_tui.inbox.store.rows import RequestState, StoredDraft, StoredRequest, state_after
from ccq_tui.inbox.verdicts import Verdict
from ccq_tui.questions import Dismissed, Outcome
from ccq_tui.questions.model import Recalled
from ccq_tui.questions.state import Arriving

_logger = logging.getLogger(__name__)
T = TypeVar("T")

MEMORY_NUMBERS = 1 << 62
"""First number of requests that are not on disk: after all that are."""


class Signal(Generic[T]):
    """Subscribers in one event loop; the failure of one is logged and reaches no other."""

    def __init__(self) -> None:
        self._subscribers: list[Callable[[T], None]] = []

    def subscribe(self, callback: Callable[[T], None]) -> Callable[[], None]:
        """Add a subscriber; return a function that removes it, and does nothing if called again."""
        self._subscribers.append(callback)

        def unsubscribe() -> None:
            if callback in self._subscribers:
                self._subscribers.remove(callback)

        return unsubscribe

    def emit(self, value: T) -> None:
        """Call every subscriber."""
        for subscriber in tuple(self._subscribers):
            try:
                subscriber(value)
            except Exception:
                _logger.exception("A subscriber failed")


class RequestKeeper(Protocol):
    """Keeps a request: settles it, and writes its drafts."""

    def settle(self, request_id: str, outcome: RequestOutcome, actor: Actor) -> asyncio.Future[Verdict]:
        """Settle a request."""

    def owes_draft(self, opened: OpenRequest) -> bool:
        """Whether a draft is not on disk yet."""

    def save_soon(self, opened: OpenRequest) -> None:
        """Write a draft."""

    def forget_draft(self, opened: OpenRequest) -> None:
        """Leave the stored draft as it is."""

    def report(self, change: RequestChange, opened: OpenRequest | None) -> None:
        """Tell subscribers of a change."""


class OpenRequest:
    """A request that this process asks, shows or delivers; made by `Inbox`, changed in its event loop only.

    Attributes:
        stored: The request with its state, as far as this process knows.
        draft: The draft, or None while nothing is typed.
        version: The serial of the stored draft from which ``draft`` began.
        stale: A newer draft of another process that is not taken over yet, or None.
        recalled: The earlier answer to each question; empty if none is known.
        arriving: How much of a set is here that is still being written and not asked yet, or None.
        by_message: Whether no call waits for it any more: its answer goes to the agent as a message.
        changed: Emits every change, after the inbox's subscribers have it.
    """

    def __init__(self, inbox: RequestKeeper, stored: StoredRequest) -> None:
        self.stored = stored
        self.draft: Draft | None = None
        self.draft_actor: Actor | None = None
        self.version = 0
        self.stale: StoredDraft | None = None
        self.recalled: tuple[Recalled | None, ...] = ()
        self.arriving: Arriving | None = None
        self.by_message = False
        self.changed: Signal[RequestChange] = Signal()
        self.is_saved = True
        """Whether this state is on disk."""
        self.is_added = False
        """Whether subscribers know that it is pending."""
        self.is_left = False
        """Whether the end of the last wait no longer withdraws it."""
        self.is_touched = False
        """Whether something was typed here since the draft was read."""
        self.waiting = 0
        """Number of callers that wait for the outcome."""
        self.adding: asyncio.Task[None] | None = None
        """Writes the request and reads its draft."""
        self._inbox = inbox
        self._outcome: asyncio.Future[RequestOutcome] = asyncio.get_running_loop().create_future()

    @property
    def request(self) -> Request:
        """The request."""
        return self.stored.request

    @property
    def is_pending(self) -> bool:
        """Whether it waits for a person."""
        return self.stored.state is RequestState.PENDING and self.arriving is None

    @property
    def shown(self) -> Draft:
        """The draft with which it opens in a panel."""
        return replace(self.draft or first_draft(self.request), recalled=self.recalled)

    # -- surfaces -------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Note that a surface shows the draft as it is: only later input counts as typed on top of it."""
        self.is_touched = self._inbox.owes_draft(self)

    def type(self, draft: Draft, actor: Actor) -> None:
        """Change the draft; it is on disk within 250 ms, and before any later write."""
        self.draft, self.draft_actor, self.is_touched = draft, actor, True
        if self.arriving is None:
            self._inbox.save_soon(self)

    def take_over(self) -> Draft | None:
        """Take the newer draft of another process; return the draft that was typed here."""
        mine = self.draft
        if self.stale is not None:
            self._begin_from(self.stale)
        return mine

    def settle(self, outcome: RequestOutcome, actor: Actor) -> asyncio.Future[Verdict]:
        """Settle it; as `Inbox.settle`."""
        return self._inbox.settle(self.request.id, outcome, actor)

    def settle_by(self, end: Outcome | Dismissed, actor: Actor, edited: str = "") -> asyncio.Future[Verdict]:
        """Settle it by the end of its question set; ``edited`` is the plan as changed, or ""."""
        return self.settle(outcome_of(self.request, end, edited), actor)

    def withdraw(self, reason: str, actor: Actor = WITHDRAWN) -> None:
        """Cancel it without waiting, unless it is settled; ``reason`` is for a person."""
        self.settle(Cancelled(reason), actor)

    def leave(self) -> None:
        """Keep it pending: the end of the wait in this process no longer withdraws it."""
        self.is_left = True

    def park(self, *, deferred: bool) -> Parked:
        """Keep it pending without a process; see `Parked`."""
        self.leave()
        change = Parked(self.request, deferred)
        self._inbox.report(change, self)
        return change

    def end_arriving(self, reason: str) -> None:
        """Settle a set that was being written and will not be asked; ``reason`` is for a person."""
        self.arriving = None
        change = Settled(self.request, Cancelled(reason), WITHDRAWN)
        self.end(change)
        self._inbox.report(change, self)

    # -- waiting --------------------------------------------------------------------------------------------

    async def added(self) -> None:
        """Wait until it is pending or settled, and its draft is known."""
        if self.adding is not None:
            await asyncio.shield(self.adding)

    async def outcome(self) -> RequestOutcome:
        """Wait, without limit, for the outcome."""
        return await asyncio.shield(self._outcome)  # a future dies with the first of its waiters

    # -- the inbox ------------------------------------------------------------------------------------------

    def begin(self, request: Request, context: str) -> None:
        """Begin to be asked, for the first time or again."""
        number = self.stored.number
        self.stored = StoredRequest(number, request, context, RequestState.PENDING, datetime.now(UTC))
        self.is_saved = self.is_added = self.is_left = self.by_message = False
        self.arriving = None
        self._wait_anew()

    def add(self, request: Request) -> None:
        """Be pending on disk."""
        if not self.is_pending:
            self.stored = replace(self.stored, state=RequestState.PENDING, outcome=None, actor=None)
        self.stored = replace(self.stored, request=request)
        self.is_saved = self.is_added = True
        self._wait_anew()

    def _wait_anew(self) -> None:
        if self._outcome.done():
            self._outcome = asyncio.get_running_loop().create_future()

    def read(self, draft: StoredDraft | None, recalled: tuple[Recalled | None, ...]) -> None:
        """Take what the disk has, unless something was typed meanwhile."""
        self.recalled = recalled
        if draft is not None and not self.is_touched:
            self.draft, self.version = draft.draft, draft.serial

    def receive(self, change: StoredDraft) -> StoredDraft | None:
        """Take another process's change of the draft, or keep it until `take_over`; return it unless old."""
        if change.serial <= self.version or not self.is_pending:
            return None
        if self.is_touched:
            self.stale = replace(change, stale=True)
            return self.stale
        self._begin_from(change)
        return change

    def _begin_from(self, change: StoredDraft) -> None:
        self.draft, self.version = change.draft, change.serial
        self.stale, self.is_touched = None, False
        self._inbox.forget_draft(self)

    def end(self, change: Settled) -> None:
        """Be settled; `resolve` then wakes who waits."""
        self.stored = replace(
            self.stored,
            state=state_after(change.outcome),
            outcome=change.outcome,
            actor=change.actor,
            settled_at=datetime.now(UTC),
            deferred=False,
        )
        self.stale = None

    def resolve(self) -> None:
        """Give the outcome to who waits."""
        if not self._outcome.done() and self.stored.outcome is not None:
            self._outcome.set_result(self.stored.outcome)
