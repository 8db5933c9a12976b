"""The thread that owns the store, so that nobody else waits for the disk."""

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ccq_tui.inbox.port import Added, Delivered, Notified, SessionNoted, Settled
from ccq_tui.inbox.store.rows import NOTIFIED, Change, RequestState, StoredCommand, StoredDraft
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxClosed, InboxError, InboxUnavailable

_logger = logging.getLogger(__name__)
T = TypeVar("T")

POLL_SECONDS = 0.18
"""Seconds between the thread's looks for changes by other processes; ten a second cost a laptop's battery."""
OPEN_SECONDS = 1.0
"""Seconds to leave a database alone that cannot be opened."""
REPLACED = "it was moved, deleted or replaced while in use"
CLOSED = "the inbox is closed"


News = Added | Settled | Delivered | StoredDraft | SessionNoted | Notified | StoredCommand


class ChangeFeed:
    """A reader of the history, which all processes write in the order of events."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen = store.history.last()
        self._commanded = store.commands.last()
        self._drafted = store.drafts.last()
        self._version = (-1, -1)

    def news(self) -> list[News]:
        """Return the changes of requests and sessions, at most a page of them; the rest comes next time.

        Raises `InboxUnavailable`.
        """
        if (version := self._store.database.versions()) == self._version:
            return []
        changes = self._store.history.changes(after=self._seen)
        if not changes:
            self._version = version
            commands = self._store.commands.open(after=self._commanded)
            self._commanded = max((one.number for one in commands), default=self._commanded)
            return [*self._drafts(), *commands]
        news = [one for change in changes if (one := self._news_of(change)) is not None]
        self._seen = changes[-1].number  # set last: what could not be read is read next time
        return news

    def _drafts(self) -> list[StoredDraft]:
        news: list[StoredDraft] = []
        for serial, request_id in self._store.drafts.after(self._drafted):
            self._drafted = serial
            stored = self._store.requests.get(request_id)
            pending = stored is not None and stored.state is RequestState.PENDING
            if stored and pending and (found := self._store.drafts.get(stored.request)):
                news.append(found)
        return news

    def _news_of(self, change: Change) -> News | None:
        pending = RequestState.PENDING
        if not change.request_id:
            if change.became == NOTIFIED:
                return Notified(change.actor.called if change.actor else "", change.cause)
            return SessionNoted(change.session_id)
        if change.became == RequestState.DELIVERED:
            return Delivered(change.request_id)
        if change.became == change.was:
            return None
        stored = self._store.requests.get(change.request_id)
        if stored is None:
            return None
        if change.became == pending:
            return Added(stored.request, again=change.was != "")
        # A request that is pending again is reported by a later row.
        return None if stored.outcome is None else Settled(stored.request, stored.outcome, stored.actor)


class Worker:
    """A thread that does queued work, in order, with a store of its own, and reports all changes.

    It retries a database that cannot be opened, and opens the path again when its file was moved, deleted or
    replaced. Until then, all work fails.
    """

    def __init__(
        self,
        path: Path,
        reported: Callable[[list[News]], None],
        reopened: Callable[[], None],
        troubled: Callable[[InboxError], None],
    ) -> None:
        self._path = path
        self._reported = reported
        self._reopened = reopened
        """Called when a database was opened late, or again."""
        self._troubled = troubled
        self._store: Store | None = None
        self._feed: ChangeFeed | None = None
        self._problem: InboxError | None = None
        """The reason that there is no store to work with now."""
        self._not_before = 0.0
        self._swept = float("-inf")
        self._work: queue.SimpleQueue[tuple[Future[Any], Callable[[Store], Any]] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        # A disk that hangs must not keep the program from ending.
        self._thread = threading.Thread(target=self._run, name="inbox", daemon=True)
        self.opened: Future[str] = Future()

    def start(self) -> None:
        """Open the store in the thread; `opened` gets the notice for the person, or the error."""
        self._thread.start()

    def submit(self, work: Callable[[Store], T]) -> Future[T]:
        """Queue work, and return the future of its result; after `stop`, that has failed already."""
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                future.set_exception(InboxClosed(CLOSED))
            else:
                self._work.put((future, work))
        return future

    def stop(self, seconds: float) -> bool:
        """Do the queued work, end the thread, and return whether it ended within ``seconds``."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._work.put(None)
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._open()
            if self._problem is not None:
                self.opened.set_exception(self._problem)
            elif self._store is not None:
                # Before anybody knows that it is open, so that all later changes are reported.
                self._poll(self._store)
                self.opened.set_result(self._store.database.notice)
            self._serve()
        finally:
            if self._store is not None:
                self._store.close()

    def _open(self) -> None:
        """Open the store; `_problem` has the reason if that fails."""
        store = None
        try:
            store = Store(self._path)
            feed = ChangeFeed(store)
        except Exception as error:
            if store is not None:
                store.close()
            if not isinstance(error, InboxError):
                _logger.exception("The inbox was not opened")
                error = InboxUnavailable(f"{self._path}: it cannot be opened: {type(error).__name__}")
            self._problem, self._not_before = error, time.monotonic() + OPEN_SECONDS
            self._troubled(error)
            return
        self._store, self._feed, self._problem = store, feed, None
        if self.opened.done():
            # One that could not be opened was reported before.
            self._troubled(InboxUnavailable(store.database.notice or f"{self._path}: {REPLACED}"))
            self._reopened()

    def _poll(self, store: Store) -> None:
        """Withdraw the requests of dead processes, and report changes."""
        try:
            # Seconds between two looks for requests whose process has ended.
            if time.monotonic() - self._swept >= 1.0:
                self._swept = time.monotonic()
                store.requests.withdraw_orphans()
            if self._feed is not None and (news := self._feed.news()):
                self._reported(news)
        except InboxError as error:
            self._troubled(error)
        except Exception:  # the queue must continue
            _logger.exception("Something beside the inbox's work failed")

    def _ready(self) -> Store | None:
        """Return the store, reopened if needed, or None while it cannot be."""
        if self._store is not None and not self._store.database.is_current():
            self._poll(self._store)  # its last changes
            self._store.close()
            self._store = None
        if self._store is None and time.monotonic() >= self._not_before:
            self._open()
        return self._store

    def _serve(self) -> None:
        tick = time.monotonic() + POLL_SECONDS
        while True:
            try:
                item = self._work.get(timeout=max(0.0, tick - time.monotonic()))
            except queue.Empty:
                if store := self._ready():
                    self._poll(store)
                tick = time.monotonic() + POLL_SECONDS
                continue
            store = self._ready()
            if item is None:
                return
            future, work = item
            if not future.set_running_or_notify_cancel():
                continue
            if store is None:
                future.set_exception(self._problem or InboxUnavailable(CLOSED))
                continue
            try:
                done = partial(future.set_result, work(store))
            except Exception as error:  # noqa: BLE001 - the future hands it to the caller
                done = partial(future.set_exception, error)
            self._poll(store)
            done()
