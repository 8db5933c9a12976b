"""The content of a terminal's screen, read from a program's output."""

from __future__ import annotations

import copy
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from ccq_tui.bridges.terminal.emulator import Screen

_ALTERNATE = frozenset({47, 1047, 1049})
_APPLICATION_KEYS = 1 << 5
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


class LiveScreen(Screen):
    """The screen with a program's output so far; ``size`` is its columns and lines.

    Attributes:
        scrolled: Number of lines that have left it at the top.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        super().__init__(*_bounded(size))

    def fit(self, size: tuple[int, int]) -> None:
        """Take another size of the terminal."""
        columns, lines = _bounded(size)
        self.resize(lines, columns)

    def reset(self) -> None:
        """Begin with an empty screen."""
        self.scrolled = 0
        self._first: tuple[Any, Any, int] | None = None
        """What the first screen holds, its cursor and its count, while the second one is in front."""
        super().reset()

    def index(self) -> None:
        """Go down a line, perhaps by scrolling."""
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
        super().resize(lines, columns)

    def set_mode(self, *modes: int, **options: bool) -> None:
        """Set modes; one of them brings the second screen to the front."""
        super().set_mode(*modes, **options)
        if options.get("private") and _ALTERNATE.intersection(modes) and self._first is None:
            self._first = self.buffer, copy.copy(self.cursor), self.scrolled
            self.buffer = defaultdict(cast("Any", self.buffer).default_factory)

    def reset_mode(self, *modes: int, **options: bool) -> None:
        """Reset modes; one of them brings the first screen back."""
        super().reset_mode(*modes, **options)
        if options.get("private") and _ALTERNATE.intersection(modes) and self._first is not None:
            self.buffer, self.cursor, self.scrolled = self._first
            self._first = None
            self.cursor.x = min(self.cursor.x, self.columns - 1)
            self.cursor.y = min(self.cursor.y, self.lines - 1)

    def picture(self) -> ScreenPicture:
        """Return the screen as it is now."""
        lines = tuple(line.rstrip().replace("\xa0", " ") for line in self.display)
        underlined = frozenset(
            y
            for y in range(self.lines)
            if lines[y] and any(cell.underscore and cell.data.strip() for cell in self.buffer[y].values())
        )
        cursor = (min(self.cursor.x, self.columns), min(self.cursor.y, self.lines - 1))
        return ScreenPicture(
            lines,
            self.columns,
            cursor,
            scrolled=self.scrolled,
            alternate=self._first is not None,
            underlined=underlined,
            hidden=self.cursor.hidden,
            application_keys=_APPLICATION_KEYS in self.mode,
            wrapped=frozenset(y for y in range(self.lines) if self.continues(y)),
        )


def _bounded(size: tuple[int, int]) -> tuple[int, int]:
    columns, lines = size
    return max(1, min(columns, MOST_COLUMNS)), max(1, min(lines, MOST_LINES))
