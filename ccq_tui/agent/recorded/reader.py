"""A recording as slices of events, read in a thread as fast as they are wanted, and shown as a session."""

from __future__ import annotations

import asyncio
import gc
import os
import select
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ccq_tui.agent.events import AgentEvent, Connected, HistoryLoaded, NoticeGiven, SessionState, StateChanged
from ccq_tui.agent.recorded.translate import Translation
from ccq_tui.claude_lines import whole_entries
from ccq_tui.text import one_line
from ccq_tui.words import listed, plural

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


SLICE_SECONDS = 0.015
"""Seconds to read one slice: to show it costs the screen about as long again."""
SLICE_EVENTS = 250
WAIT_SECONDS = 0.2
"""Seconds to wait for a pipe at once."""

NOTHING = "It contains no conversation."


class Recording:
    """One recording, read once from beginning to end by the callers that ask for the next slice.

    Attributes:
        name: Its name on the screen.
        lines: Its source.
        read: Number of lines read.
        bad: The numbers of the lines that could not be read.
        ended: Whether all was read.
    """

    def __init__(self, name: str, lines: RecordedLines) -> None:
        self.name = name
        self.lines = lines
        self.read = 0
        self.bad: list[int] = []
        self.ended = False
        self._translation = Translation()
        self._told = False

    @property
    def session_id(self) -> str:
        """The first session id in it, or ""."""
        return self._translation.session_id

    @property
    def trouble(self) -> str:
        """Which lines could not be read, in words; "" for none."""
        which = listed([str(number) for number in self.bad], 12)
        return f"{plural(len(self.bad), 'line')} could not be read: {which}" if self.bad else ""

    def next(self) -> tuple[AgentEvent, ...]:
        """Read on, for a fraction of a second at most; `ended` says whether all was read."""
        events: list[AgentEvent] = []
        until = time.monotonic() + SLICE_SECONDS
        while not self.ended and len(events) < SLICE_EVENTS and time.monotonic() < until:
            try:
                line = self.lines.next(0.0 if events else WAIT_SECONDS)
            except OSError as error:
                events.append(NoticeGiven("error", f"The rest could not be read: {error.strerror}"))
                self.lines.close()
                line = None
            if line is not None:
                self.read = line.number
                events.extend(self._take(line))
            elif self.lines.ended:
                events.extend(self._end())
            else:
                break
        return tuple(events)

    def close(self) -> None:
        """Read no more."""
        self.lines.close()
        self.ended = True

    def _take(self, line: RecordLine) -> list[AgentEvent]:
        """Translate a line; one that cannot be read is counted, and not shown."""
        found = [] if line.data is None else _entries(line.data)
        if not found and (line.data is None or line.data.strip()):
            self.bad.append(line.number)
        events: list[AgentEvent] = []
        try:
            events = [event for entry in found for event in self._translation.feed(entry)]
        except RecursionError:
            self.bad.append(line.number)
        self._told = self._told or any(not isinstance(event, Connected) for event in events)
        return events

    def _end(self) -> list[AgentEvent]:
        self.ended = True
        events = list(self._translation.end())
        if not (self._told or events):
            events.append(NoticeGiven("warning", NOTHING))
        if self.bad:
            events.append(NoticeGiven("warning", self.trouble))
        return events


FIRST_SECONDS = 5.0
"""Seconds to wait for the first bytes of a pipe before the screen is shown without them."""
_NAME = 200
STDIN = "standard input"


class RecordingError(Exception):
    """A recording cannot be shown; the message is for a person."""


def open_recording(path: str | None, descriptor: int | None = None) -> Recording:
    """Open a file, or take over a descriptor; raises `RecordingError` for what is no recording."""
    name = STDIN if path is None else one_line(path, _NAME)
    if descriptor is None:
        descriptor = _opened(path or "", name)
    lines = RecordedLines(descriptor)
    try:
        _check(lines, name)
    except BaseException:
        lines.close()
        raise
    return Recording(name if path is None else one_line(Path(path).name, _NAME), lines)


def _opened(path: str, name: str) -> int:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise RecordingError(f"{name} cannot be read: {reason}.") from error
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RecordingError(
            f"{name} is a directory; name a file in it, such as a session's .jsonl under ~/.claude/projects."
        )
    return descriptor


def _check(lines: RecordedLines, name: str) -> None:
    try:
        head = lines.head(FIRST_SECONDS)
    except OSError as error:
        raise RecordingError(f"{name} cannot be read: {error.strerror}.") from error
    if not head:
        if lines.ended:
            raise RecordingError(f"{name} is empty.")
        return  # a pipe whose writer has not begun
    if _is_recording(head):
        return
    raise RecordingError(
        f"{name} is not a recording: none of its first lines is a JSON object. "
        "It should be stream-json of Claude Code or a session's .jsonl file."
    )


def _is_recording(head: bytes) -> bool:
    """Return whether a line of the beginning is an object; the last one may be cut."""
    *whole, rest = head.split(b"\n")
    return any(map(_entries, whole)) or rest.lstrip(b"\xef\xbb\xbf \t\r")[:1] in (b"{", b"[")


def _entries(line: bytes) -> list[dict[str, Any]]:
    return whole_entries(line.decode(errors="replace"))[0]


class ReplayedSession:
    """Gives a recording to a screen as a session; it takes no commands.

    Its events are reported as past, so that nothing in it asks for anything.
    """

    record_id = ""  # nothing is recorded again

    def __init__(self, recording: Recording, tell: Callable[[AgentEvent], None]) -> None:
        self._recording = recording
        self._tell = tell

    async def run(self) -> None:
        """Read to the end."""
        self._tell(StateChanged(SessionState.IDLE))
        try:
            while not self._recording.ended:
                if events := await asyncio.to_thread(self._recording.next):
                    self._tell(HistoryLoaded(events, goes_on=True))
                # What was read stays. Collecting garbage in all of it again and again would hold up
                # the screen, in a large file for tenths of a second each time.
                gc.freeze()
        except asyncio.CancelledError:
            self._recording.ended = True  # the thread that reads stops at that; closing is not safe before
            raise
        self._recording.close()
        self._tell(StateChanged(SessionState.ENDED))

    def close(self) -> None:
        """Stop."""
        self._recording.ended = True
