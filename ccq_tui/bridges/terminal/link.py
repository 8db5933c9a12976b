"""Messages from the relay to the watcher, in order; the relay never waits for it."""

import select
import socket
import struct
from contextlib import suppress
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

_HEAD = struct.Struct("=BI")


ASKED = b"\0"
"""The watcher's sign that it asks something."""
SHOW = b"\5"
"""The watcher's sign that it must see the screen as it is now."""


class ToWatcher(IntEnum):
    """A message to the watcher."""

    OUTPUT = 1
    """The program's output."""
    TYPED = 3
    """The person typed."""
    SIZE = 4
    """The terminal's columns and rows."""
    STOPPED = 5
    """The program was stopped; ask nobody meanwhile."""
    CONTINUED = 6
    ENDED = 7
    """The program has ended; the payload is its exit code."""
    SHOWN = 8
    """All output from before the watcher's `SHOW` was sent."""


class Link:
    """The relay's end of the link.

    Args:
        end: The socket to the watcher.

    Attributes:
        descriptor: The descriptor to poll.
        unsent: What is not sent yet.
        messages: The watcher's signs and its message to the person, for when the terminal is free.
        over: Whether the watcher is gone.
    """

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self._end = end
        self.descriptor = end.fileno()
        self.unsent = bytearray()
        self.messages = bytearray()
        self.over = False

    @property
    def events(self) -> int:
        """The events to poll for."""
        return 0 if self.over else select.POLLIN | select.POLLOUT * bool(self.unsent)

    def send(self, kind: ToWatcher, payload: bytes | bytearray = b"") -> None:
        """Send a message, now or soon."""
        if not self.over:
            self.unsent += _HEAD.pack(kind, len(payload)) + payload
            self._write()

    def exchange(self) -> bool:
        """Send what is unsent, take the watcher's words, and return whether it must see the screen."""
        self._write()
        try:
            data = self._end.recv(4096)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self._lose()
        self.messages += data.replace(SHOW, b"")[: max(0, 20_000 - len(self.messages))]
        return SHOW in data

    def _write(self) -> None:
        try:
            while self.unsent:
                del self.unsent[: self._end.send(self.unsent)]
        except BlockingIOError:
            return
        except OSError:
            self._lose()

    def _lose(self) -> None:
        self.over = True
        self.unsent.clear()

    def close(self) -> None:
        """Let the watcher go."""
        with suppress(OSError):
            self._end.close()


async def next_message(reader: "asyncio.StreamReader") -> tuple[ToWatcher, bytes]:
    """Read the relay's next message; raises `IncompleteReadError` or `OSError` once the relay is gone."""
    kind, size = _HEAD.unpack(await reader.readexactly(_HEAD.size))
    return ToWatcher(kind), await reader.readexactly(size)
