"""Runs an HTTP application on loopback in a thread of its own."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from contextlib import suppress

import uvicorn
from starlette.types import ASGIApp

_STOP_LIMIT = 10.0


class ServerThread:
    """A uvicorn server on a free port of 127.0.0.1, which takes connections at once.

    Args:
        app: The application.

    Raises:
        OSError: No port could be opened.
    """

    def __init__(self, app: ASGIApp) -> None:
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
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._socket.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="ccq-scripted-model", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End every open response, close the port and join the thread.

        Raises:
            RuntimeError: The thread did not end within the limit.
        """
        self._server.should_exit = True
        self._thread.join(_STOP_LIMIT)
        if self._thread.is_alive():
            raise RuntimeError(f"the scripted model did not stop within {_STOP_LIMIT:g} s")

    def call(self, function: Callable[[], None]) -> None:
        """Run a function inside the server's event loop soon; do nothing once the server has ended."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(function)

    def _run(self) -> None:
        with self._socket, asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._server.serve(sockets=[self._socket]))
