"""The server for the one client that starts it, over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import re
import select
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import anyio
from mcp import types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from ccq_tui.bridges.mcp.calls import WaitingCalls
from ccq_tui.bridges.mcp.server import AskingServer, CallPlace, Context, directory_of
from ccq_tui.inbox.durable import DurableInbox

MOST_BYTES = 4 * 1024 * 1024
"""Most bytes of a message, as over HTTP."""
WAITING_LINES = 64
"""Most messages that are read ahead."""
PARSE_ERROR, INVALID_REQUEST = -32700, -32600
LEAVING_SECONDS = 2.0
"""Seconds in which a client that has left must read the rest."""
_LOOKS = 500
"""Milliseconds between two looks whether it has left."""
_END = 300
_ID_LAST = re.compile(rb'"id"\s*:\s*(\d{1,15}|"[^"\\]{1,64}")\s*\}\s*$')
_ID_FIRST = re.compile(
    rb'^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[^"\\]{1,64}")\s*,'
)
WRITTEN_SECONDS = 5.0
"""Seconds to wait at the end for writes to a client that has left."""


async def serve_stdio(inbox_file: Path, directory: str) -> None:
    """Serve the client until it leaves; its unanswered requests stay pending.

    Args:
        inbox_file: The inbox.
        directory: The client's working directory, if it does not name one itself.

    Raises:
        InboxError: The inbox cannot be opened.
    """
    lines = StdioLines()
    inbox = await DurableInbox.open(inbox_file)
    try:
        calls = WaitingCalls(inbox)
        stream = StdioStream(lines, calls, directory_of(directory))
        server = AskingServer(calls, stream.place_of)
        try:
            await server.mcp.run(stream, stream, server.mcp.create_initialization_options())
        finally:
            await stream.written()
    finally:
        await inbox.close()


class StdioLines:
    """The lines of a client, and the lines to it.

    The process's own standard output is put aside: everything that code prints goes to standard error instead
    of between messages, and standard input is empty for all other readers.
    """

    def __init__(self) -> None:
        self._source: BinaryIO = os.fdopen(_aside(0, os.open(os.devnull, os.O_RDONLY)), "rb")
        self._target = _aside(1, os.dup(2))
        self._writing = threading.Lock()
        self._left_at: float | None = None

    async def read(self) -> AsyncIterator[bytes]:
        """Yield the lines until the client leaves."""
        loop, lines = asyncio.get_running_loop(), asyncio.Queue[bytes](WAITING_LINES)

        def put(line: bytes) -> None:
            asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()

        # A daemon: only a client that writes or leaves ends a read.
        threading.Thread(target=self._read, args=(put,), name="mcp input", daemon=True).start()
        while line := await lines.get():
            yield line

    def write(self, line: bytes) -> None:
        """Write a line whole; raises `OSError` if the client no longer reads."""
        with self._writing:
            room = select.poll()
            room.register(self._target, select.POLLOUT)
            left = memoryview(line)
            while left:
                if room.poll(_LOOKS):
                    left = left[os.write(self._target, left[: select.PIPE_BUF]) :]
                elif self._left_at is not None and time.monotonic() - self._left_at > LEAVING_SECONDS:
                    raise TimeoutError("the client has left and reads nothing")

    def _read(self, put: Callable[[bytes], None]) -> None:
        with suppress(RuntimeError, CancelledError):  # the server has ended, so nobody is left to take a line
            while line := self._next_line():
                put(line)
            self._left_at = time.monotonic()
            put(b"")

    def _next_line(self) -> bytes:
        """Read a line; answer and skip those that are too long."""
        try:
            while len(line := self._source.readline(MOST_BYTES + 1)) > MOST_BYTES:
                head, tail = line[:_END], line[-_END:]
                while not tail.endswith(b"\n") and (more := self._source.readline(MOST_BYTES)):
                    tail = (tail + more)[-_END:]
                found = _ID_FIRST.search(head) or _ID_LAST.search(tail)
                said = f"a message may have {MOST_BYTES:,} bytes: put long material into a file and name it"
                self._answer(error_line(json.loads(found[1]) if found else None, INVALID_REQUEST, said))
        except OSError:
            return b""
        return line

    def _answer(self, line: bytes) -> None:
        try:
            self.write(line)
        except OSError:
            return  # the client is gone, and the end of its input follows


class StdioStream:
    """The stream that the package reads from and writes to.

    Args:
        lines: The lines.
        calls: Gets the ids of requests whose outcomes were written.
        directory: The client's working directory, if it does not name one itself.
    """

    def __init__(self, lines: StdioLines, calls: WaitingCalls, directory: str) -> None:
        self._lines = lines
        self._unread = lines.read()
        self._calls = calls
        self._directory = directory
        self._gone = asyncio.Event()
        self._outcomes: dict[str, list[str]] = {}
        self._writing: set[asyncio.Task[None]] = set()

    def place_of(self, context: Context) -> CallPlace:
        """Return the place of a call."""

        def answered(request_id: str) -> None:
            self._outcomes.setdefault(str(context.request_id), []).append(request_id)

        return CallPlace("stdio", self._directory, self._gone, answered)

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message; raises `EndOfStream` if the client left."""
        try:
            return await anext(self)
        except StopAsyncIteration as error:
            raise anyio.EndOfStream from error

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        async for line in self._unread:
            if not line.strip():
                continue
            try:
                return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
            except ValidationError:
                await self._write(refused(line))
        raise StopAsyncIteration

    async def send(self, item: SessionMessage, /) -> None:
        """Write a message; a written outcome counts as delivered.

        Raises `BrokenResourceError` if the client no longer reads.
        """
        message = item.message
        outcomes = []
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            outcomes = self._outcomes.pop(str(message.id), [])
        await self._write(
            message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n", outcomes
        )

    async def written(self) -> None:
        """Wait until all writes have ended; for use once the client has left."""
        if self._writing:
            await asyncio.wait(self._writing, timeout=WRITTEN_SECONDS)

    async def _write(self, line: bytes, outcomes: Iterable[str] = ()) -> None:
        writing = asyncio.ensure_future(self._write_whole(line, outcomes))
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)
        # A client that has read the line may leave at once, which cancels the task that waits here.
        await asyncio.shield(writing)

    async def _write_whole(self, line: bytes, outcomes: Iterable[str]) -> None:
        try:
            await asyncio.to_thread(self._lines.write, line)
        except OSError as error:
            self._gone.set()
            raise anyio.BrokenResourceError from error
        for request_id in outcomes:
            self._calls.delivered(request_id)

    async def aclose(self) -> None:
        """Do nothing: the process ends next."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        """Do nothing, as above."""


def refused(line: bytes) -> bytes:
    """Answer a line that is no message of the protocol; use a request's id, so that nobody waits for it."""
    said = "not a message of the protocol"
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return error_line(None, PARSE_ERROR, said)
    match message:
        case {"method": str(), "id": str() | int() as id_} if not isinstance(id_, bool):
            more = "check its fields, and that no text holds half of a character"
            return error_line(id_, INVALID_REQUEST, f"{said}: {more}")
    return error_line(None, PARSE_ERROR, said)


def error_line(id_: str | int | None, code: int, message: str) -> bytes:
    """Write an error as a message of the protocol."""
    error = {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}}
    return json.dumps(error, separators=(",", ":")).encode() + b"\n"


def _aside(descriptor: int, instead: int) -> int:
    """Put another descriptor in place of a standard stream's, and return a copy of the stream's own."""
    if sys.stdout is not None:
        sys.stdout.flush()
    kept = os.dup(descriptor)
    os.dup2(instead, descriptor)
    os.close(instead)
    return kept
