"""The server for the one client that starts it, over standard input and output."""

import asyncio
import json
import os
import sys
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

from ccq_tui.bridges.mcp.server import AskingServer, CallPlace, Context, directory_of
from ccq_tui.inbox.inbox import Inbox

MOST_BYTES = 1 << 30
"""Most bytes of a message, which none has: what the tools take is far less."""
PARSE_ERROR, INVALID_REQUEST = -32700, -32600
NO_MESSAGE = (
    "not a message of the protocol: check that it is one object, with a string or an integer as its id; "
    "no text may hold half of a character"
)


async def serve_stdio(inbox_file: Path, directory: str) -> None:
    """Serve the client until it leaves; its unanswered requests stay pending.

    Args:
        inbox_file: The inbox.
        directory: The client's working directory, if it does not name one itself.

    Raises:
        InboxError: The inbox cannot be opened.
    """
    reader = asyncio.StreamReader(MOST_BYTES)
    # The process's own standard output is put aside: everything that code prints goes to standard error
    # instead of between messages, and standard input is empty for all other readers.
    source, target = _aside(0, os.open(os.devnull, os.O_RDONLY)), _aside(1, os.dup(2))
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(source, "rb")
    )
    writer = await pipe_to(target)
    inbox = await Inbox.connect(inbox_file)
    try:
        pipes = ClientPipes(reader, writer, inbox, directory_of(directory))
        await pipes.serve(AskingServer(inbox, pipes.place_of).mcp)
    finally:
        await inbox.close()


async def pipe_to(target: int) -> asyncio.StreamWriter:
    """Open a pipe for writing; what was drained is written."""
    loop, flow = asyncio.get_running_loop(), asyncio.StreamReaderProtocol(asyncio.StreamReader())
    transport, _ = await loop.connect_write_pipe(lambda: flow, os.fdopen(target, "wb"))
    transport.set_write_buffer_limits(0)
    return asyncio.StreamWriter(transport, flow, None, loop)


class ClientPipes:
    """The pipes from and to the client; an outcome counts as delivered once it is written.

    Args:
        reader: Gives what the client writes.
        writer: Takes what the client reads.
        inbox: Learns of the requests whose outcomes were written.
        directory: The client's working directory, if it does not name one itself.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, inbox: Inbox, directory: str
    ) -> None:
        self._reader, self._writer = reader, writer
        self._inbox = inbox
        self._directory = directory
        self._disconnected = asyncio.Event()
        self._outcomes: dict[str, list[str]] = {}

    def place_of(self, context: Context) -> CallPlace:
        """Return the place of a call."""

        def answered(request_id: str) -> None:
            self._outcomes.setdefault(str(context.request_id), []).append(request_id)

        return CallPlace("stdio", self._directory, self._disconnected, answered)

    async def serve(self, server: Server[Any]) -> None:
        """Run a server on them until the client has left, which may read no more."""
        taken, received = anyio.create_memory_object_stream[SessionMessage | Exception]()
        sent, to_write = anyio.create_memory_object_stream[SessionMessage]()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._read, taken)
            tasks.start_soon(self._write, to_write)  # apart from a call, which ends when the client leaves
            await server.run(received, sent, server.create_initialization_options())
            # A client that has left must read the rest by then.
            tasks.cancel_scope.deadline = anyio.current_time() + 2.0
        self._writer.close()

    async def _read(self, taken: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        async with taken:
            async for line in self._reader:
                try:
                    if line.strip():
                        await taken.send(SessionMessage(message_of(line)))
                except ValueError:
                    await self._write_line(refused(line))

    async def _write(self, to_write: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with to_write:
            async for item in to_write:
                message = item.message
                await self._write_line(message.model_dump_json(by_alias=True, exclude_unset=True).encode())
                if (
                    isinstance(message, types.JSONRPCResponse | types.JSONRPCError)
                    and not self._disconnected.is_set()
                ):
                    for request_id in self._outcomes.pop(str(message.id), ()):
                        self._inbox.sessions.delivered(request_id, "result")

    async def _write_line(self, line: bytes) -> None:
        try:
            self._writer.write(line + b"\n")
            await self._writer.drain()
        except OSError:
            self._disconnected.set()


def message_of(line: bytes) -> types.JSONRPCMessage:
    """Read a message; raises `ValueError` if it is none, or a request with an id that is none."""
    message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    if isinstance(message, types.JSONRPCNotification) and "id" in json.loads(line):
        raise ValueError("it is no notification: its sender waits for an answer")
    return message


def refused(line: bytes) -> bytes:
    """Answer a line that is no message of the protocol; use a request's id, so that nobody waits for it."""
    problem, code = "not JSON", PARSE_ERROR
    name: str | float | None = None
    with suppress(ValueError, RecursionError):
        message, problem, code = json.loads(line), NO_MESSAGE, INVALID_REQUEST
        match message:
            case {"method": _, "id": str() | int() as id_} if not isinstance(id_, bool):
                name = id_
            case {"method": _, "id": float(id_)} if isfinite(id_):
                name = id_
    error = {"jsonrpc": "2.0", "id": name, "error": {"code": code, "message": problem}}
    return json.dumps(error, separators=(",", ":")).encode()


def _aside(descriptor: int, instead: int) -> int:
    """Put another descriptor in place of a standard stream's, and return a copy of the stream's own."""
    if sys.stdout is not None:
        sys.stdout.flush()
    kept = os.dup(descriptor)
    os.dup2(instead, descriptor)
    os.close(instead)
    return kept
