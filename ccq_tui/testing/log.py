"""The requests that the scripted model received, with times, and bounded waiting for them."""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


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


class Notice:
    """Notifies waiting threads and coroutines of changes."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._listeners: set[Callable[[], None]] = set()

    def changed(self) -> None:
        """Wake everyone who waits; callable from any thread."""
        with self._condition:
            self._condition.notify_all()
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
        with self._condition:
            if not self._condition.wait_for(predicate, limit):
                raise TimeoutError(f"not seen within {limit:g} s")

    async def wait_async(self, predicate: Callable[[], bool], limit: float) -> None:
        """Wait in a coroutine until something is true; arguments and errors as for ``wait``."""
        loop = asyncio.get_running_loop()
        changed = asyncio.Event()

        def listener() -> None:
            loop.call_soon_threadsafe(changed.set)

        with self._condition:
            self._listeners.add(listener)
        try:
            async with asyncio.timeout(limit):
                while not predicate():
                    await changed.wait()
                    changed.clear()
        except TimeoutError:
            raise TimeoutError(f"not seen within {limit:g} s") from None
        finally:
            with self._condition:
                self._listeners.discard(listener)
