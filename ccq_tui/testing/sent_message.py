"""One message sent over ASGI: paced, and silent or broken off where the script says so."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Protocol

from starlette.types import Receive, Scope, Send

from ccq_tui.testing.scenario import Cut, Silence
from ccq_tui.testing.wire import Chunk

_BATCH_BYTES = 16_384


class Pace(Protocol):
    """The speed of messages, which may change at any time.

    Attributes:
        speed: Characters per second; 0 means as fast as possible.
        delta_size: Characters per delta.
    """

    speed: float
    delta_size: int


class SentMessage:
    """An ASGI response.

    Args:
        items: Chunks, silences and cuts, from ``wire.stream`` or ``wire.whole``.
        content_type: The content type.
        pace: Has the present speed.
        opened: Waits for a gate by name.
        stopping: Set when the server stops.
        sent: Called with (False, False) after bytes were sent, and (True, whether broken off) at the end.
    """

    def __init__(
        self,
        items: Iterable[Chunk | Silence | Cut],
        *,
        content_type: str,
        pace: Pace,
        opened: Callable[[str], Awaitable[object]],
        stopping: asyncio.Event,
        sent: Callable[[bool, bool], None],
    ) -> None:
        self._items = items
        self._headers = [(b"content-type", content_type.encode()), (b"cache-control", b"no-cache")]
        self._pace = pace
        self._opened = opened
        self._stopping = stopping
        self._sent = sent
        self._started = False
        self._batch: list[bytes] = []
        self._due = 0.0

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send the message; end early when the client goes away or the server stops."""
        gone = asyncio.create_task(_disconnected(receive))
        halted = asyncio.create_task(self._stopping.wait())
        sending = asyncio.create_task(self._send_all(send))
        tasks = (gone, halted, sending)
        complete = client_left = False
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            client_left = gone.done()
            complete = sending.done() and sending.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._sent(True, not complete)
        if self._started and complete:
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        elif not self._started and not client_left:
            # An answer that never began would become a 500; a begun one is dropped.
            await self._start(send)
            await send({"type": "http.response.body", "body": b"", "more_body": True})
        # The response stays incomplete, so uvicorn drops the connection.

    async def _send_all(self, send: Send) -> bool:
        self._due = time.monotonic()
        for item in self._items:
            match item:
                case Chunk():
                    await self._put(item, send)
                case Silence():
                    await self._flush(send)
                    await self._keep_silent(item)
                case Cut():
                    await self._flush(send)
                    return False
        await self._flush(send)
        return self._started

    async def _put(self, chunk: Chunk, send: Send) -> None:
        self._batch.append(chunk.data)
        speed = self._pace.speed
        if speed <= 0:
            if sum(map(len, self._batch)) >= _BATCH_BYTES:
                await self._flush(send)
            return
        await self._flush(send)
        self._due = max(self._due, time.monotonic() - 0.1) + chunk.characters / speed
        await asyncio.sleep(max(0.0, self._due - time.monotonic()))

    async def _keep_silent(self, silence: Silence) -> None:
        with suppress(TimeoutError):  # the limit is the scripted end of the silence
            async with asyncio.timeout(silence.limit):
                await self._opened(silence.gate)
        self._due = time.monotonic()

    async def _flush(self, send: Send) -> None:
        if not self._batch:
            return
        await self._start(send)
        body, self._batch = b"".join(self._batch), []
        await send({"type": "http.response.body", "body": body, "more_body": True})
        self._sent(False, False)

    async def _start(self, send: Send) -> None:
        if not self._started:
            self._started = True
            await send({"type": "http.response.start", "status": 200, "headers": self._headers})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
