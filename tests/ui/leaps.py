"""Time that stands still while anything is at work, and leaps while all only waits for a time to come.

The event loop and the inbox's thread sleep by one clock. How long the processor takes counts for nothing, so
that no timer runs between two keys of a test because the machine is slow. Whatever else may still do
something, such as another thread or a child process, is waited for; only what it takes long counts.
"""

import queue
import selectors
import threading
import time
from asyncio import BaseEventLoop
from types import SimpleNamespace
from typing import Any
from weakref import WeakSet

import pytest
from textual import _time

from ccq_tui.inbox.store.worker import Worker

monotonic = time.monotonic
select = selectors.DefaultSelector.select
run_in_executor = BaseEventLoop.run_in_executor
start = Worker.start
MOMENT = 1e-7
"""Seconds that a look at the clock takes, so that what comes later is later."""
BUSY_LOOK = 0.002
"""Seconds after which the loop looks again whether another thread is still at work."""
PATIENCE = 500
"""Such looks in a row until they count as time, too: another thread or a child may wait for a timer."""
NEVER = float("inf")
WAKE: Any = object()


class Work(queue.SimpleQueue[Any]):
    """The work of the inbox's thread; it shows whether that thread waits for some, and until when."""

    until = NEVER
    given, done = 0, -1
    """What was put there; and what is done with, from when the thread first waits."""

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        self.given += 1
        super().put(item)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        self.until = time.monotonic() + (timeout or 0.0)
        self.done += 1
        try:
            item = super().get(timeout=timeout)
        except queue.Empty:
            self.done -= 1
            raise
        if item is WAKE:
            raise queue.Empty
        self.done += item is None  # the last one
        return item


class Leaps:
    """A clock that leaps while the program rests, and goes by looks once it has long waited for others."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._now = monotonic()
        self._looks = 0
        self._inboxes: WeakSet[Work] = WeakSet()
        self._workers: list[Worker] = []
        self._calls: WeakSet[Any] = WeakSet()
        self._thread = threading.get_ident()
        patch.setattr(time, "monotonic", self.now)
        patch.setattr(_time, "get_time", self.now)
        patch.setattr(selectors.DefaultSelector, "select", lambda *given: self._select(*given))
        patch.setattr(BaseEventLoop, "run_in_executor", lambda *given: self._called(*given))
        patch.setattr(Worker, "start", lambda worker: self._start(worker))
        own = SimpleNamespace(SimpleQueue=Work, Empty=queue.Empty)
        patch.setattr("ccq_tui.inbox.store.worker.queue", own)

    def now(self) -> float:
        self._now += MOMENT
        return self._now

    def _called(self, *given: Any) -> Any:
        self._calls.add(future := run_in_executor(*given))
        return future

    def _start(self, worker: Any) -> None:
        self._inboxes.add(worker._work)
        self._workers.append(worker)
        start(worker)

    def end(self) -> None:
        """End the threads of the inboxes, as the program does after its loop: each would look on for ever."""
        for worker in self._workers:
            worker.stop(2.0)

    def _rests(self, selector: Any) -> bool:
        """Whether nothing comes from another thread, a file or a child."""
        return (
            len(selector.get_map()) == 1  # the loop's own
            and all(call.done() for call in self._calls)
            and all(work.done == work.given for work in self._inboxes)
            and not any("waitpid" in thread.name for thread in threading.enumerate())
        )

    def _select(self, selector: Any, timeout: float | None = None) -> Any:
        """Wait as a selector does, or leap over the wait."""
        if timeout is None or timeout <= 0 or threading.get_ident() != self._thread:
            return select(selector, timeout)
        if not self._rests(selector):
            self._looks += 1
            self._now += min(timeout, BUSY_LOOK) if self._looks > PATIENCE else 0.0
            return select(selector, min(timeout, BUSY_LOOK))
        self._looks = 0
        if found := select(selector, 0):
            return found
        due = min([self._now + timeout, *(work.until for work in self._inboxes)])
        self._now = max(self._now, due)
        for work in self._inboxes:
            if work.until <= due:
                work.until = NEVER
                work.put(WAKE)
        return []
