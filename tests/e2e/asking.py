"""A desk at which MCP clients ask: a clean home, the installed program, and clients that can be killed."""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from mcp import Client, StdioServerParameters, stdio_client, types

from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.store.store import Store
from tests.e2e.conftest import program
from tests.e2e.over_http import CODEX
from tests.e2e.terminal import LIMIT, Terminal
from tests.processes import with_variable
from tests.steps import until, until_true


@dataclass
class Desk:
    """A home, and what is asked in it.

    Attributes:
        home: The home directory.
        project: Where clients work.
    """

    home: Path
    project: Path

    @classmethod
    def make(cls, path: Path) -> Self:
        """Make a home and a project."""
        desk = cls(path / "home", path / "project")
        desk.home.mkdir()
        desk.project.mkdir()
        return desk

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if "store" in vars(self):
            self.store.close()
        until(lambda: not self.left_over(), 20)

    @property
    def env(self) -> dict[str, str]:
        """The environment of all programs."""
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPYCACHEPREFIX") if name in os.environ}
        return {**kept, "HOME": str(self.home), "TERM": "xterm-256color", "LANG": "C.UTF-8"}

    def run(self, *arguments: str, code: int = 0, lines: str | None = None) -> str:
        """Run a command, with lines as its input; return what it prints."""
        done = subprocess.run(
            [program(), *arguments],
            env=self.env,
            cwd=self.project,
            input=lines,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    @cached_property
    def store(self) -> Store:
        """The inbox."""
        return Store(self._file)

    def stored(self, request_id: str) -> StoredRequest:
        """Return a request."""
        found = self.store.requests.get(request_id)
        assert found is not None
        return found

    async def waiting(self, count: int = 1) -> list[str]:
        """Wait until so many requests wait; return their ids, oldest first."""
        found: list[str] = []

        def there() -> bool:
            found[:] = self.waits()
            return len(found) == count

        await until_true(there)
        return found

    def waits(self) -> list[str]:
        """Return the ids of what waits now, oldest first."""
        return [one.request.id for one in self.store.requests.waiting()] if self._file.exists() else []

    @property
    def _file(self) -> Path:
        return self.home / ".local/state/ccq-tui/inbox.db"

    @contextmanager
    def inbox(self, size: tuple[int, int] = (100, 30)) -> Iterator[Terminal]:
        """Open the inbox screen."""
        with Terminal([program(), "inbox"], self.env, self.project, size) as terminal:
            yield terminal
            terminal.press("ctrl+q")
            assert terminal.wait_end() == 0

    @asynccontextmanager
    async def client(
        self, mode: str = "legacy", info: types.Implementation = CODEX, **options: Any
    ) -> AsyncIterator[Client]:
        """Connect the package's client over stdio."""
        server = StdioServerParameters(command=program(), args=["mcp"], env=self.env, cwd=str(self.project))
        async with Client(stdio_client(server), mode=mode, client_info=info, **options) as client:
            yield client

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[tuple[str, dict[str, str]]]:
        """Serve over HTTP; gives the URL and the headers of the configuration that is printed."""
        server = subprocess.Popen(  # noqa: ASYNC220 - nothing waits for it
            [program(), "mcp", "--http", "--port", "0"],
            env=self.env,
            cwd=self.project,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            line = await asyncio.to_thread(server.stderr.readline)
            url = line.split()[3].rstrip(";")
            port = url.partition("127.0.0.1:")[2].partition("/")[0]
            config = await asyncio.to_thread(self.run, "mcp", "config", "claude", "--http", "--port", port)
            entry = json.loads(config.partition("Add to ")[0])["mcpServers"]["ccq"]
            assert entry["url"] == url
            yield url, entry["headers"]
        finally:
            server.send_signal(signal.SIGTERM)
            try:
                assert server.wait(timeout=LIMIT) == 0
            except subprocess.TimeoutExpired:
                server.kill()
                raise
            finally:
                server.stderr.close()

    def left_over(self) -> list[int]:
        """Return processes that were started with this home and still run."""
        return with_variable(str(self.home))


class BareClient:
    """A client that speaks the protocol by hand, so that it and its server can be killed at any moment."""

    def __init__(self, desk: Desk, name: str = "codex-mcp-client") -> None:
        self.server = subprocess.Popen(
            [program(), "mcp"], env=desk.env, cwd=desk.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self._in, self._out = self.server.stdin, self.server.stdout
        self._number = 0
        params = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": name, "version": "1"},
        }
        self.hello = self.result(self.send("initialize", params))
        self.tell("notifications/initialized")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.leave()
        assert self.server.wait(timeout=LIMIT) is not None

    def send(self, method: str, params: Mapping[str, Any]) -> int:
        """Send a request; return its id."""
        self._number += 1
        self.write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def ask(self, *questions: Mapping[str, Any]) -> int:
        """Call ask_user; return the id of the call."""
        return self.send("tools/call", {"name": "ask_user", "arguments": {"questions": list(questions)}})

    def tell(self, method: str, **params: Any) -> None:
        """Send a notification."""
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def write(self, message: Mapping[str, Any] | bytes) -> None:
        """Write a line."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self._in.write(line + b"\n")
        self._in.flush()

    def read(self) -> dict[str, Any]:
        """Read the next message."""
        line = self._out.readline()
        assert line, "the server ended"
        message: dict[str, Any] = json.loads(line)
        return message

    def rest(self) -> list[dict[str, Any]]:
        """Read all that is left of a server that has ended."""
        return [json.loads(line) for line in self._out if line.endswith(b"\n")]

    def answer(self, number: int | None) -> dict[str, Any]:
        """Read the answer to a request, whatever comes before it."""
        while (message := self.read()).get("id") != number or "method" in message:
            pass
        return message

    def result(self, number: int) -> dict[str, Any]:
        """Read the result of a request."""
        result: dict[str, Any] = self.answer(number)["result"]
        return result

    def kill_server(self) -> None:
        """Kill the server."""
        self.server.kill()
        self.server.wait(timeout=LIMIT)

    def leave(self) -> None:
        """End as a client does that is killed: its ends of the pipes are closed."""
        self._in.close()
        self._out.close()


def selected(result: Mapping[str, Any] | types.CallToolResult) -> list[list[str]]:
    """Return the labels of each answer."""
    content = (
        result.structured_content if isinstance(result, types.CallToolResult) else result["structuredContent"]
    )
    return [answer["selected"] for answer in content["answers"]]
