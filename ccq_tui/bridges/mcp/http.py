"""The server for clients on this machine, over streamable HTTP: loopback alone, and with a token."""

from __future__ import annotations

import asyncio
import hmac
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ccq_tui.bridges.mcp.calls import WaitingCalls
from ccq_tui.bridges.mcp.server import AskingServer, CallPlace, Context, directory_of
from ccq_tui.bridges.mcp.token import HOST, PATH
from ccq_tui.inbox.inbox import Inbox

EXCHANGE = "ccq_tui.exchange"
"""Key of a request's `HttpExchange` in its scope."""
SESSION_HEADER = "mcp-session-id"
IDLE_SECONDS = 24 * 3600.0
"""Seconds that a session without any request stays."""
STOP_SECONDS = 2
"""Seconds to wait for open connections at the end."""
STOPS = (signal.SIGINT, signal.SIGTERM)


def listening(port: int) -> socket.socket:
    """Take a port of this machine, or any free one for 0; raises `OSError`."""
    taken = socket.create_server((HOST, port))
    # asyncio leaves it off here, and each answer would wait 40 ms for the client's acknowledgement.
    taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return taken


async def serve_http(taken: socket.socket, token: str, inbox_file: Path) -> None:
    """Serve clients until a signal stops the process; their requests stay pending.

    Args:
        taken: The port.
        token: The token that every request must bring.
        inbox_file: The inbox.

    Raises:
        InboxError: The inbox cannot be opened.
    """
    inbox = await Inbox.connect(inbox_file)
    try:
        calls = WaitingCalls(inbox)
        server = AskingServer(calls, place_of)
        port = taken.getsockname()[1]
        names = [f"{name}:{port}" for name in (HOST, "localhost", "[::1]")]
        manager = StreamableHTTPSessionManager(
            server.mcp,
            security_settings=TransportSecuritySettings(
                allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
            ),
            session_idle_timeout=IDLE_SECONDS,
            max_sessions=1000,
        )
        config = uvicorn.Config(
            guarded(manager.handle_request, token, calls.delivered),
            lifespan="off",
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
        async with manager.run():
            await StoppableServer(config).serve(sockets=[taken])
    finally:
        await inbox.close()


class StoppableServer(uvicorn.Server):
    """A server that returns after a signal stopped it; uvicorn's own would end the process by that signal."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at the signals that end a program."""
        for number in STOPS:
            asyncio.get_running_loop().add_signal_handler(number, self.handle_exit, number, None)
        yield


class HttpExchange:
    """One request over HTTP, and the response to it.

    Attributes:
        gone: Set when the client has left or the response is complete.
        outcomes: The requests whose outcomes are in the response.
    """

    def __init__(self) -> None:
        self.gone = asyncio.Event()
        self.outcomes: list[str] = []


def place_of(context: Context) -> CallPlace:
    """Return the place of a call."""
    scope: Scope = context.request.scope if context.request is not None else {}
    exchange: HttpExchange = scope[EXCHANGE]
    given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("directory", [""])[0]
    session = Headers(scope=scope).get(SESSION_HEADER) or f"exchange {id(exchange)}"
    return CallPlace(session, directory_of(given), exchange.gone, exchange.outcomes.append)


def guarded(app: ASGIApp, token: str, delivered: Callable[[str], None]) -> ASGIApp:
    """Return an app behind a check of the token; it reports the outcomes that reach a client.

    Args:
        app: The app.
        token: The token.
        delivered: Called with the id of each request whose outcome was sent whole.
    """

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        refusal = _refusal(scope, b"Bearer " + token.encode())
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        exchange = HttpExchange()

        async def watched() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect":
                exchange.gone.set()
            return message

        async def noted(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                while exchange.outcomes and not exchange.gone.is_set():
                    delivered(exchange.outcomes.pop())

        try:
            await app({**scope, EXCHANGE: exchange}, watched, noted)
        finally:
            exchange.gone.set()

    return checked


def _refusal(scope: Scope, wanted: bytes) -> PlainTextResponse | None:
    given = Headers(scope=scope).get("authorization", "").encode("latin-1", "replace")
    if not hmac.compare_digest(given, wanted):
        said = "The token of ccq-tui is missing or wrong: ccq-tui mcp config says where it is.\n"
        return PlainTextResponse(said, 401, {"WWW-Authenticate": "Bearer"})
    return None if scope["path"] == PATH else PlainTextResponse(f"Only {PATH} is here.\n", 404)
