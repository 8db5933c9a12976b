"""The thread that owns the store, so that nobody else waits for the disk."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxUnavailable

_logger = logging.getLogger(__name__)
T = TypeVar("T")

NEAR_SECONDS = 0.1
"""How often the thread looks up from its queue while something waits for an answer."""
FAR_SECONDS = 0.18
"""How often otherwise: what other processes do is noticed within 200 ms all the same."""
CLOSED = "the inbox is closed"


class Worker:
    """Does what it is given, in order, with a store of its own.

    Args:
        path: The database.
        before: Called in the thread before each piece of work, and at each tick.
        after: Called in the thread after each piece of work, before its giver has the result, and at each
            tick. What either raises is logged.
        waits: Whether something waits for an answer; asked in the thread.
    """

    def __init__(
        self,
        path: Path,
        before: Callable[[Store], None],
        after: Callable[[Store], None],
        waits: Callable[[], bool],
    ) -> None:
        self._path = path
        self._before = before
        self._after = after
        self._waits = waits
        self._work: queue.SimpleQueue[tuple[Future[Any], Callable[[Store], Any]] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        # A disk that hangs must not keep the program from ending.
        self._thread = threading.Thread(target=self._run, name="inbox", daemon=True)
        self.opened: Future[Store] = Future()

    def start(self) -> None:
        """Open the store in the thread; `opened` says how that went."""
        self._thread.start()

    def submit(self, work: Callable[[Store], T]) -> Future[T]:
        """Queue a piece of work.

        Args:
            work: What to do.

        Returns:
            Its result to come; after `stop` it has failed already.
        """
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                future.set_exception(InboxUnavailable(CLOSED))
            else:
                self._work.put((future, work))
        return future

    def stop(self, seconds: float) -> bool:
        """Do what is queued, and end the thread.

        Args:
            seconds: How long to wait for it.

        Returns:
            Whether it has ended.
        """
        with self._lock:
            if not self._closed:
                self._closed = True
                self._work.put(None)
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _beside(self, callback: Callable[[Store], None], store: Store) -> None:
        try:
            callback(store)
        except Exception:  # the queue goes on
            _logger.exception("Something beside the inbox's work failed")

    def _run(self) -> None:
        try:
            store = Store(self._path)
        except Exception as error:  # noqa: BLE001 - whoever waits for the opening has it
            with self._lock:
                self._closed = True
            self.opened.set_exception(error)
            self._refuse_all(error)
            return
        # Before anybody knows that it is open: what happens from then on is heard of.
        self._beside(self._after, store)
        self.opened.set_result(store)
        try:
            self._serve(store)
        finally:
            store.close()

    def _refuse_all(self, error: Exception) -> None:
        """Fail what was given before it was known that there is no store."""
        while not self._work.empty():
            if item := self._work.get():
                item[0].set_exception(error)

    def _serve(self, store: Store) -> None:
        tick = time.monotonic() + NEAR_SECONDS
        while True:
            try:
                item = self._work.get(timeout=max(0.0, tick - time.monotonic()))
            except queue.Empty:
                self._beside(self._before, store)
                self._beside(self._after, store)
                tick = time.monotonic() + (NEAR_SECONDS if self._waits() else FAR_SECONDS)
                continue
            self._beside(self._before, store)
            if item is None:
                return
            future, work = item
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = work(store)
            except Exception as error:  # noqa: BLE001 - whoever gave the work has it
                self._beside(self._after, store)
                future.set_exception(error)
            else:
                self._beside(self._after, store)
                future.set_result(result)
