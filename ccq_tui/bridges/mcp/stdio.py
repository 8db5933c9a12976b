"""The server for the one client that starts it, over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import anyio
from mcp import types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from ccq_tui.bridges.mcp.calls import WaitingCalls
from ccq_tui.bridges.mcp.server import AskingServer, CallPlace, Context, directory_of
from ccq_tui.inbox.inbox import Inbox

MOST_BYTES = 64 * 1024 * 1024
"""Most bytes of a message; what the tools take is far less."""
PARSE_ERROR, INVALID_REQUEST = -32700, -32600
LEAVING_SECONDS = 2.0
"""Seconds in which a client that has left must read the rest."""


async def serve_stdio(inbox_file: Path, directory: str) -> None:
    """Serve the client until it leaves; its unanswered requests stay pending.

    Args:
        inbox_file: The inbox.
        directory: The client's working directory, if it does not name one itself.

    Raises:
        InboxError: The inbox cannot be opened.
    """
    reader, writer = await _client_pipes()
    inbox = await Inbox.connect(inbox_file)
    try:
        calls = WaitingCalls(inbox)
        stream = StdioStream(reader, writer, calls, directory_of(directory))
        server = AskingServer(calls, stream.place_of)
        try:
            await server.mcp.run(stream, stream, server.mcp.create_initialization_options())
        finally:
            await stream.written()
    finally:
        await inbox.close()


async def _client_pipes() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open the pipes from and to the client.

    The process's own standard output is put aside: everything that code prints goes to standard error instead
    of between messages, and standard input is empty for all other readers.
    """
    reader = asyncio.StreamReader(MOST_BYTES)
    source, target = _aside(0, os.open(os.devnull, os.O_RDONLY)), _aside(1, os.dup(2))
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(source, "rb")
    )
    return reader, await pipe_to(target)


async def pipe_to(target: int) -> asyncio.StreamWriter:
    """Open a pipe for writing; what was drained is written."""
    loop, flow = asyncio.get_running_loop(), asyncio.StreamReaderProtocol(asyncio.StreamReader())
    transport, _ = await loop.connect_write_pipe(lambda: flow, os.fdopen(target, "wb"))
    transport.set_write_buffer_limits(0)
    return asyncio.StreamWriter(transport, flow, None, loop)


class StdioStream:
    """The stream that the package reads from and writes to.

    Args:
        reader: Gives what the client writes.
        writer: Takes what the client reads.
        calls: Gets the ids of requests whose outcomes were written.
        directory: The client's working directory, if it does not name one itself.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, calls: WaitingCalls, directory: str
    ) -> None:
        self._reader, self._writer = reader, writer
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
        while line := await self._next_line():
            if not line.strip():
                continue
            try:
                return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
            except ValidationError:
                await self._write(refused(line))
        raise StopAsyncIteration

    async def _next_line(self) -> bytes:
        try:
            return await self._reader.readline()
        except ValueError:
            return b"!"  # more than is read at once: no message
        except OSError:
            return b""

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
        """Wait until all writes have ended; for use once the client has left, which may read no more."""
        if self._writing:
            await asyncio.wait(self._writing, timeout=LEAVING_SECONDS)
        self._writer.close()

    async def _write(self, line: bytes, outcomes: Iterable[str] = ()) -> None:
        writing = asyncio.ensure_future(self._write_whole(line, outcomes))
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)
        # A client that has read the line may leave at once, which cancels the task that waits here.
        await asyncio.shield(writing)

    async def _write_whole(self, line: bytes, outcomes: Iterable[str]) -> None:
        try:
            self._writer.write(line)
            await self._writer.drain()
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
    said, name, code = "not a message of the protocol", None, PARSE_ERROR
    with suppress(ValueError, RecursionError):
        match json.loads(line):
            case {"method": str(), "id": str() | int() as id_} if not isinstance(id_, bool):
                said += ": check its fields, and that no text holds half of a character"
                name, code = id_, INVALID_REQUEST
    error = {"jsonrpc": "2.0", "id": name, "error": {"code": code, "message": said}}
    return json.dumps(error, separators=(",", ":")).encode() + b"\n"


def _aside(descriptor: int, instead: int) -> int:
    """Put another descriptor in place of a standard stream's, and return a copy of the stream's own."""
    if sys.stdout is not None:
        sys.stdout.flush()
    kept = os.dup(descriptor)
    os.dup2(instead, descriptor)
    os.close(instead)
    return kept
