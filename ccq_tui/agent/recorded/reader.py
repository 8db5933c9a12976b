"""A recording as events, read as fast as they are wanted."""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Any

from ccq_tui.agent.events import AgentEvent, Connected, NoticeGiven
from ccq_tui.agent.recorded.translate import Translation
from ccq_tui.claude_lines import whole_entries
from ccq_tui.text import one_line
from ccq_tui.words import listed, plural

CHUNK = 1_000_000
"""Bytes read at once."""
LONGEST_LINE = 16_000_000
"""Most bytes of a line to read: a longer one would take too much memory while it is parsed."""
NOTHING = "It contains no conversation."


class Recording:
    """One recording, read once from beginning to end.

    Attributes:
        name: Its name for people.
        read: Number of lines read.
        bad: The numbers of the lines that could not be read.
    """

    def __init__(self, name: str, source: BufferedReader[FileIO]) -> None:
        self.name, self._source = name, source
        self.read = 0
        self.bad: list[int] = []
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

    def events(self) -> Iterator[AgentEvent]:
        """Read to the end; of a pipe, as it comes."""
        with self._source:
            try:
                for line in self._lines():
                    self.read += 1
                    yield from self._take(line)
            except OSError as error:
                yield NoticeGiven("error", f"The rest could not be read: {error.strerror}")
        yield from self._end()

    def _lines(self) -> Iterator[bytes | None]:
        """Yield the lines; None for one that is too long."""
        while line := self._source.readline(LONGEST_LINE + 1):
            whole = len(line) <= LONGEST_LINE or line.endswith(b"\n")
            rest = line
            while not rest.endswith(b"\n") and (rest := self._source.readline(CHUNK)):
                pass
            yield line if whole else None

    def _take(self, line: bytes | None) -> list[AgentEvent]:
        """Translate a line; one that cannot be read is counted, and not shown."""
        found = [] if line is None else _entries(line)
        if not found and (line is None or line.strip()):
            self.bad.append(self.read)
        events: list[AgentEvent] = []
        try:
            events = [event for entry in found for event in self._translation.feed(entry)]
        except RecursionError:
            self.bad.append(self.read)
        self._told = self._told or any(not isinstance(event, Connected) for event in events)
        return events

    def _end(self) -> list[AgentEvent]:
        events = list(self._translation.end())
        if not (self._told or events):
            events.append(NoticeGiven("warning", NOTHING))
        if self.bad:
            events.append(NoticeGiven("warning", self.trouble))
        return events


_NAME = 200
STDIN = "standard input"


class RecordingError(Exception):
    """A recording cannot be shown; the message is for a person."""


def open_recording(place: str | int) -> Recording:
    """Open a file, or take over the descriptor of standard input; raises `RecordingError`."""
    name = STDIN if isinstance(place, int) else one_line(place, _NAME)
    try:
        source = BufferedReader(FileIO(place), CHUNK)
        head = source.peek()
    except IsADirectoryError as error:
        raise RecordingError(
            f"{name} is a directory; name a file in it, such as a session's .jsonl under ~/.claude/projects."
        ) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise RecordingError(f"{name} cannot be read: {reason}.") from error
    if _is_recording(head):
        return Recording(STDIN if isinstance(place, int) else one_line(Path(place).name, _NAME), source)
    source.close()
    if not head:
        raise RecordingError(f"{name} is empty.")
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
