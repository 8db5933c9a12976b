"""The inbox: all requests that wait for a person, on disk, shared by every process."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar
from weakref import WeakValueDictionary

from ccq_tui.inbox.actors import WITHDRAWN, Actor
from ccq_tui.inbox.asked_before import asked_before
from ccq_tui.inbox.kinds import check_outcome
from ccq_tui.inbox.open_request import MEMORY_NUMBERS, OpenRequest, Signal
from ccq_tui.inbox.port import (
    Added,
    Delivered,
    Grown,
    InboxChange,
    InboxRenewed,
    InboxTrouble,
    RequestChange,
    Settled,
)
from ccq_tui.inbox.requests import Cancelled, QuestionRequest, Request, RequestOutcome
from ccq_tui.inbox.sessions import InboxSessions
from ccq_tui.inbox.store.rows import TO_DELIVER, Presence, RequestState, StoredDraft, StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.store.worker import News, Worker
from ccq_tui.inbox.verdicts import (
    Accepted,
    AlreadySettled,
    InboxClosed,
    InboxError,
    InboxUnavailable,
    InvalidOutcome,
    Unknown,
    Verdict,
)
from ccq_tui.processes import this_process
from ccq_tui.questions.model import Recalled
from ccq_tui.questions.state import Arriving

_logger = logging.getLogger(__name__)
T = TypeVar("T")

ANSWER_SECONDS = 10.0
"""Most seconds for one task of the store's thread, including its wait for other processes."""
PROOF_SECONDS = 0.2
"""Seconds until a person's key is recorded."""
AGAIN = "Questions are on disk again"

_ALIVE = (RequestState.PENDING, *TO_DELIVER)
Read = tuple[StoredRequest, StoredDraft | None, tuple[Recalled | None, ...]]


class Inbox:
    """All requests that wait for a person, in a database, for one event loop; made by `open` or `begin`.

    Every change, made here or in another process, is read back from the history and reported from there, in
    one order. Each request has one `OpenRequest` in this process. While the disk refuses, this process goes
    on with those; what it could not write is written, in order, once the disk is back.

    Attributes:
        recalls: Whether it looks up earlier answers to questions.
        sessions: The sessions in the inbox.
    """

    def __init__(self, path: Path) -> None:
        self.recalls = True
        self.sessions = InboxSessions(self)
        self._loop = asyncio.get_running_loop()
        self._known: WeakValueDictionary[str, OpenRequest] = WeakValueDictionary()
        self._kept: dict[str, OpenRequest] = {}
        """The requests of this process until their outcome has arrived and is on disk."""
        self._typed: dict[str, OpenRequest] = {}
        """The requests whose drafts are not on disk yet."""
        self._answers: set[asyncio.Task[Verdict]] = set()
        """What is being settled by this process."""
        self._unwritten: deque[Callable[[Store], object]] = deque()
        """Changes that are not on disk yet, oldest first."""
        self._due = self._written = 0
        """How many changes there were, and how many of them have been written."""
        self._news: Signal[InboxChange] = Signal()
        self._saving: asyncio.TimerHandle | None = None
        self._retrying: asyncio.TimerHandle | None = None
        self._is_troubled = False
        self._listens = False
        self._person: Presence | None = None
        """The last proof of a person at this terminal."""
        self._worker = Worker(
            path, partial(self._post, self._take), partial(self._post, self._reopened), self.in_trouble
        )

    @classmethod
    async def connect(cls, path: Path) -> "Inbox":
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
    def begin(cls, path: Path) -> "Inbox":
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
        return await self._within(self._worker.opened)

    def listen(self) -> None:
        """Record, without waiting, that this process shows requests to a person until the inbox closes."""
        self._listens = True
        self.write_soon(self._list_here)

    def note_person(self, focused: bool | None) -> None:
        """Record, without waiting, that a person is at this terminal, or that it is out of focus.

        ``focused`` is None for a key in a terminal that does not report its focus.
        """
        self._person = Presence(focused, time.time())
        if self._listens:
            # What the key does is written first: an answer waits for nothing else to be on disk.
            self._loop.call_later(PROOF_SECONDS, self.submit, self._list_here)

    def _list_here(self, store: Store) -> None:
        store.listeners.add(this_process(), self._person)

    def subscribe(self, callback: Callable[[InboxChange], None]) -> Callable[[], None]:
        """Report every change of any process from now on to ``callback``, an outcome before its asker has it.

        The callback runs in the event loop, in order, and must not block. Returns a function that ends the
        subscription; calling it again does nothing.
        """
        return self._news.subscribe(callback)

    async def close(self, seconds: float = ANSWER_SECONDS) -> bool:
        """Write what is not written yet, end, and return whether that was done within ``seconds``."""
        self._retry()
        if self._retrying is not None:
            self._retrying.cancel()
        return await asyncio.to_thread(self.end, seconds)

    def end(self, seconds: float = ANSWER_SECONDS) -> bool:
        """Do as `close` does, after the event loop has ended."""
        if self._listens:
            self.submit(lambda store: store.listeners.remove(this_process()))
        return self._worker.stop(seconds)

    # -- the store's thread ---------------------------------------------------------------------------------

    async def run(self, work: Callable[[Store], T]) -> T:
        """Run ``work`` in the store's thread, after all work begun before, and return its result.

        ``work`` must not keep the store. Raises `InboxUnavailable` if the disk refuses it, or does not answer
        in time.
        """
        return await self._within(self.submit(work))

    def submit(self, work: Callable[[Store], T]) -> Future[T]:
        """Like `run`, without waiting for the result."""
        self._save_drafts()
        return self._worker.submit(work)

    def write_soon(self, work: Callable[[Store], object]) -> None:
        """Run ``work`` without waiting, after all changes before it, and again until the disk takes it."""
        self._unwritten.append(work)
        self._due += 1
        if self._retrying is None:
            self._write()

    def _write(self) -> None:
        """Write what is not on disk: requests before their drafts."""
        if self._saving is not None:
            self._saving.cancel()
            self._saving = None
        typed, self._typed = self._typed, {}
        drafts = [
            StoredDraft(one.request, one.draft, one.draft_actor, one.version)
            for one in typed.values()
            if one.draft is not None and one.stale is None
        ]
        due = self._due

        def write(store: Store) -> None:
            self._catch_up(store, due)
            if drafts:
                store.drafts.save_all(drafts)

        def written(error: BaseException | None) -> None:
            if error is not None:
                self._typed = {**typed, **self._typed}
                self._trouble(error)
            elif self._is_troubled and self._retrying is None:
                self._is_troubled = False
                self._news.emit(InboxRenewed(AGAIN))

        future = self._worker.submit(write)
        future.add_done_callback(lambda future: self._post(written, future.exception()))

    def _catch_up(self, store: Store, due: int) -> None:
        """Write the changes that came before, in the store's thread; raises `InboxUnavailable`.

        Those that came since are behind what is submitted meanwhile: a withdrawal behind its request.
        """
        while self._written < due:
            try:
                self._unwritten[0](store)
            except InboxUnavailable:
                raise
            except Exception:  # a later try would fail too
                _logger.exception("Something was not kept")
            self._unwritten.popleft()
            self._written += 1

    # -- requests -------------------------------------------------------------------------------------------

    @property
    def pending(self) -> tuple[Request, ...]:
        """The pending requests that this process asks, oldest first."""
        return tuple(one.request for one in self._kept.values() if one.is_pending and not one.is_left)

    def of(self, session_id: str) -> tuple[OpenRequest, ...]:
        """Return the requests of a session that wait, or whose outcome has not arrived, oldest first.

        Only those that are open in this process.
        """
        mine = (one for one in self._known.values() if one.request.session_id == session_id)
        return tuple(one for one in mine if one.is_added and one.stored.state in _ALIVE)

    def known(self, request_id: str) -> OpenRequest | None:
        """Return a request that is open in this process, or None."""
        return self._known.get(request_id)

    @property
    def over(self) -> frozenset[str]:
        """The requests open in this process that no longer wait, whatever the disk says yet."""
        return frozenset(name for name, one in self._known.items() if not one.is_pending)

    async def open(self, request_id: str) -> OpenRequest | None:
        """Open a request of any process, with its draft; None if there is none.

        Raises:
            InboxUnavailable: The disk cannot be read.
        """
        if (known := self._known.get(request_id)) is not None and known.is_added:
            await known.added()
            return known
        found = await self.run(lambda store: self._read(store, store.requests.get(request_id)))
        if found is None:
            return None
        known = self._known.get(request_id)
        if known is None:
            known = self._known[request_id] = OpenRequest(self, found[0])
            known.is_added = True
            known.read(*found[1:])
        return known

    def keep(self, opened: OpenRequest) -> None:
        """Keep a request open until its outcome has arrived, whoever shows it."""
        if opened.stored.state in _ALIVE:
            self._kept[opened.request.id] = opened

    @asynccontextmanager
    async def asking(self, request: Request, context: str = "") -> AsyncIterator[OpenRequest]:
        """Ask a request; on disk before subscribers hear of it.

        One that is pending already, here or since an earlier process, keeps its place and its draft. One that
        a person has decided has that outcome at once. If the block ends before the outcome, the request is
        withdrawn, with the reason of the cancellation, unless another caller waits or `leave` came before.

        Args:
            request: The request.
            context: The agent's text before it.
        """
        opened, reason = self._ask(request, context), "withdrawn"
        opened.waiting += 1
        try:
            yield opened
        except asyncio.CancelledError as error:
            reason = str(error.args[0]) if error.args else reason
            raise
        finally:
            opened.waiting -= 1
            if not (opened.waiting or opened.is_left) and opened.is_pending:
                opened.withdraw(reason)

    async def ask(self, request: Request, context: str = "") -> RequestOutcome:
        """Ask a request, wait without limit for its outcome, and return it; see `asking`."""
        async with self.asking(request, context) as opened:
            return await opened.outcome()

    def settle(self, request_id: str, outcome: RequestOutcome, actor: Actor) -> asyncio.Task[Verdict]:
        """Settle a request of any process; the first answer wins.

        It is submitted before this returns, and kept whoever stops waiting for the verdict.

        Returns:
            Whether this call settled it, and if not, who did; or `InvalidOutcome` if the request does not
            take this outcome, `InboxUnavailable` if the disk refused it and this process does not ask it.
        """
        # The agent waits for the answer, and nobody for the drafts.
        submitted = self._worker.submit(lambda store: store.requests.settle(request_id, outcome, actor))
        self._save_drafts()
        task = self._loop.create_task(self._verdict(submitted, request_id, outcome, actor))
        self._answers.add(task)
        task.add_done_callback(self._answered)
        return task

    async def _verdict(
        self, submitted: Future[Verdict], request_id: str, outcome: RequestOutcome, actor: Actor
    ) -> Verdict:
        try:
            verdict: Verdict | InboxError = await self._within(submitted)
        except InvalidOutcome:
            raise  # not the disk's fault, and a later try would fail too
        except InboxError as error:
            verdict = error
        opened = self._kept.get(request_id)
        if opened is not None and isinstance(verdict, InboxError | Unknown):
            # A request of this process is settled in memory, and written later.
            if opened.is_pending:
                check_outcome(opened.request, outcome)  # the store cannot do it
                self._settled(Settled(opened.request, outcome, actor))
                if isinstance(verdict, InboxError):
                    self._trouble(verdict)
                self.write_soon(lambda store: store.requests.settle(request_id, outcome, actor))
            return Accepted()
        if isinstance(verdict, InboxError):
            raise verdict
        if opened is not None and isinstance(verdict, AlreadySettled):
            self._settled(Settled(opened.request, verdict.outcome, verdict.actor))
        return verdict

    def _answered(self, task: asyncio.Task[Verdict]) -> None:
        self._answers.discard(task)
        if not task.cancelled() and (error := task.exception()) and not isinstance(error, InboxError):
            _logger.error("A request was not settled", exc_info=error)

    def withdraw(self, request_id: str, reason: str, actor: Actor = WITHDRAWN) -> None:
        """Cancel a request, without waiting, unless it is settled or unknown; ``reason`` is for a person."""
        self.settle(request_id, Cancelled(reason), actor)

    async def defer(self, request_id: str) -> bool:
        """Keep a pending request for its resumed session to ask again; return whether it is still pending.

        See `OpenRequest.leave`. Raises `InboxUnavailable` if the disk refuses it; then nothing is changed.
        """
        done = await self.run(lambda store: store.requests.defer(request_id))
        if done and (opened := self._known.get(request_id)) is not None:
            opened.stored = replace(opened.stored, deferred=True)
            opened.leave()
        return done

    def arrive(self, request: QuestionRequest, arriving: Arriving) -> OpenRequest:
        """Open a set that is still being written: nobody is asked it, and it is on no disk."""
        opened = self._known.get(request.id)
        if opened is not None and opened.is_pending:
            return opened
        opened = opened or self._made(request, "")
        opened.stored, opened.arriving = replace(opened.stored, request=request), arriving
        self.report(Grown(request, arriving), opened)
        return opened

    def _made(self, request: Request, context: str) -> OpenRequest:
        number, now = MEMORY_NUMBERS + len(self._kept), datetime.now(UTC)
        opened = OpenRequest(self, StoredRequest(number, request, context, RequestState.PENDING, now))
        self._known[request.id] = opened
        return opened

    def _ask(self, request: Request, context: str) -> OpenRequest:
        opened = self._known.get(request.id)
        if opened is not None and opened.is_pending and opened.waiting:
            if opened.is_added:
                self._news.emit(Added(request, again=True))
            return opened
        if opened is None:
            opened = self._made(request, context)
        opened.begin(request, context)
        self._kept[request.id] = opened
        due = self._due

        def add(store: Store) -> Read | None:
            self._catch_up(store, due)  # a request whose session has no process would be withdrawn
            return self._read(store, store.requests.add(request, context))

        # Submitted now: a withdrawal that comes next must find it.
        opened.adding = self._loop.create_task(self._add(opened, self.submit(add)), name="inbox request")
        return opened

    async def _add(self, opened: OpenRequest, adding: Future[Read | None]) -> None:
        """Wait until a request is on disk; in memory alone it is asked all the same."""
        try:
            found = await self._within(adding)
        except Exception as error:
            if not isinstance(error, InboxError):
                _logger.exception("A request was not written")
                error = InboxUnavailable(f"a request was not written: {type(error).__name__}")
            opened.is_added = True
            self._trouble(error)
            self._write_again(opened)
            self.report(Added(opened.request), opened)
            return
        finally:
            opened.adding = None
        if found is None:
            return
        stored, draft, recalled = found
        opened.is_saved = True
        opened.read(draft, recalled)
        if stored.outcome is not None and stored.state is not RequestState.PENDING:
            self._settled(Settled(opened.request, stored.outcome, stored.actor))
            opened.stored = stored
        elif opened.is_pending:
            opened.stored = stored
        if opened.is_pending and not opened.is_added:
            opened.add(opened.request)
            self.report(Added(opened.request, again=True), opened)

    def _read(self, store: Store, stored: StoredRequest | None) -> Read | None:
        """Read the draft of a request and earlier answers; in the store's thread."""
        if stored is None:
            return None
        recalled: tuple[Recalled | None, ...] = ()
        draft = None
        try:
            draft = store.drafts.get(stored.request) if stored.has_draft else None
            if self.recalls and isinstance(stored.request, QuestionRequest) and stored.outcome is None:
                recalled = asked_before(store, stored.request)
        except InboxError as error:  # it is asked without them
            _logger.warning("A draft or earlier answers were not read: %s", error)
        return stored, draft, recalled

    # -- drafts ---------------------------------------------------------------------------------------------

    def owes_draft(self, opened: OpenRequest) -> bool:
        """Whether the draft of a request is not on disk yet."""
        return opened.request.id in self._typed

    def save_soon(self, opened: OpenRequest) -> None:
        """Write the draft of a request within 250 ms, and before whatever is submitted after this call."""
        self._typed[opened.request.id] = opened
        if self._saving is None:
            # Seconds from the first change of a draft to its writing.
            self._saving = self._loop.call_later(0.2, self._save_drafts)

    def forget_draft(self, opened: OpenRequest) -> None:
        """Leave the stored draft of a request as it is."""
        self._typed.pop(opened.request.id, None)

    def _save_drafts(self) -> None:
        if self._typed and self._retrying is None:  # else the retry writes them
            self._write()

    # -- changes --------------------------------------------------------------------------------------------

    def _reopened(self) -> None:
        """Write what waits here into the file that has taken the path."""
        if self._listens:
            self.listen()
        self.sessions.claim_again()
        for opened in self._kept.values():
            if opened.is_saved and opened.is_pending:
                self._write_again(opened)
            if opened.draft is not None:
                opened.version = -1  # whatever another file has
                self._typed[opened.request.id] = opened
        self._retry()

    def _write_again(self, opened: OpenRequest) -> None:
        request, context, opened.is_saved = opened.request, opened.stored.context, False
        self.write_soon(lambda store: store.requests.add(request, context))

    def _take(self, news: list[News]) -> None:
        for change in news:
            match change:
                case Added():
                    self._added(change)
                case Settled():
                    self._settled(change)
                case Delivered(request_id):
                    self._kept.pop(request_id, None)
                    if (opened := self._known.get(request_id)) is not None:
                        opened.stored = replace(opened.stored, state=RequestState.DELIVERED)
                    self._news.emit(change)
                case StoredDraft():
                    opened = self._known.get(change.request.id)
                    if opened is not None and (newer := opened.receive(change)) is not None:
                        self.report(newer, opened)
                case _:
                    self._news.emit(change)

    def _added(self, change: Added) -> None:
        opened = self._known.get(change.request.id)
        if opened is not None:
            if opened.is_added and not opened.is_saved:
                opened.is_saved = True
                self._release(opened)
                return  # it was reported when the disk refused it
            opened.add(change.request)
        self.report(change, opened)

    def _settled(self, change: Settled) -> None:
        opened = self._known.get(change.request.id)
        if opened is not None:
            if not opened.is_pending:
                return  # it was reported when the disk refused it
            opened.end(change)
            self._typed.pop(change.request.id, None)
        self.report(change, opened)
        if opened is not None:
            opened.resolve()
            self._release(opened)

    def report(self, change: RequestChange, opened: OpenRequest | None) -> None:
        """Tell subscribers of a change of a request, and those of the request if it is open here."""
        self._news.emit(change)
        if opened is not None:
            opened.changed.emit(change)

    def _release(self, opened: OpenRequest) -> None:
        if opened.is_saved and opened.stored.state not in _ALIVE:
            self._kept.pop(opened.request.id, None)

    # -- a disk that refuses --------------------------------------------------------------------------------

    def in_trouble(self, error: InboxError) -> None:
        """Report that the disk refused something, which is tried again; from any thread."""
        self._post(self._trouble, error)

    def _trouble(self, error: BaseException) -> None:
        if isinstance(error, InboxError) and not self._is_troubled:
            _logger.warning("The inbox goes on in memory: %s", type(error).__name__)
            self._is_troubled = True
            self._news.emit(InboxTrouble(str(error)))
        elif not isinstance(error, InboxError):
            _logger.error("Something was not saved", exc_info=error)
        if self._retrying is None and not isinstance(error, InboxClosed):
            # Seconds to leave the disk alone after it refused something.
            self._retrying = self._loop.call_later(1.0, self._retry)

    def _retry(self) -> None:
        if self._retrying is not None:
            self._retrying.cancel()
            self._retrying = None
        self._write()

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
