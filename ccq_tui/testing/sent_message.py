"""One message sent over ASGI: paced, and silent or broken off where the script says so."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Protocol

from starlette.responses import StreamingResponse
from starlette.types import Send

from ccq_tui.testing.log import Exchange
from ccq_tui.testing.scenario import Cut, Silence
from ccq_tui.testing.wire import Chunk


class Pace(Protocol):
    """The speed of messages, which may change at any time.

    Attributes:
        speed: Characters per second; 0 means as fast as possible.
        delta_size: Characters per delta.
    """

    speed: float
    delta_size: int


class SentMessage(StreamingResponse):
    """A response that begins with its first byte, and is left incomplete by a cut: uvicorn then drops it.

    Args:
        items: Chunks, silences and cuts, from ``wire.stream`` or ``wire.whole``.
        content_type: The content type.
        pace: Has the present speed.
        opened: Waits for a gate by name.
        exchange: Gets status and times.
        record: Called with the exchange at every change to it.
    """

    def __init__(
        self,
        items: Iterable[Chunk | Silence | Cut],
        *,
        content_type: str,
        pace: Pace,
        opened: Callable[[str], Awaitable[object]],
        exchange: Exchange,
        record: Callable[[Exchange], None],
    ) -> None:
        headers = {"content-type": content_type, "cache-control": "no-cache"}
        super().__init__(self._pieces(items), headers=headers)
        self._pace = pace
        self._opened = opened
        self._exchange = exchange
        self._record = record
        self._complete = False

    async def stream_response(self, send: Send) -> None:
        """Send the message; cancelled when the client goes away or the server stops."""
        exchange = self._exchange
        try:
            async for piece in self.body_iterator:
                if not exchange.status:
                    exchange.status = self.status_code
                    start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
                    await send(start)
                await send({"type": "http.response.body", "body": piece, "more_body": True})
                exchange.first_byte = exchange.first_byte or time.monotonic()
                self._record(exchange)
        finally:
            exchange.last_byte, exchange.broken = time.monotonic(), not self._complete
            self._record(exchange)
        if self._complete:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _pieces(self, items: Iterable[Chunk | Silence | Cut]) -> AsyncIterator[bytes]:
        batch, due = b"", time.monotonic()
        for item in items:
            speed = self._pace.speed
            if isinstance(item, Chunk):
                batch += item.data
                if speed <= 0 and len(batch) < 16_384:
                    continue
            if batch:
                yield batch
                batch = b""
            match item:
                case Chunk(characters=characters) if speed > 0:
                    due = max(due, time.monotonic() - 0.1) + characters / speed
                    await asyncio.sleep(max(0.0, due - time.monotonic()))
                case Silence(gate, limit):
                    with suppress(TimeoutError):  # the limit is the scripted end of the silence
                        async with asyncio.timeout(limit):
                            await self._opened(gate)
                    due = time.monotonic()
                case Cut():
                    yield b""  # an answer that never began would become a 500
                    return
        yield batch
        self._complete = True
