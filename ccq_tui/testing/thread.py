"""Runs an HTTP application on loopback in a thread of its own."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

_START_LIMIT = 10.0
_STOP_LIMIT = 10.0


class ServerThread:
    """A uvicorn server on a free port of 127.0.0.1.

    Args:
        make_app: Called inside the server's event loop.
        stopping: Called inside the server's event loop when it is to stop, to end open responses.
    """

    def __init__(self, make_app: Callable[[], ASGIApp], stopping: Callable[[], None]) -> None:
        self._make_app = make_app
        self._stopping = stopping
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: _Server | None = None
        self._thread = threading.Thread(target=self._run, name="ccq-scripted-model", daemon=True)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.port = 0

    def start(self) -> None:
        """Start serving.

        Raises:
            RuntimeError: The server did not come up.
            OSError: No port could be opened.
        """
        try:
            self._socket.bind(("127.0.0.1", 0))
            self._socket.listen(128)
        except OSError:
            self._socket.close()
            raise
        self.port = self._socket.getsockname()[1]
        self._thread.start()
        if not self._ready.wait(_START_LIMIT) or self._failure is not None:
            raise RuntimeError("the scripted model did not start") from self._failure

    def stop(self) -> None:
        """End every open response, close the port and join the thread.

        Raises:
            RuntimeError: The thread did not end within the limit, or the server had failed.
        """
        self.call(self._halt)
        self._thread.join(_STOP_LIMIT)
        if self._thread.is_alive():
            raise RuntimeError(f"the scripted model did not stop within {_STOP_LIMIT:g} s")
        if self._failure is not None:
            raise RuntimeError("the scripted model failed while it ran") from self._failure

    def call(self, function: Callable[[], None]) -> None:
        """Run a function inside the server's event loop soon; do nothing once the server has ended."""
        loop = self._loop
        if loop is not None and self._thread.is_alive():
            loop.call_soon_threadsafe(function)

    def _halt(self) -> None:
        self._stopping()
        if self._server is not None:
            self._server.should_exit = True

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as failure:  # noqa: BLE001 - handed to the thread that started or stops the server
            self._failure = failure
        finally:
            self._socket.close()
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        config = uvicorn.Config(
            self._make_app(),
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            # A scripted cut is an incomplete response on purpose; uvicorn would complain on the screen.
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=2,
        )
        self._server = _Server(config, self._ready)
        await self._server.serve(sockets=[self._socket])


class _Server(uvicorn.Server):
    """Notifies another thread once it accepts connections."""

    def __init__(self, config: uvicorn.Config, ready: threading.Event) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._ready.set()
