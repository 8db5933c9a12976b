"""Lines of a file or a pipe, read once from beginning to end, none held longer than it is needed."""

from __future__ import annotations

import os
import select
import stat
from dataclasses import dataclass

CHUNK = 1_000_000
"""Bytes read at once."""
LONGEST_LINE = 16_000_000
"""Most bytes of a line to read; a longer one would stop everything else while it is parsed."""


@dataclass(frozen=True, slots=True)
class RecordLine:
    """One line.

    Attributes:
        number: The line's number, from 1.
        data: Its bytes without the line's end; None if there are more than `LONGEST_LINE`.
    """

    number: int
    data: bytes | None


class RecordedLines:
    """Reads lines from a file descriptor, which it closes at the end.

    Attributes:
        size: Bytes of the file, or None if that is not known.
        taken: Bytes of the lines that were taken, their ends included.
        ended: Whether all was read.
    """

    def __init__(self, descriptor: int) -> None:
        """Read from a descriptor; nothing is read yet."""
        about = os.fstat(descriptor)
        self._waits = not stat.S_ISREG(about.st_mode)
        self.size = None if self._waits else about.st_size
        self.taken = 0
        self.ended = False
        self._descriptor = descriptor
        self._chunk = b""
        self._at = 0
        self._dropped = 0  # bytes of a line that is too long
        self._number = 0

    def head(self, seconds: float) -> bytes:
        """Return the beginning without taking it; wait for input at most ``seconds``."""
        if not self._chunk and not self.ended:
            self._fill(seconds)
        return self._chunk

    def next(self, seconds: float = 0.0) -> RecordLine | None:
        """Take the next line; None if none has come yet or, once `ended`, if none is left."""
        while (end := self._chunk.find(b"\n", self._at)) < 0:
            held = len(self._chunk) - self._at
            if self.ended:
                if not held + self._dropped:
                    return None
                end = len(self._chunk)
                break
            if held > LONGEST_LINE:
                self._dropped += held
                self._chunk, self._at = b"", 0
            if not self._fill(seconds) and not self.ended:
                return None
        length = self._dropped + end - self._at
        line = self._chunk[self._at : end] if length <= LONGEST_LINE else None
        self._at, self._dropped = min(end + 1, len(self._chunk)), 0
        self._number += 1
        self.taken += length + 1
        return RecordLine(self._number, line)

    def close(self) -> None:
        """Read no more."""
        if not self.ended:
            os.close(self._descriptor)
        self.ended = True

    def _fill(self, seconds: float) -> bool:
        """Read a chunk; return whether something came."""
        if self._waits and not select.select([self._descriptor], [], [], seconds)[0]:
            return False
        read = os.read(self._descriptor, CHUNK)
        self._chunk, self._at = self._chunk[self._at :] + read, 0
        if not read:
            self.close()
        return bool(read)
