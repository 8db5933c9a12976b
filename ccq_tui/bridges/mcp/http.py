"""The server for clients on this machine, over streamable HTTP: loopback alone, and with a token."""

import asyncio
import hmac
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ccq_tui.bridges.mcp.server import AskingServer, CallPlace, Context, directory_of
from ccq_tui.bridges.mcp.token import HOST, PATH
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.web.serving import Listening, Served, serve_app, stopped_by_signals

EXCHANGE = "ccq_tui.exchange"
"""Key of a request's `HttpExchange` in its scope."""
IDLE_SECONDS = 24 * 3600.0
"""Seconds that a session without any request stays."""


async def serve_http(port: int, token: str, inbox_file: Path, started: Callable[[str], None]) -> None:
    """Serve clients until a signal stops the process; their requests stay pending.

    Args:
        port: The port of this machine, or 0 for any free one.
        token: The token that every request must bring.
        inbox_file: The inbox.
        started: Called with the server's URL, as soon as it takes requests.

    Raises:
        InboxError: The inbox cannot be opened.
        ServeError: The port cannot be used.
    """

    @asynccontextmanager
    async def opened(_url: str) -> AsyncIterator[Served]:
        inbox = await Inbox.connect(inbox_file)
        try:
            server = AskingServer(inbox, place_of)
            manager = StreamableHTTPSessionManager(
                server.mcp, session_idle_timeout=IDLE_SECONDS, max_sessions=1000
            )
            async with manager.run():
                yield behind_token(manager.handle_request, token, inbox), lambda: None
        finally:
            await inbox.close()

    await serve_app(Listening(host=HOST, port=port), opened, started=started, stop=stopped_by_signals())


class HttpExchange:
    """One request over HTTP, and the response to it.

    Attributes:
        disconnected: Set when the client has left or the response is complete.
        outcomes: The requests whose outcomes are in the response.
    """

    def __init__(self) -> None:
        self.disconnected = asyncio.Event()
        self.outcomes: list[str] = []


def place_of(context: Context) -> CallPlace:
    """Return the place of a call."""
    scope: Scope = context.request.scope if context.request is not None else {}
    exchange: HttpExchange = scope[EXCHANGE]
    given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("directory", [""])[0]
    session = Headers(scope=scope).get("mcp-session-id") or f"exchange {id(exchange)}"
    return CallPlace(session, directory_of(given), exchange.disconnected, exchange.outcomes.append)


def behind_token(app: ASGIApp, token: str, inbox: Inbox) -> ASGIApp:
    """Return an app behind a check of the token; it notes the outcomes that reach a client.

    Args:
        app: The app.
        token: The token.
        inbox: Learns of the requests whose outcomes were sent whole.
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
                exchange.disconnected.set()
            return message

        async def noted(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                while exchange.outcomes and not exchange.disconnected.is_set():
                    inbox.sessions.delivered(exchange.outcomes.pop(), "result")

        try:
            await app({**scope, EXCHANGE: exchange}, watched, noted)
        finally:
            exchange.disconnected.set()

    return checked


def _refusal(scope: Scope, wanted: bytes) -> PlainTextResponse | None:
    given = Headers(scope=scope).get("authorization", "").encode("latin-1", "replace")
    if not hmac.compare_digest(given, wanted):
        message = "The token of ccq-tui is missing or wrong: ccq-tui mcp config says where it is.\n"
        return PlainTextResponse(message, 401, {"WWW-Authenticate": "Bearer"})
    return None if scope["path"] == PATH else PlainTextResponse(f"Only {PATH} is here.\n", 404)
