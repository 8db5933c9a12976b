"""What the scripted model received, with times, and bounded waiting for it."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ccq_tui.testing.replies import ToolResult


@dataclass(slots=True, eq=False)
class Exchange:
    """One request and its answer. Times are of ``time.monotonic()``, in seconds; 0.0 means not yet.

    Attributes:
        method: The HTTP method.
        path: The path with its query.
        headers: The request's headers, names in lower case.
        body: The parsed JSON body, or None.
        received: When the whole request had arrived.
        first_byte: When the first byte of the answer's body was sent.
        last_byte: When the answer was complete.
        status: The HTTP status of the answer, 0 before it.
        role: ``main``, ``subagent``, ``side`` or ``other`` (not the Messages API).
        scenario: The scenario that answered, or "".
        broken: Whether the answer ended before it was complete: a scripted cut, or the client went away.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any] | None
    received: float = field(default_factory=time.monotonic)
    first_byte: float = 0.0
    last_byte: float = 0.0
    status: int = 0
    role: str = "other"
    scenario: str = ""
    broken: bool = False


class ModelLog:
    """What a model received and what went wrong, for any thread, and for whoever waits for a change of it.

    Args:
        keeps: Most exchanges and results to keep, the newest; None keeps all.

    Attributes:
        lock: Held to read and change the others.
        exchanges: Every request, oldest first.
        results: Each tool result, in order, without repetitions.
        errors: The errors of the script itself.
    """

    def __init__(self, keeps: int | None = None) -> None:
        self.lock = threading.Condition()
        self.exchanges: deque[Exchange] = deque(maxlen=keeps)
        self.results: dict[ToolResult, None] = {}
        self.errors: list[Exception] = []
        self._keeps = keeps
        self._listeners: set[Callable[[], None]] = set()

    def add(self, exchange: Exchange, results: Iterable[ToolResult]) -> None:
        """Add a request with the tool results in it."""
        with self.lock:
            self.exchanges.append(exchange)
            self.results |= {one: None for one in results if one not in self.results}
            while self._keeps is not None and len(self.results) > self._keeps:
                del self.results[next(iter(self.results))]
        self.changed()

    def fail(self, error: Exception) -> None:
        """Add an error of the script."""
        with self.lock:
            self.errors.append(error)
        self.changed()

    def forget(self) -> None:
        """Forget all requests and results."""
        with self.lock:
            self.exchanges.clear()
            self.results.clear()

    def changed(self) -> None:
        """Wake everyone who waits; callable from any thread."""
        with self.lock:
            self.lock.notify_all()
            # Under the lock, so that no listener is called once its loop may be closed.
            for listener in self._listeners:
                listener()

    def wait(self, predicate: Callable[[], bool], limit: float) -> None:
        """Wait in a thread until something is true.

        Args:
            predicate: The condition; tested after every change.
            limit: Seconds.

        Raises:
            TimeoutError: It was not true within the limit.
        """
        with self.lock:
            if not self.lock.wait_for(predicate, limit):
                raise TimeoutError(f"not seen within {limit:g} s")

    async def wait_async(self, predicate: Callable[[], bool], limit: float) -> None:
        """Wait in a coroutine until something is true; arguments and errors as for ``wait``."""
        loop = asyncio.get_running_loop()
        changed = asyncio.Event()

        def listener() -> None:
            loop.call_soon_threadsafe(changed.set)

        with self.lock:
            self._listeners.add(listener)
        try:
            async with asyncio.timeout(limit):
                while not predicate():
                    await changed.wait()
                    changed.clear()
        except TimeoutError:
            raise TimeoutError(f"not seen within {limit:g} s") from None
        finally:
            with self.lock:
                self._listeners.discard(listener)
