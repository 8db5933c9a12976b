"""The content of a terminal's screen, read from a program's output."""

from __future__ import annotations

import copy
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from ccq_tui.bridges.terminal.emulator import Screen, Stream

_ALTERNATE = frozenset({47, 1047, 1049})
_APPLICATION_KEYS = 1 << 5
_STRING = re.compile(rb"\x1b[]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)?")
"""A string for the terminal, such as its title; another sequence ends it early."""
_UNENDED = re.compile(rb"\x1b(?:[]P_^X][^\x07\x1b]*\x1b?|\[[ -?]*)?\Z")
"""A sequence that the end of the output cuts off."""
_LONGEST = 4096
"""Most bytes to keep of a sequence whose end has not come."""
_RULE = re.compile(r"[─-╿▀-▟]$")
MOST_COLUMNS, MOST_LINES = 1000, 500


@dataclass(frozen=True)
class ScreenPicture:
    """The screen at one moment.

    Attributes:
        lines: Its lines, without blanks at their ends.
        columns: Its width.
        cursor: Column and line of the cursor.
        scrolled: Number of lines that have left it at the top, to find a line again.
        alternate: Whether it is the second screen, which full-screen programs use.
        underlined: The lines with underlined text.
        hidden: Whether the cursor is hidden.
        application_keys: Whether to send arrow keys in application mode.
        wrapped: The lines that the terminal continued on the next one.
    """

    lines: tuple[str, ...]
    columns: int
    cursor: tuple[int, int]
    scrolled: int = 0
    alternate: bool = False
    underlined: frozenset[int] = frozenset()
    hidden: bool = False
    application_keys: bool = False
    wrapped: frozenset[int] = frozenset()

    @cached_property
    def end(self) -> int:
        """The line after the last one that is not blank."""
        return next((y + 1 for y in reversed(range(len(self.lines))) if self.lines[y]), 0)

    def begin_of(self, y: int) -> int:
        """Return the first line of the text that the terminal wrapped into line ``y``."""
        while y > 0 and self._goes_on(y - 1):
            y -= 1
        return y

    def _goes_on(self, y: int) -> bool:
        line = self.lines[y]
        return y in self.wrapped or (len(line) >= self.columns and not _RULE.search(line))

    def _whole(self, y: int) -> str:
        return self.lines[y].ljust(self.columns) if y in self.wrapped else self.lines[y]

    def joined(self, first: int, last: int) -> str:
        """Return lines as one text: join lines that the terminal wrapped, and others with a blank."""
        text = ""
        for y in range(first, last):
            line = self._whole(y)
            text += line if not text or (y and self._goes_on(y - 1)) else f" {line.strip()}"
        return text

    @cached_property
    def typed(self) -> str:
        """The text from the beginning of the cursor's line up to the cursor."""
        x, y = self.cursor
        begin = self.begin_of(y)
        return "".join(self._whole(line) for line in range(begin, y)) + self.lines[y][:x].ljust(x)

    @cached_property
    def after(self) -> str:
        """The text after the cursor in its line."""
        x, y = self.cursor
        return self.lines[y][x:].strip()


class _Screen(Screen):
    """The emulator's screen, with a second one and a count of the lines that scrolled away."""

    def __init__(self, columns: int, lines: int) -> None:
        self.scrolled = 0
        self.alternate = False
        self._first: tuple[Any, Any, int] | None = None
        super().__init__(columns, lines)

    def index(self) -> None:
        top, bottom = self.margins or (0, self.lines - 1)
        if self.cursor.y == bottom and top == 0:
            self.scrolled += 1
        super().index()

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        """Take another size; as in terminals, lines below the cursor go before those at the top."""
        if lines and lines < self.lines:
            top = max(0, self.cursor.y + 1 - lines)
            kept = {y - top: line for y, line in self.buffer.items() if top <= y < top + lines}
            self.buffer.clear()
            self.buffer.update(kept)
            self.cursor.y -= top
            self.scrolled += top
            self.lines = lines
            self.set_margins()
            self.dirty.update(range(lines))
        super().resize(lines, columns)

    def set_mode(self, *modes: int, **options: bool) -> None:
        super().set_mode(*modes, **options)
        if options.get("private") and _ALTERNATE.intersection(modes) and not self.alternate:
            self.alternate = True
            self._first = self.buffer, copy.copy(self.cursor), self.scrolled
            self.buffer = defaultdict(cast("Any", self.buffer).default_factory)
            self.dirty.update(range(self.lines))

    def reset_mode(self, *modes: int, **options: bool) -> None:
        super().reset_mode(*modes, **options)
        if options.get("private") and _ALTERNATE.intersection(modes) and self.alternate:
            self.alternate = False
            if self._first is not None:
                self.buffer, self.cursor, self.scrolled = self._first
                self.cursor.x = min(self.cursor.x, self.columns - 1)
                self.cursor.y = min(self.cursor.y, self.lines - 1)
                self._first = None
            self.dirty.update(range(self.lines))


class LiveScreen:
    """The screen with a program's output so far; ``size`` is its columns and lines."""

    def __init__(self, size: tuple[int, int]) -> None:
        self._size = _bounded(size)
        self.clear()

    def clear(self) -> None:
        """Begin with an empty screen: the content of the real one is unknown."""
        self._screen = _Screen(*self._size)
        self._stream = Stream(self._screen)
        self._rest = b""

    def resize(self, size: tuple[int, int]) -> None:
        """Take another size."""
        self._size = _bounded(size)
        self._screen.resize(self._size[1], self._size[0])

    def draw(self, data: bytes) -> None:
        """Draw output; keep a sequence that is cut off at the end until its rest comes."""
        data = self._rest + data
        found = _UNENDED.search(data)
        cut = found.start() if found else len(data)
        self._rest = data[cut:]
        if len(self._rest) > _LONGEST:
            # Its content does not matter; its end does, and may be cut off, too.
            self._rest = self._rest[:2] + (b"\x1b" if self._rest.endswith(b"\x1b") else b"")
        self._stream.take(_STRING.sub(b"", data[:cut]))

    def picture(self) -> ScreenPicture:
        """Return the screen as it is now."""
        screen = self._screen
        lines = tuple(line.rstrip().replace("\xa0", " ") for line in screen.display)
        underlined = frozenset(
            y
            for y in range(screen.lines)
            if lines[y] and any(cell.underscore and cell.data.strip() for cell in screen.buffer[y].values())
        )
        cursor = (min(screen.cursor.x, screen.columns), min(screen.cursor.y, screen.lines - 1))
        return ScreenPicture(
            lines,
            screen.columns,
            cursor,
            scrolled=screen.scrolled,
            alternate=screen.alternate,
            underlined=underlined,
            hidden=screen.cursor.hidden,
            application_keys=_APPLICATION_KEYS in screen.mode,
            wrapped=frozenset(y for y in range(screen.lines) if screen.continues(y)),
        )


def _bounded(size: tuple[int, int]) -> tuple[int, int]:
    columns, lines = size
    return max(1, min(columns, MOST_COLUMNS)), max(1, min(lines, MOST_LINES))
