"""The HTTP side of the scripted model: its routes, their answers, and the thread that serves them."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Send

from ccq_tui.testing.incoming import Incoming
from ccq_tui.testing.log import Exchange, ModelLog
from ccq_tui.testing.play import Director, Part, Turn
from ccq_tui.testing.scenario import Cut, Failure, Silence, error_body

_DELTA_TYPES = {"text": "text_delta", "thinking": "thinking_delta", "partial_json": "input_json_delta"}


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes to send, and the number of characters of content in them (what the speed counts)."""

    data: bytes
    characters: int = 0


def stream(turn: Turn, model: str, delta_size: int) -> Iterator[Chunk | Silence | Cut]:
    """Turn a message into a stream.

    Args:
        turn: The message.
        model: The model's name, as the request had it.
        delta_size: Characters per delta.

    Yields:
        Chunks to send, silences to keep, and at most one cut, which is the last.
    """
    parts = list(turn.parts)
    # A silence before the first content is one before the first byte.
    while parts and isinstance(parts[0], Silence):
        yield parts.pop(0)  # type: ignore[misc]
    yield _event("message_start", message=_envelope(turn, model))
    left = turn.cut.after if turn.cut is not None else None
    index = 0
    for part in parts:
        if isinstance(part, Silence):
            yield part
            continue
        yield _event("content_block_start", index=index, content_block=dict(part.start))
        for begin in range(0, len(part.content), delta_size):
            piece = part.content[begin : begin + delta_size]
            if left is not None and len(piece) > left:
                yield _delta(index, part, piece[:left])
                yield from _breaking(turn.cut)
                return
            left = None if left is None else left - len(piece)
            yield _delta(index, part, piece)
        if part.delta == "thinking":
            yield _event(
                "content_block_delta", index=index, delta={"type": "signature_delta", "signature": "c2lnbmVk"}
            )
        yield _event("content_block_stop", index=index)
        index += 1
    if turn.cut is not None:
        yield from _breaking(turn.cut)
        return
    yield _event(
        "message_delta",
        delta={"stop_reason": turn.stop_reason, "stop_sequence": None},
        usage={"output_tokens": turn.usage.get("output_tokens", 1)},
    )
    yield _event("message_stop")


def whole(turn: Turn, model: str) -> Iterator[Chunk | Silence | Cut]:
    """Turn a message into one JSON body, for a request without ``stream``; otherwise like ``stream``."""
    yield from (part for part in turn.parts if isinstance(part, Silence))
    if turn.cut is not None:
        yield turn.cut
        return
    content = [_block(part) for part in turn.parts if isinstance(part, Part)]
    usage = {**_no_cache(), **turn.usage}
    made = {**_envelope(turn, model), "content": content, "stop_reason": turn.stop_reason, "usage": usage}
    yield Chunk(json.dumps(made).encode())


def _block(part: Part) -> dict[str, Any]:
    if part.delta == "partial_json":
        return {**part.start, "input": json.loads(part.content)}
    return {**part.start, part.delta: part.content}


def _envelope(turn: Turn, model: str) -> dict[str, Any]:
    return {
        "id": turn.id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**_no_cache(), **turn.usage, "output_tokens": 1},
    }


def _no_cache() -> Mapping[str, int]:
    return {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


def _delta(index: int, part: Part, piece: str) -> Chunk:
    delta = {"type": _DELTA_TYPES[part.delta], part.delta: piece}
    return Chunk(_event("content_block_delta", index=index, delta=delta).data, len(piece))


def _breaking(cut: Cut | None) -> Iterator[Chunk | Cut]:
    if cut is None:
        return
    if cut.error:
        body = error_body(cut.error, "scripted failure in the stream")
        yield Chunk(f"event: error\ndata: {json.dumps(body)}\n\n".encode())
    yield cut


def _event(kind: str, **fields: Any) -> Chunk:
    return Chunk(f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode())


MOST_BYTES = 32_000_000
"""Most bytes of a request, as of the real API."""
_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


@dataclass
class Answerer:
    """Answers requests from a director's plays.

    Attributes:
        director: Returns the present one.
        pace: Has the present speed in characters per second, and the characters per delta.
        log: Takes each request, and is notified of each change to one.
    """

    director: Callable[[], Director]
    pace: "Pace"
    log: ModelLog

    def app(self) -> Starlette:
        """Return the application with its routes."""
        return Starlette(
            routes=[
                Route("/v1/messages", self.messages, methods=["POST"]),
                Route("/v1/messages/count_tokens", self.count_tokens, methods=["POST"]),
                Route("/{path:path}", self.anything, methods=_METHODS),
            ]
        )

    async def messages(self, request: Request) -> ASGIApp:
        """Answer a request to the Messages API."""
        exchange, incoming = await self._received(request, talks=True)
        director = self.director()
        try:
            answer, exchange.scenario = director.reply(incoming)
        except Exception as error:  # noqa: BLE001 - a script is the caller's code: anything may come out of it
            self.log.fail(error)
            body = error_body("invalid_request_error", f"the script failed: {error!r}")
            return self._finish(exchange, JSONResponse(body, 400))
        if isinstance(answer, Failure):
            made = JSONResponse(dict(answer.body), answer.status, dict(answer.headers))
            return self._finish(exchange, made)
        return SentMessage(answer, incoming, exchange, self, director.opened)

    async def count_tokens(self, request: Request) -> Response:
        """Answer a request to count tokens."""
        exchange, incoming = await self._received(request)
        return self._finish(exchange, JSONResponse({"input_tokens": incoming.tokens}))

    async def anything(self, request: Request) -> Response:
        """Answer the CLI's other calls: a greeting before connecting, and its reports under ``/api``."""
        exchange, _ = await self._received(request)
        if request.url.path.startswith("/api/") or request.url.path == "/":
            return self._finish(exchange, JSONResponse({}))
        body = error_body("not_found_error", f"the scripted model does not know {request.url.path}")
        return self._finish(exchange, JSONResponse(body, 404))

    async def _received(self, request: Request, *, talks: bool = False) -> tuple[Exchange, Incoming]:
        """Record a request, its role already set: another thread reads it from then on."""
        received = bytearray()
        async for piece in request.stream():
            received += piece
            if len(received) > MOST_BYTES:
                raise HTTPException(413, f"a request has at most {MOST_BYTES:,} bytes")
        body = _parsed(bytes(received))
        headers = {key.lower(): value for key, value in request.headers.items()}
        path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        incoming = Incoming(body or {}, headers)
        exchange = Exchange(request.method, path, headers, body)
        if talks:
            exchange.role = incoming.role.value
        self.log.add(exchange, incoming.tool_results)
        return exchange, incoming

    def _finish(self, exchange: Exchange, response: Response) -> Response:
        exchange.status = response.status_code
        exchange.first_byte = exchange.last_byte = time.monotonic()
        self.log.changed()
        return response


def _parsed(body: bytes) -> Mapping[str, Any] | None:
    try:
        found = json.loads(body) if body else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


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
        turn: The message.
        incoming: The request that it answers.
        exchange: Gets status and times.
        answerer: Has the present speed, and the log.
        opened: The gates that were released.
    """

    def __init__(
        self, turn: Turn, incoming: Incoming, exchange: Exchange, answerer: Answerer, opened: set[str]
    ) -> None:
        model = str(incoming.body.get("model", "scripted"))
        if incoming.body.get("stream"):
            kind, items = "text/event-stream", stream(turn, model, answerer.pace.delta_size)
        else:
            kind, items = "application/json", whole(turn, model)
        headers = {"content-type": kind, "cache-control": "no-cache"}
        super().__init__(self._pieces(items), headers=headers)
        self._pace, self._log, self._exchange, self._opened = answerer.pace, answerer.log, exchange, opened
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
                self._log.changed()
        finally:
            exchange.last_byte, exchange.broken = time.monotonic(), not self._complete
            self._log.changed()
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
                        await self._log.wait_async(partial(self._opened.__contains__, gate), limit)
                    due = time.monotonic()
                case Cut():
                    yield b""  # an answer that never began would become a 500
                    return
        yield batch
        self._complete = True


class ServerThread:
    """A uvicorn server on a port of 127.0.0.1, which takes connections at once.

    Args:
        app: The application.
        port: The port; 0 takes a free one.

    Raises:
        OSError: No port could be opened.
    """

    def __init__(self, app: ASGIApp, port: int = 0) -> None:
        config = uvicorn.Config(
            app,
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            # A scripted cut is an incomplete response on purpose; uvicorn would complain on the screen.
            log_level="critical",
            access_log=False,
            server_header=False,
            # The end of the server cancels open responses, which may be silent for long.
            timeout_graceful_shutdown=0,
        )
        # What connects before the thread serves waits in the queue of the socket.
        self._socket = socket.create_server(("127.0.0.1", port), backlog=128)
        self.port = self._socket.getsockname()[1]
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="ccq-scripted-model", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End every open response, close the port and join the thread.

        Raises:
            RuntimeError: The thread did not end within the limit.
        """
        self._server.should_exit = True
        self._thread.join(10.0)
        if self._thread.is_alive():
            raise RuntimeError("the scripted model did not stop within 10 s")

    def _run(self) -> None:
        with self._socket:
            asyncio.run(self._server.serve(sockets=[self._socket]))
