"""The content of a terminal's screen, read from a program's output.

pyte's own stream takes its input letter by letter, and fails on control sequences with more or other
parameters than it knows. A program sends hardly anything but control sequences and runs of letters, so these
are taken whole here, and what is not known is ignored.
"""

from __future__ import annotations

import codecs
import copy
import re
import unicodedata
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, cast

import pyte
from pyte import modes
from pyte.screens import Char
from wcwidth import wcwidth

_TOKEN = re.compile(
    r"(?P<text>[^\x00-\x1f\x7f-\x9f]+)"
    r"|\x1b\[(?P<given>[^@-~\x1b]*)(?P<final>[@-~])"
    r"|\x1b[]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)?"  # a string, such as a title; another sequence ends it early
    r"|\x1b[ -/]*[0-~]|.",
    re.DOTALL,
)
_UNENDED = re.compile(r"\x1b(?:[]P_^X][^\x07\x1b]*\x1b?|\[[^@-~\x1b]*|[ -/]*)?\Z")
"""A sequence that the end of the output cuts off."""
_LONGEST = 4096
"""Most characters to keep of a sequence whose end has not come."""
_PLAIN = {
    **{sign: name for sign, name in pyte.Stream.basic.items() if not name.startswith("shift_")},
    **{f"\x1b{final}": name for final, name in pyte.Stream.escape.items()},
    **{f"\x1b#{final}": name for final, name in pyte.Stream.sharp.items()},
}
_PARAMETERS = re.compile(r"(\??)([0-9;]{0,1000})")
_ACTIONS = {
    **{final: name for final, name in pyte.Stream.csi.items() if not name.startswith("report_")},
    "s": "save_cursor",
    "u": "restore_cursor",
}
MOST_MARKS = 8
"""Most marks that combine with one letter: pyte's work grows with their square."""
width = lru_cache(maxsize=1 << 16)(wcwidth)


@lru_cache(maxsize=1 << 13)
def is_plain(text: str) -> bool:
    """Whether each letter of a text takes one cell and combines with no other."""
    return all(width(letter) == 1 for letter in text)


@lru_cache(maxsize=1 << 16)
def cell(attributes: Char, letter: str) -> Char:
    """Return a letter in the colours of another."""
    return attributes._replace(data=letter)


class Screen(pyte.Screen):
    """pyte's screen, which takes output."""

    def __init__(self, columns: int, lines: int) -> None:
        self._drawing = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        super().__init__(columns, lines)

    @property
    def display(self) -> list[str]:
        """The lines of the screen; the second cell of a wide letter is empty."""
        return ["".join(self.buffer[y][x].data for x in range(self.columns)) for y in range(self.lines)]

    def draw(self, data: str) -> None:
        """Draw a text at the cursor."""
        x = self.cursor.x
        fits = x + len(data) <= self.columns and modes.IRM not in self.mode
        if not fits or not is_plain(data):
            self._drawing = True
            super().draw(self._drawable(data))
            self._drawing = False
            return
        attributes, line = self.cursor.attrs, self.buffer[self.cursor.y]
        for letter in data:
            line[x] = cell(attributes, letter)
            x += 1
        self.cursor.x = x

    def _drawable(self, data: str) -> str:
        """Leave out letters that are not drawn, after which pyte would drop the rest, and excess marks."""
        x, y = self.cursor.x, self.cursor.y
        before = self.buffer[y][x - 1] if x else self.buffer[max(y - 1, 0)][self.columns - 1]
        marks, kept = len(before.data) - 1, []
        for letter in data:
            if width(letter) > 0:
                marks = 0
            elif marks < MOST_MARKS and unicodedata.combining(letter):
                marks += 1
            else:
                continue
            kept.append(letter)
        return "".join(kept)

    def linefeed(self) -> None:
        """Begin the next line; while a text is drawn, mark the last cell of this one as continued there."""
        if self._drawing:
            line: Any = self.buffer[self.cursor.y]
            line.continued = line[self.columns - 1]  # an attribute of a line moves with it
        super().linefeed()

    def continues(self, y: int) -> bool:
        """Whether a text too long for a line continues on the next one, and was not erased since."""
        line: Any = self.buffer[y]
        last = self.columns - 1
        return last in line and getattr(line, "continued", None) is line[last]

    def save_cursor(self) -> None:
        """Remember the cursor, and forget the one remembered before."""
        self.savepoints.clear()
        super().save_cursor()

    def restore_cursor(self) -> None:
        """Return to the remembered cursor, and keep it remembered."""
        if self.savepoints:
            saved = self.savepoints[-1]
            self.savepoints.append(saved._replace(cursor=copy.copy(saved.cursor)))
        super().restore_cursor()

    def take(self, data: bytes) -> None:
        """Draw a program's output; keep a sequence that is cut off at the end until its rest comes."""
        text = self._rest + self._decoder.decode(data).replace("\x9b", "\x1b[")
        found = _UNENDED.search(text)
        cut = found.start() if found else len(text)
        self._rest = text[cut:]
        if len(self._rest) > _LONGEST:
            # Its content does not matter; its end does, and may be cut off, too.
            self._rest = self._rest[:2] + "\x1b" * self._rest.endswith("\x1b")
        for token in _TOKEN.finditer(text, 0, cut):
            if token["text"]:
                self.draw(token["text"])
            elif token["final"]:
                self._control(token["given"], token["final"])
            elif name := _PLAIN.get(token[0]):
                getattr(self, name)()

    def _control(self, given: str, final: str) -> None:
        """Execute a control sequence that the emulator knows."""
        found, name = _PARAMETERS.fullmatch(given), _ACTIONS.get(final)
        if found is None or name is None:
            return
        numbers = [min(int(number or 0), 9999) for number in found[2].split(";")] if found[2] else []
        with suppress(TypeError, UnboundLocalError):  # pyte fails on parameters that it does not know
            getattr(self, name)(*numbers, **{"private": True} if found[1] else {})


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
