"""Messages from the relay to the watcher, in order; the relay never waits for it."""

from __future__ import annotations

import select
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from enum import IntEnum

_HEAD = struct.Struct("=BI")
MOST_SAID = 20_000
"""Most bytes of the watcher's message at the end."""


ASKED = "\0"
"""The watcher's sign that it asks something."""
SHOW = "\5"
"""The watcher's sign that it must see the screen as it is now."""


class ToWatcher(IntEnum):
    """A message to the watcher."""

    OUTPUT = 1
    """The program's output."""
    LOST = 2
    """Output was dropped: the content of the screen is unknown."""
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
    """The relay's end of the link; ``end`` is the socket to the watcher."""

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self._end = end
        self._owed = bytearray()
        self._said = bytearray()
        self._over = False
        self._to_show = False

    @property
    def descriptor(self) -> int:
        """The descriptor to poll."""
        return self._end.fileno()

    @property
    def events(self) -> int:
        """The events to poll for."""
        if self._over:
            return 0
        return select.POLLIN | (select.POLLOUT if self._owed else 0)

    @property
    def owes(self) -> bool:
        """Whether something is not sent yet."""
        return bool(self._owed)

    @property
    def over(self) -> bool:
        """Whether the watcher is gone."""
        return self._over

    @property
    def asked(self) -> bool:
        """Whether the watcher has asked anything, or has something to say."""
        return bool(self._said)

    @property
    def said(self) -> str:
        """The watcher's message to the person, for when the terminal is free."""
        return self._said.decode(errors="replace").replace(ASKED, "")

    def send(self, kind: ToWatcher, payload: bytes = b"") -> None:
        """Send a message, now or soon."""
        if not self._over:
            self._owed += _HEAD.pack(kind, len(payload)) + payload
            self._write()

    def exchange(self) -> None:
        """Send what is owed, and take the watcher's words."""
        self._write()
        try:
            data = self._end.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._lose()
        self._to_show = self._to_show or SHOW.encode() in data
        data = data.replace(SHOW.encode(), b"")
        self._said += data[: max(0, MOST_SAID - len(self._said))]

    def take_wish(self) -> bool:
        """Return whether the watcher has asked to see the screen since the last call."""
        wanted, self._to_show = self._to_show, False
        return wanted

    def _write(self) -> None:
        try:
            while self._owed:
                del self._owed[: self._end.send(self._owed)]
        except BlockingIOError:
            return
        except OSError:
            self._lose()

    def _lose(self) -> None:
        self._over = True
        self._owed.clear()

    def close(self) -> None:
        """Let the watcher go."""
        with suppress(OSError):
            self._end.close()


class Messages:
    """The messages in the bytes that the watcher read, in pieces of any size."""

    def __init__(self) -> None:
        self._data = bytearray()

    def take(self, data: bytes) -> Iterator[tuple[ToWatcher, bytes]]:
        """Yield each message that is complete now."""
        self._data += data
        while len(self._data) >= _HEAD.size:
            kind, size = _HEAD.unpack_from(self._data)
            if len(self._data) < _HEAD.size + size:
                return
            payload = bytes(self._data[_HEAD.size : _HEAD.size + size])
            del self._data[: _HEAD.size + size]
            yield ToWatcher(kind), payload
