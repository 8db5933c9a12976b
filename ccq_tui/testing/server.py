"""The HTTP side of the scripted model: its routes and their answers."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from ccq_tui.testing.incoming import Incoming
from ccq_tui.testing.log import Exchange
from ccq_tui.testing.play import Turn
from ccq_tui.testing.scenario import Failure, error_body
from ccq_tui.testing.sent_message import Pace, SentMessage
from ccq_tui.testing.wire import stream, whole

_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


class Answerer:
    """Answers requests from a director's plays.

    Args:
        answer: Decides what to say: the message or failure, and the name of its scenario.
        pace: Has the present speed in characters per second, and the characters per delta.
        record: Called with a new exchange, and again at every change to one.
        failed: Called with an error in the script itself.
    """

    def __init__(
        self,
        answer: Callable[[Incoming], tuple[Turn | Failure, str]],
        pace: Pace,
        record: Callable[[Exchange], None],
        failed: Callable[[Exception], None],
    ) -> None:
        self._answer, self._pace = answer, pace
        self._record, self._failed = record, failed
        self._gates: dict[str, asyncio.Event] = {}

    def app(self) -> Starlette:
        """Return the application with its routes."""
        return Starlette(
            routes=[
                Route("/v1/messages", self.messages, methods=["POST"]),
                Route("/v1/messages/count_tokens", self.count_tokens, methods=["POST"]),
                Route("/{path:path}", self.anything, methods=_METHODS),
            ]
        )

    def close_gates(self) -> None:
        """Have every later silence wait; those there keep their gates."""
        self._gates = {}

    def open_gate(self, gate: str) -> None:
        """End the silences that wait, or will wait, for a gate."""
        self._gate(gate).set()

    async def messages(self, request: Request) -> ASGIApp:
        """Answer a request to the Messages API."""
        exchange, incoming = await self._received(request, talks=True)
        try:
            answer, exchange.scenario = self._answer(incoming)
        except Exception as error:  # noqa: BLE001 - a script is the caller's code: anything may come out of it
            self._failed(error)
            body = error_body("invalid_request_error", f"the script failed: {error!r}")
            return self._finish(exchange, JSONResponse(body, 400))
        if isinstance(answer, Failure):
            made = JSONResponse(dict(answer.body), answer.status, dict(answer.headers))
            return self._finish(exchange, made)
        return self._message(exchange, answer, incoming)

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
        body = _parsed(await request.body())
        headers = {key.lower(): value for key, value in request.headers.items()}
        path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        incoming = Incoming(body or {}, headers)
        exchange = Exchange(request.method, path, headers, body)
        if talks:
            exchange.role = incoming.role.value
        self._record(exchange)
        return exchange, incoming

    def _finish(self, exchange: Exchange, response: Response) -> Response:
        exchange.status = response.status_code
        exchange.first_byte = exchange.last_byte = time.monotonic()
        self._record(exchange)
        return response

    def _message(self, exchange: Exchange, turn: Turn, incoming: Incoming) -> ASGIApp:
        model = str(incoming.body.get("model", "scripted"))
        streamed = bool(incoming.body.get("stream"))
        return SentMessage(
            stream(turn, model, self._pace.delta_size) if streamed else whole(turn, model),
            content_type="text/event-stream" if streamed else "application/json",
            pace=self._pace,
            opened=lambda gate: self._gate(gate).wait(),
            exchange=exchange,
            record=self._record,
        )

    def _gate(self, name: str) -> asyncio.Event:
        return self._gates.setdefault(name, asyncio.Event())


def _parsed(body: bytes) -> Mapping[str, Any] | None:
    try:
        found = json.loads(body) if body else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
