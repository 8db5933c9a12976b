"""An inbox on disk: it outlives every process, and several processes share it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from ccq_tui.inbox.actors import WITHDRAWN, Actor, Surface
from ccq_tui.inbox.durable_sessions import DurableSessions
from ccq_tui.inbox.entries import KeptEntry, Listeners, asked_before
from ccq_tui.inbox.held import Held
from ccq_tui.inbox.kinds import check_outcome
from ccq_tui.inbox.port import (
    Added,
    DraftUpdated,
    InboxRenewed,
    InboxTrouble,
    Listener,
    Notified,
    ParkWanted,
    SessionNoted,
    Settled,
)
from ccq_tui.inbox.requests import Cancelled, QuestionRequest, Request, RequestOutcome
from ccq_tui.inbox.retry_queue import RetryQueue
from ccq_tui.inbox.store.change_feed import ChangeFeed, News, Over
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.store.worker import Worker
from ccq_tui.inbox.verdicts import InboxError, InboxUnavailable, InvalidOutcome, Unknown, Verdict, Won
from ccq_tui.inbox.waiting_line import Draft
from ccq_tui.processes import this_process
from ccq_tui.questions.recalled import Recalled

_logger = logging.getLogger(__name__)
T = TypeVar("T")

ANSWER_SECONDS = 10.0
"""Most seconds for one task of the store's thread, including its wait for other processes."""
SWEEP_SECONDS = 1.0
"""Seconds between two looks for requests whose process has ended."""
MEMORY_NUMBERS = 1 << 62
"""First number of requests that are not on disk: after all that are."""
REPLACED = "The inbox was moved, deleted or replaced while in use; {} holds the open requests of this program"
AGAIN = "Questions are on disk again"


class DurableInbox:
    """`ccq_tui.inbox.port.Inbox` in a database, for one event loop; made by `open`.

    It reads every change, made here or in another process, back from the history and reports it from there,
    in one order. What the disk refuses stays in memory until the disk is back. If another file takes the
    path, the inbox writes into it what this process holds.

    Attributes:
        notice: A notice for the person about the opening, or "".
        recalls: Whether it looks up earlier answers to questions.
        sessions: The sessions in the inbox.
    """

    def __init__(self, path: Path) -> None:
        self.notice = ""
        self.recalls = True
        self._loop = asyncio.get_running_loop()
        self._entries: dict[str, KeptEntry] = {}
        self._settled_in_memory: set[str] = set()
        self._listeners = Listeners()
        self._troubled = False
        self._feed: ChangeFeed | None = None
        self._retries = RetryQueue(self.in_trouble)
        self._held = Held()
        self.sessions = DurableSessions(
            self.run, self.submit, self.in_trouble, self._retries, self._held, self._asked_before
        )
        self._swept = float("-inf")
        self._listens = False
        self._worker = Worker(
            path, self._leaving, self._opened_anew, self.in_trouble, self._write_owed, self._look, self._waits
        )

    @classmethod
    async def open(cls, path: Path) -> DurableInbox:
        """Open the database file, or make it, and return the inbox, to be closed with `close`.

        Raises:
            InboxTooNew: A newer program made the database.
            InboxUnavailable: It cannot be opened or written.
        """
        inbox = cls.begin(path)
        try:
            await inbox.opened()
        except BaseException:
            await inbox.close()
            raise
        return inbox

    @classmethod
    def begin(cls, path: Path) -> DurableInbox:
        """Return the inbox at once, to be closed with `close`, while its thread opens the database file.

        Calls wait until then; `opened` returns or raises the result of the opening.
        """
        inbox = cls(path)
        inbox._worker.start()
        return inbox

    async def opened(self) -> str:
        """Wait for the database, and return a notice for the person about the opening, or "".

        Raises:
            InboxTooNew: A newer program made the database.
            InboxUnavailable: It cannot be opened or written; everything stays in memory, and subscribers
                are notified when it can.
        """
        self.notice = await self._within(self._worker.opened)
        return self.notice

    def listen(self) -> None:
        """Record, without waiting, that this process shows requests to a person until the inbox closes."""
        self._listens = True
        self.submit(lambda store: store.listeners.add(this_process()))

    @property
    def pending(self) -> tuple[Request, ...]:
        """The pending requests that this process asked, oldest first."""
        return tuple(entry.request for entry in self._entries.values())

    def held(self, *, written: bool = False) -> list[StoredRequest]:
        """Return this process's pending requests that the disk refused, as if stored, oldest first.

        With ``written``, include those on disk.
        """
        entries = (entry for entry in self._entries.values() if entry.in_memory or (written and entry.told))
        return [
            StoredRequest(
                MEMORY_NUMBERS + at, entry.request, entry.context, RequestState.PENDING, entry.asked_at
            )
            for at, entry in enumerate(entries)
        ]

    async def run(self, work: Callable[[Store], T]) -> T:
        """Run ``work`` in the store's thread, after all work begun before, and return its result.

        ``work`` must not keep the store. Raises `InboxUnavailable` if the disk refuses it, or does not answer
        in time.
        """
        return await self._within(self._worker.submit(work))

    def submit(self, work: Callable[[Store], T]) -> Future[T]:
        """Like `run`, without waiting for the result."""
        return self._worker.submit(work)

    async def ask(self, request: Request, context: str = "") -> RequestOutcome:
        """Wait, without limit, until the request has an outcome; it is on disk before subscribers hear of it.

        A request that is pending already, here or since an earlier process, keeps its place and its draft.
        One that a person has decided has that outcome at once. Cancelling the wait withdraws the request,
        unless another caller waits for it too or `defer` or `leave` came before.
        """
        entry = self._entries.get(request.id)
        if entry is None:
            entry = self._entries[request.id] = KeptEntry(
                request, self._loop.create_future(), context=context
            )
            # Submitted now: a withdrawal that comes next must find it.
            adding = self._worker.submit(partial(self._add_first, entry, context))
            entry.written = self._loop.create_task(self._write(entry, context, adding), name="inbox request")
        elif entry.told:
            self._listeners.tell(Added(request, again=True))
        try:
            return await entry.wait(lambda reason: self.withdraw(request.id, reason))
        finally:
            if entry.left and not entry.waiting and self._entries.get(request.id) is entry:
                del self._entries[request.id]

    async def answer(self, request_id: str, outcome: RequestOutcome, actor: Actor) -> Verdict:
        """Settle a request of any process, as described in the port.

        Raises:
            InvalidOutcome: The request does not take this outcome.
            InboxUnavailable: The disk refused it, and the request is not one of this process.
        """

        def settle(store: Store) -> Verdict:
            verdict = store.requests.settle(request_id, outcome, actor)
            if isinstance(verdict, Won) and not self._held.has(request_id):
                self._held.request(store, store.requests.get(request_id))
            return verdict

        try:
            verdict = await self.run(settle)
        except InvalidOutcome:
            raise  # not the disk's fault, and a later try would fail too
        except InboxError as error:
            if request_id not in self._entries:
                raise
            return self._settle_in_memory(request_id, outcome, actor, error)
        entry = self._entries.get(request_id)
        if isinstance(verdict, Unknown) and entry is not None and entry.in_memory:
            return self._settle_in_memory(request_id, outcome, actor, None)
        return verdict

    def withdraw(self, request_id: str, reason: str, actor: Actor = WITHDRAWN) -> None:
        """Cancel a request, without waiting, unless it is settled or unknown; ``reason`` is for a person."""
        outcome = Cancelled(reason)

        def done(future: Future[Verdict]) -> None:
            self._post(self._withdrawn, request_id, outcome, actor, future)

        self._worker.submit(
            lambda store: store.requests.settle(request_id, outcome, actor)
        ).add_done_callback(done)

    async def defer(self, request_id: str) -> bool:
        """Keep a pending request for its resumed session to ask again; return whether it is still pending.

        See `leave`. Raises `InboxUnavailable` if the disk refuses it; then nothing is changed.
        """

        def defer(store: Store) -> bool:
            done = store.requests.defer(request_id)
            if done:
                self._held.deferred(request_id)
            return done

        done = await self.run(defer)
        if done:
            self.leave(request_id)
        return done

    def leave(self, request_id: str) -> None:
        """Keep a pending request: ending its wait in this process no longer withdraws it."""
        entry = self._entries.get(request_id)
        if entry is not None:
            entry.left = True

    def save_draft(self, request_id: str, draft: Draft, actor: Actor) -> None:
        """Save a draft within 250 ms, and before anything that is written after this call."""
        if entry := self._entries.get(request_id):
            entry.drafts.clear()
        self._retries.draft(request_id, draft, actor)

    def show_draft(self, request_id: str, draft: Draft, surface: Surface) -> None:
        """Record the draft that a surface got from another one of this process; it is no change by itself."""
        self._retries.shown(request_id, draft, surface)

    async def load_draft(self, request: Request) -> Draft | None:
        """Return the state in which a request opens with its draft, or None when none is kept.

        Raises:
            InboxUnavailable: The disk cannot be read.
        """
        unsaved, entry = self._retries.unsaved(request.id), self._entries.get(request.id)
        if unsaved is not None:
            return unsaved
        known = entry.drafts if entry is not None else []

        def load(store: Store) -> Draft | None:
            if not self._held.has(request.id):  # a surface has it open here, whichever session asked
                self._held.request(store, store.requests.get(request.id))
            return store.drafts.load(request)

        draft = known.pop() if known else await self.run(load)
        if draft is not None:
            self._retries.read(request.id, draft)
        return draft

    async def asked_before(self, request: Request) -> tuple[Recalled | None, ...]:
        """Return the earlier answer to each question of a set, or () if none is known.

        Raises:
            InboxUnavailable: The disk cannot be read.
        """
        if (entry := self._entries.get(request.id)) is not None:
            return entry.recalled
        return await self.run(lambda store: self._asked_before(store, request))

    def _asked_before(self, store: Store, request: Request) -> tuple[Recalled | None, ...]:
        if not self.recalls or not isinstance(request, QuestionRequest):
            return ()
        return asked_before(store, request)

    def subscribe(self, callback: Listener) -> Callable[[], None]:
        """Report every `InboxChange` of any process to ``callback``, an outcome before its asker has it.

        The callback runs in the event loop, in order, and must not block; what it raises is logged. Returns a
        function that ends the subscription; calling it again does nothing.
        """
        return self._listeners.add(callback)

    async def close(self, seconds: float = ANSWER_SECONDS) -> bool:
        """Write what is not written yet, end, and return whether that was done within ``seconds``."""
        return await asyncio.to_thread(self.end, seconds)

    def end(self, seconds: float = ANSWER_SECONDS) -> bool:
        """Do as `close` does, after the event loop has ended."""
        if self._listens:
            self.submit(lambda store: store.listeners.remove(this_process()))
        return self._worker.stop(seconds)

    async def _write(self, entry: KeptEntry, context: str, adding: Future[StoredRequest]) -> None:
        request = entry.request
        try:
            stored = await self._within(adding)
        except Exception as error:
            if not isinstance(error, InboxError):
                _logger.exception("A request was not written")
                error = InboxUnavailable(f"a request was not written: {type(error).__name__}")
            entry.in_memory = entry.told = True
            self._retries.refused(lambda store: self._add(store, request, context))
            self._trouble(error)
            self._listeners.tell(Added(request))
            return
        if stored.outcome is not None and stored.state is not RequestState.PENDING:
            self._told(Settled(request, stored.outcome, stored.actor))
        elif not entry.told:
            entry.told = True
            self._listeners.tell(Added(request, again=True))

    def _add_first(self, entry: KeptEntry, context: str, store: Store) -> StoredRequest:
        stored = self._add(store, entry.request, context)
        # A listener asks for its draft next; read now, it need not wait behind later work.
        with suppress(InboxError):  # then `load_draft` reads it once more, and raises
            entry.drafts.append(store.drafts.load(entry.request) if stored.has_draft else None)
            entry.recalled = self._asked_before(store, entry.request)
        return stored

    def _add(self, store: Store, request: Request, context: str) -> StoredRequest:
        stored = store.requests.add(request, context)
        self._held.request(store, stored)
        return stored

    def _leaving(self, store: Store) -> None:
        """Read the last changes of a database that lost its path, and complete it; in the store's thread."""
        try:
            while self._feed is not None and (news := self._feed.news()):
                self._take(news)
        except InboxError as error:
            _logger.warning("The end of a database that was replaced cannot be read: %s", error)
        store.database.finish()

    def _opened_anew(self, store: Store, another: bool) -> None:
        """Write what this process holds into a replacement database; in the store's thread."""
        tail = ChangeFeed(store, self._feed)
        found = self._held.write(store, tuple(self.sessions.running), self._retries.newest)
        if self._listens:
            store.listeners.add(this_process())
        self._feed = tail
        replaced = REPLACED.format("a new one" if store.database.is_new else "the one in its place")
        message = store.database.notice or (replaced if another else "")
        self._post(self._renewed, message, another, found)

    def _waits(self) -> bool:
        return bool(self._entries)

    def _renewed(self, message: str, another: bool, found: list[StoredRequest]) -> None:
        for stored in found:
            if stored.outcome is None:
                continue
            entry = self._entries.get(stored.request.id)
            self._settled_in_memory.discard(stored.request.id)
            if entry is not None:  # another process knew its outcome
                self._settle(Settled(entry.request, stored.outcome, stored.actor))
        if message:
            self._troubled = False
            self._listeners.tell(InboxRenewed(message, another))

    def _write_owed(self, store: Store) -> None:
        """Write what is owed, and withdraw the requests of dead processes; in the store's thread."""
        self._retries.write(store)
        if time.monotonic() - self._swept >= SWEEP_SECONDS:
            self._swept = time.monotonic()
            store.orphans.withdraw_all()

    def _look(self, store: Store) -> None:
        """Read changes, and hand them over; in the store's thread."""
        try:
            if self._feed is None:
                self._feed = ChangeFeed(store)
            shared = (self._feed.draft(*one) for one in self._retries.shared().items())
            news = [*self._feed.news(), *(one for one in shared if one is not None)]
        except InboxError as error:
            self.in_trouble(error)
            return
        if self._troubled and not self._retries.anything:
            self._post(self._recovered)  # before changes that others could make only after the write
        self._take(news)

    def _take(self, news: list[News]) -> None:
        """Update what is held by changes, and hand them to the event loop; in the store's thread."""
        for change in news:
            if isinstance(change, Over):
                self._held.over(change.request_id)
            elif isinstance(change, Settled):
                self._held.settled(change)
        if news:
            heard = self._retries.heard
            self._post(self._hear, [heard(one) if isinstance(one, DraftUpdated) else one for one in news])

    def _hear(self, news: list[News]) -> None:
        for change in news:
            if isinstance(change, DraftUpdated | SessionNoted | Notified | ParkWanted):
                self._listeners.tell(change)
            elif not isinstance(change, Over):
                self._told(change)

    def _told(self, change: Added | Settled) -> None:
        name = change.request.id
        if isinstance(change, Added):
            entry = self._entries.get(name)
            known = name in self._settled_in_memory
            if entry is not None:
                known = entry.in_memory
                entry.told, entry.in_memory = True, False
            if not known:  # else it was reported when the disk refused it
                self._listeners.tell(change)
        elif name in self._settled_in_memory:
            self._settled_in_memory.discard(name)
        else:
            self._settle(change)

    def _settle(self, change: Settled) -> None:
        entry = self._entries.pop(change.request.id, None)
        self._listeners.tell(change)
        self._retries.forget(change.request.id)
        if entry is not None and not entry.outcome.done():
            entry.outcome.set_result(change.outcome)

    def _settle_in_memory(
        self, request_id: str, outcome: RequestOutcome, actor: Actor, error: InboxError | None
    ) -> Verdict:
        entry = self._entries[request_id]
        check_outcome(entry.request, outcome)  # the store cannot do it
        self._retries.refused(lambda store: store.requests.settle(request_id, outcome, actor))
        if error is not None:
            self._trouble(error)
        self._settled_in_memory.add(request_id)
        self._settle(Settled(entry.request, outcome, actor))
        return Won()

    def _withdrawn(
        self, request_id: str, outcome: RequestOutcome, actor: Actor, future: Future[Verdict]
    ) -> None:
        error = future.exception()
        entry = self._entries.get(request_id)
        if isinstance(error, InboxError):
            if entry is not None:
                self._settle_in_memory(request_id, outcome, actor, error)
        elif error is not None:
            _logger.error("A request was not withdrawn: %s", type(error).__name__)
        elif isinstance(future.result(), Unknown) and entry is not None and entry.in_memory:
            self._settle_in_memory(request_id, outcome, actor, None)

    def in_trouble(self, error: InboxError) -> None:
        """Report that the disk refused something, which is tried again; from any thread."""
        self._post(self._trouble, error)

    def _recovered(self) -> None:
        if self._troubled and not self._retries.anything:
            self._troubled = False
            self._listeners.tell(InboxRenewed(AGAIN))

    def _trouble(self, error: InboxError) -> None:
        _logger.warning("The inbox goes on in memory: %s", type(error).__name__)
        if not self._troubled:
            self._troubled = True
            self._listeners.tell(InboxTrouble(str(error)))

    def _post(self, callback: Callable[..., None], *values: object) -> None:
        """Call something in the event loop, or ignore it once the loop has ended."""
        try:
            self._loop.call_soon_threadsafe(callback, *values)
        except RuntimeError:
            _logger.debug("The event loop ended before the inbox")

    async def _within(self, future: Future[T]) -> T:
        """Wait for the thread, at most `ANSWER_SECONDS`; its work is done even if the wait is cancelled."""
        try:
            # Not `asyncio.wait_for`: before Python 3.12 it loses a cancellation that comes with the answer.
            async with asyncio.timeout(ANSWER_SECONDS):
                return await asyncio.shield(asyncio.wrap_future(future))
        except TimeoutError as error:
            raise InboxUnavailable("the disk did not answer in time") from error
