"""Standard input, read from the first moment: its lines wait while the package loads."""

from __future__ import annotations

import json
import os
import re
import select
import sys
import threading
import time
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    import asyncio

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


class StdioLines:
    """The lines of a client, and the lines to it.

    The process's own standard output is put aside: everything that code prints goes to standard error instead
    of between messages, and standard input is empty for all other readers.
    """

    def __init__(self) -> None:
        self._source: BinaryIO = os.fdopen(_aside(0, os.open(os.devnull, os.O_RDONLY)), "rb")
        self._target = _aside(1, os.dup(2))
        self._writing = threading.Lock()
        self._room = threading.Semaphore(WAITING_LINES)
        self._handing = threading.Lock()
        self._early: list[bytes] = []
        self._is_over = False
        self._left_at: float | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lines: asyncio.Queue[bytes] | None = None
        # A daemon: only a client that writes or leaves ends a read.
        threading.Thread(target=self._read, name="mcp input", daemon=True).start()

    def follow(self) -> None:
        """Hand the lines to the event loop from now on."""
        import asyncio  # the first read does not wait for it

        with self._handing:
            self._loop, self._lines = asyncio.get_running_loop(), asyncio.Queue()
            for line in self._early:
                self._lines.put_nowait(line)

    async def next(self) -> bytes:
        """Return the next line; b"" at the end. Call `follow` first."""
        if self._lines is None:
            raise RuntimeError("no event loop follows the lines")
        line = b"" if self._is_over else await self._lines.get()
        self._is_over = not line
        self._room.release()
        return line

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

    def _read(self) -> None:
        while line := self._next_line():
            self._hand(line)
        self._left_at = time.monotonic()
        self._hand(b"")

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

    def _hand(self, line: bytes) -> None:
        self._room.acquire()
        with self._handing:
            if self._loop is None or self._lines is None:
                self._early.append(line)
                return
            try:
                self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
            except RuntimeError:
                return  # the server has ended, so nobody is left to take it


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
