"""Lines of a file or a pipe, read once from beginning to end, none held longer than it is needed."""

from __future__ import annotations

import json
import os
import re
import select
import stat
from dataclasses import dataclass
from typing import Any

from ccq_tui.claude_lines import bounded, whole_entries

CHUNK = 1_000_000
"""Bytes read at once."""
LONGEST_LINE = 16_000_000
"""Most bytes of a line to read; a longer one would stop everything else while it is parsed."""


@dataclass(frozen=True, slots=True)
class RecordLine:
    """One line.

    Attributes:
        number: The line's number, from 1.
        data: Its bytes without the line's end; empty when it was too long.
        too_long: Whether it was longer than `LONGEST_LINE`.
    """

    number: int
    data: bytes
    too_long: bool = False


class Lines:
    """Reads lines from a file descriptor, which it closes at the end.

    Attributes:
        size: Bytes of the file, or None if that is not known.
        bytes: Bytes read so far.
        taken: Bytes of the lines that were taken, their ends included.
        ended: Whether all was read.
    """

    def __init__(self, descriptor: int) -> None:
        """Read from a descriptor; nothing is read yet."""
        about = os.fstat(descriptor)
        self._waits = not stat.S_ISREG(about.st_mode)
        self.size = None if self._waits else about.st_size
        self.bytes = 0
        self.taken = 0
        self.ended = False
        self._descriptor: int | None = descriptor
        self._chunk = b""
        self._at = 0
        self._held: list[bytes] = []  # the beginning of a line whose end was not read yet
        self._held_bytes = 0
        self._number = 0

    def head(self, seconds: float) -> bytes:
        """Return the beginning without taking it; wait for input at most ``seconds``."""
        if not self._chunk and not self.ended:
            self._fill(seconds)
        return self._chunk

    def next(self, seconds: float = 0.0) -> RecordLine | None:
        """Take the next line; None if none has come yet or, once `ended`, if none is left."""
        while True:
            end = self._chunk.find(b"\n", self._at)
            if end >= 0:
                self._hold(self._chunk[self._at : end])
                self._at = end + 1
                return self._line()
            self._hold(self._chunk[self._at :])
            self._chunk, self._at = b"", 0
            if self.ended:
                return self._line() if self._held_bytes else None
            if not self._fill(seconds) and not self.ended:
                return None

    def close(self) -> None:
        """Read no more."""
        self.ended = True
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _fill(self, seconds: float) -> bool:
        """Read a chunk; return whether something came."""
        if self._descriptor is None:
            return False
        if self._waits and not select.select([self._descriptor], [], [], seconds)[0]:
            return False
        self._chunk = os.read(self._descriptor, CHUNK)
        self.bytes += len(self._chunk)
        if not self._chunk:
            self.close()
        return bool(self._chunk)

    def _hold(self, piece: bytes) -> None:
        if self._held_bytes <= LONGEST_LINE:
            self._held.append(piece)
        self._held_bytes += len(piece)

    def _line(self) -> RecordLine:
        self._number += 1
        self.taken += self._held_bytes + 1
        too_long = self._held_bytes > LONGEST_LINE
        data = b"" if too_long else b"".join(self._held)
        self._held.clear()
        self._held_bytes = 0
        return RecordLine(self._number, data, too_long)


Entry = dict[str, Any]

DEEPEST = 40
"""Most levels of an input or a record that are kept."""
MOST_ITEMS = 2_000
LONGEST_TEXT = 200_000

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LONE_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class BadLineError(ValueError):
    """A line is not JSON, or not of objects."""


def entries(line: RecordLine) -> list[Entry]:
    """Read the objects of a line, none for an empty one; raises `BadLineError`."""
    if line.too_long:
        raise BadLineError("too long")
    data = line.data.removeprefix(_BYTE_ORDER_MARK).strip()
    if not data:
        return []
    try:
        found = json.loads(data.decode())
        if _LONE_SURROGATE.search(data):
            found = _whole(found)
    except (ValueError, RecursionError) as error:
        found = _whole(whole_entries(data.decode(errors="replace"))[0])
        if not found:
            raise BadLineError("not JSON") from error
    items = found if isinstance(found, list) else [found]
    objects = [item for item in items if isinstance(item, dict)]
    if not objects:
        raise BadLineError("no object")
    return objects


def _whole(value: Any) -> Any:
    """Replace lone surrogates, which JSON can contain and nothing can show."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case list():
            return [_whole(item) for item in value]
        case dict():
            return {_whole(name): _whole(item) for name, item in value.items()}
        case _:
            return value


def kept(value: Any, depth: int = 0) -> Any:
    """Return a copy of a value without the parts that are too deep, too many or too long to be shown."""
    match value:
        case str():
            return bounded(value, LONGEST_TEXT)
        case list():
            return [kept(item, depth + 1) for item in value[:MOST_ITEMS]] if depth < DEEPEST else "…"
        case dict():
            if depth >= DEEPEST:
                return "…"
            return {name: kept(value[name], depth + 1) for name in list(value)[:MOST_ITEMS]}
        case _:
            return value
