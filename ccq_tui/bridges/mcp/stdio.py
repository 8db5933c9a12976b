"""The server for the one client that starts it, over standard input and output."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

import anyio
from mcp import types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from ccq_tui.bridges.mcp.calls import WaitingCalls
from ccq_tui.bridges.mcp.lines import StdioLines, refused
from ccq_tui.bridges.mcp.server import AskingServer, CallPlace, Context, directory_of
from ccq_tui.inbox.durable import DurableInbox

WRITTEN_SECONDS = 5.0
"""Seconds to wait at the end for writes to a client that has left."""


async def serve_stdio(lines: StdioLines, inbox_file: Path, directory: str) -> None:
    """Serve the client until it leaves; its unanswered requests stay pending.

    Args:
        lines: The lines from it and to it.
        inbox_file: The inbox.
        directory: The client's working directory, if it does not name one itself.

    Raises:
        InboxError: The inbox cannot be opened.
    """
    lines.follow()
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


class StdioStream:
    """The stream that the package reads from and writes to.

    Args:
        lines: The lines.
        calls: Gets the ids of requests whose outcomes were written.
        directory: The client's working directory, if it does not name one itself.
    """

    def __init__(self, lines: StdioLines, calls: WaitingCalls, directory: str) -> None:
        self._lines = lines
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
        while line := await self._lines.next():
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
