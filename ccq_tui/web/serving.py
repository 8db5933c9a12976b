"""Serves an app by the rules of the shelf, alone or inside another program."""

import asyncio
import contextlib
import gc
import ipaddress
import re
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from starlette.types import ASGIApp

from ccq_tui import DOCS
from ccq_tui.web.guards import PORT, guarded

ORIGIN = re.compile(r"https?://[\w.:\[\]-]+", re.ASCII)
EVERYWHERE = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
"""Addresses that stand for all of this machine's, and one by which it reaches itself."""


class ServeError(Exception):
    """An app cannot be served like this; the message says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """Where an app is served.

    Attributes:
        host: The address to listen at.
        port: The port; 0 for any that is free.
        public_url: The URL by which others reach it, or "" for its own.
        certificate: The file of its certificate, or None without TLS of its own.
        key: The file of the certificate's key.
        plain: Whether to serve others than this machine without TLS.
    """

    host: str = "127.0.0.1"
    port: int = 0
    public_url: str = ""
    certificate: Path | None = None
    key: Path | None = None
    plain: bool = False


Served = tuple[ASGIApp, Callable[[], None]]
"""An app, and what ends its streams."""


async def serve_app(
    options: Listening,
    opened: Callable[[str], AbstractAsyncContextManager[Served]],
    *,
    started: Callable[[str], None] | None = None,
    stop: asyncio.Event | None = None,
) -> None:
    """Serve an app until it is stopped or cancelled; the process's signals are left alone.

    Args:
        options: Where.
        opened: Opens the app, given the URL by which this machine reaches it.
        started: Called with that URL, as soon as it takes calls.
        stop: Ends it when it is set.

    Raises:
        ServeError: Its address, its certificate or its options cannot be used.
    """
    check_exposed(options)
    stopping = asyncio.create_task((stop or asyncio.Event()).wait())
    with _listening(options) as taken:
        url = own_url(options, taken.getsockname()[1])
        async with opened(url) as (inner, end_streams):
            tls = (options.public_url or url).startswith("https:")
            server = _Server(_config(guarded(inner, _names(options, url), tls=tls), options))
            serving = asyncio.create_task(server.serve(sockets=[taken]))
            gc.freeze()  # what was loaded stays: to look through it again and again delays calls by 10 ms
            try:
                if started is not None:
                    started(url)
                await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                stopping.cancel()
                end_streams()
                server.should_exit = True
                await asyncio.shield(serving)


def own_url(options: Listening, port: int) -> str:
    """Return the URL by which this machine reaches an app.

    Args:
        options: How it is served.
        port: Its port.
    """
    host = EVERYWHERE.get(options.host, options.host)
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if options.certificate else 'http'}://{shown}:{port}"


def check_public(url: str) -> None:
    """Raise `ServeError` for a public URL that is no origin."""
    if url and not ORIGIN.fullmatch(url):
        raise ServeError("the public URL must be an origin, such as https://relay.example.org")


def check_exposed(options: Listening) -> None:
    """Raise `ServeError` if others could read along."""
    check_public(options.public_url)
    if (options.certificate is None) != (options.key is None):
        raise ServeError("a certificate needs its key: give both --certfile and --keyfile")
    if options.certificate or options.plain or _is_loopback(options.host):
        return
    raise ServeError(
        f"{options.host} can be reached from other machines, which could read all of it without TLS; "
        "serve 127.0.0.1 behind Tailscale or Caddy, or give --certfile and --keyfile. "
        f"To take the risk in a network of your own: --without-tls. See {DOCS}/relay.md"
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _names(options: Listening, url: str) -> set[str]:
    """Return the hosts by which an app may be called."""
    found = {PORT.sub("", urlsplit(one).netloc) for one in (url, options.public_url or url)}
    if _is_loopback(options.host) or options.host in EVERYWHERE:
        found |= {"127.0.0.1", "localhost", "[::1]"}
    return {name.lower() for name in found}


def _listening(options: Listening) -> socket.socket:
    """Take the port, before anything else is started."""
    try:
        family = socket.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM)[0][0]
        taken = socket.create_server((options.host, options.port), family=family, backlog=1024)
        # asyncio leaves connections of such a socket without it, and each response would wait 40 ms.
        taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
    except OSError as error:
        why = error.strerror or str(error)
        raise ServeError(
            f"port {options.port} of {options.host} cannot be used: {why}; choose another --port"
        ) from error
    return taken


def _config(app: object, options: Listening) -> uvicorn.Config:
    config = uvicorn.Config(
        app,  # type: ignore[arg-type]
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
        limit_concurrency=5_000,
        ssl_certfile=options.certificate,
        ssl_keyfile=options.key,
    )
    try:
        config.load()
    except OSError as error:
        why = error.strerror or str(error)
        raise ServeError(
            f"{options.certificate} cannot be used with its key: {why}; check both files"
        ) from error
    return config


def stopped_by_signals() -> asyncio.Event:
    """Return an event that SIGINT and SIGTERM set, in a loop that runs."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


class _Server(uvicorn.Server):
    """A server that leaves the signals of its process alone."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
