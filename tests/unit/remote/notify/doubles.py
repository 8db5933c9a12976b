"""Servers on loopback that notifications are sent to."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ccq_tui.testing.server import ServerThread


class Receiver:
    """A server that keeps what it accepts: an ntfy, and at other paths any service, with the path's status.

    Attributes:
        got: The path, the headers and the content of each accepted request.
        place: Its host and port.
        authorization: The header without which its ntfy refuses everything, or "".
    """

    def __init__(self) -> None:
        self.got: list[tuple[str, Any, Any]] = []
        self.authorization = self.place = ""

    @property
    def contents(self) -> list[Any]:
        """The contents of what was accepted."""
        return [content for _, _, content in self.got]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope, receive)
        path, body = request.url.path, await request.body()
        status, error = self.judged(path, request.headers.get("authorization", ""), body)
        if status == 200:
            self.got.append((path, request.headers, json.loads(body) if body[:1] == b"{" else body))
        headers = {"content-length": str(10**12)} if "long" in path else None
        await Response(json.dumps({"error": error}), status, headers)(scope, receive, send)

    def judged(self, path: str, authorization: str, body: bytes) -> tuple[int, str]:
        """Refuse what a path says, and what ntfy refuses: server/server.go and server/actions.go of v2.13."""
        if path != "/":
            return int("".join(re.findall(r"^/([345]\d\d)", path)) or 200), "no"
        if self.authorization not in ("", authorization):
            return 403, "forbidden"
        fields = json.loads(body)
        if len(body) > 2 * 4096 or not re.fullmatch(r"[-_A-Za-z0-9]{1,64}", fields["topic"]):
            return 400, "invalid request: topic invalid"
        if len(fields["message"].encode()) > 4096 or len(fields.get("actions", [])) > 3:
            return 400, "invalid request: message or actions invalid"
        return 200, ""


@contextmanager
def serving() -> Iterator[Receiver]:
    """Serve on a free port of loopback."""
    receiver = Receiver()
    server = ServerThread(receiver)
    receiver.place = f"127.0.0.1:{server.port}"
    try:
        yield receiver
    finally:
        server.stop()
