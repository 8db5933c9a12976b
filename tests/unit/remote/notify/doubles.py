"""Servers on loopback that notifications are sent to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver(ThreadingHTTPServer):
    """A server that keeps what it accepts: an ntfy, and at other paths any service, with the path's status.

    Attributes:
        got: The path, the headers and the content of each accepted request.
        place: Its host and port.
        authorization: The header without which its ntfy refuses everything, or "".
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.got: list[tuple[str, Any, Any]] = []
        self.authorization = ""
        self.place = f"127.0.0.1:{self.server_port}"

    @property
    def contents(self) -> list[Any]:
        """The contents of what was accepted."""
        return [content for _, _, content in self.got]


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status, error = self.judged(body)
        if status == 200:
            self.server.got.append((self.path, self.headers, json.loads(body) if body[:1] == b"{" else body))
        self.send_response(status)
        if "long" in self.path:
            self.send_header("Content-Length", str(10**12))
        self.end_headers()
        self.wfile.write(json.dumps({"error": error}).encode())

    def judged(self, body: bytes) -> tuple[int, str]:
        """Refuse what a path says, and what ntfy refuses: server/server.go and server/actions.go of v2.13."""
        if self.path != "/":
            return int("".join(re.findall(r"^/([345]\d\d)", self.path)) or 200), "no"
        if self.server.authorization not in ("", self.headers["Authorization"]):
            return 403, "forbidden"
        said = json.loads(body)
        if len(body) > 2 * 4096 or not re.fullmatch(r"[-_A-Za-z0-9]{1,64}", said["topic"]):
            return 400, "invalid request: topic invalid"
        if len(said["message"].encode()) > 4096 or len(said.get("actions", [])) > 3:
            return 400, "invalid request: message or actions invalid"
        return 200, ""

    def log_message(self, *args: object) -> None:
        """Print nothing."""


@contextmanager
def serving() -> Iterator[Receiver]:
    """Serve on a free port of loopback."""
    with Receiver() as server, ThreadPoolExecutor(1) as threads:
        threads.submit(server.serve_forever, poll_interval=0.01)
        try:
            yield server
        finally:
            server.shutdown()
