"""The content of a terminal's screen, drawn by pyte from a program's output.

pyte fails on control sequences with more or other parameters than it knows, draws the texts of sequences that
it does not know, and drops text behind a letter without width: what would lead it there is taken out before.
"""

import codecs
import copy
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, cast

import pyte
from pyte import modes
from pyte.screens import Char
from wcwidth import wcwidth

_UNKNOWN = re.compile(
    r"\x1b\[[0-9;?]*[^0-9;?@-~\x1b][^@-~\x1b]*[@-~]"  # parameters of other terminals
    r"|\x1b\[[0-9;?]{500,}[@-~]"
    r"|\x1b[ -\"$&'*-/][0-~]"  # character sets
    r"|\x1b[]P_^X][^\x07\x1b]*(?:\x07|\x1b\\|(?=\x1b))"  # strings, such as a title or a query
    r"|\x1b(?![ -~])"
)
_UNENDED = re.compile(r"\x1b(?:\[[^@-~\x1b]*|[ -/]|[]P_^X][^\x07\x1b]*\x1b?)?\Z")
"""A sequence that the end of the output cuts off."""
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


class _Stream(pyte.Stream):
    """pyte's stream, with two more sequences."""

    def __init__(self, listener: "_Listener") -> None:
        self.csi = {**self.csi, "s": "save_cursor", "u": "restore_cursor"}
        super().__init__(cast("pyte.Screen", listener))


class _Listener:
    """A screen for pyte's stream: parameters that the screen does not know have no effect."""

    def __init__(self, screen: "Screen") -> None:
        self._screen = screen

    def __getattr__(self, name: str) -> Callable[..., None]:
        method = getattr(self._screen, name)

        def call(*numbers: Any, **options: Any) -> None:
            with suppress(TypeError, UnboundLocalError):
                method(*numbers, **options)

        return call


class Screen(pyte.Screen):
    """pyte's screen, which takes output."""

    def __init__(self, columns: int, lines: int) -> None:
        self._drawing = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        super().__init__(columns, lines)
        self._stream = _Stream(_Listener(self))

    @property
    def display(self) -> list[str]:
        """The lines of the screen; the second cell of a wide letter is empty."""
        return [self._text(y, self._end(y)).ljust(self.columns) for y in range(self.lines)]

    def _end(self, y: int) -> int:
        """Return the column behind the last cell of a line that was drawn: the buffer has no others."""
        return min(self.columns, max(self.buffer[y], default=-1) + 1)

    def _text(self, y: int, end: int) -> str:
        line = self.buffer[y]
        return "".join(line[x].data for x in range(end))

    def draw(self, data: str) -> None:
        """Draw a text at the cursor."""
        x = self.cursor.x
        if x + len(data) <= self.columns and modes.IRM not in self.mode and is_plain(data):
            attributes, line = self.cursor.attrs, self.buffer[self.cursor.y]
            for letter in data:
                line[x] = cell(attributes, letter)
                x += 1
            self.cursor.x = x
            return
        self._drawing = True
        for letter in data:
            # pyte drops the text behind a letter that is not drawn.
            if width(letter) > 0 or (unicodedata.combining(letter) and self._marks() < MOST_MARKS):
                super().draw(letter)
        self._drawing = False

    def _marks(self) -> int:
        """Return the number of marks on the letter before the cursor."""
        x, y = self.cursor.x, self.cursor.y
        return len((self.buffer[y][x - 1] if x else self.buffer[max(y - 1, 0)][self.columns - 1]).data) - 1

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

    def save_cursor(self, *_: int) -> None:
        """Remember the cursor, and forget the one remembered before."""
        self.savepoints.clear()
        super().save_cursor()

    def restore_cursor(self, *_: int) -> None:
        """Return to the remembered cursor, and keep it remembered."""
        if self.savepoints:
            saved = self.savepoints[-1]
            self.savepoints.append(saved._replace(cursor=copy.copy(saved.cursor)))
        super().restore_cursor()

    def take(self, data: bytes) -> None:
        """Draw a program's output; keep a sequence that is cut off at the end until its rest comes."""
        text = self._rest + self._decoder.decode(data).replace("\x9b", "\x1b[").replace("\x9d", "\x1b]")
        found = _UNENDED.search(text)
        cut = found.start() if found else len(text)
        self._rest = text[cut:][:4096]  # most characters to keep of a sequence whose end has not come
        self._stream.feed(_UNKNOWN.sub("", text[:cut]))


_ALTERNATE = frozenset({47, 1047, 1049})
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
        solid: Its lines without the gray text at their ends.
        underlined: The lines with underlined text.
        struck: The lines with text that is struck through.
        hidden: Whether the cursor is hidden.
        application_keys: Whether to send arrow keys in application mode.
        wrapped: The lines that the terminal continued on the next one.
    """

    lines: tuple[str, ...]
    columns: int
    cursor: tuple[int, int]
    scrolled: int = 0
    alternate: bool = False
    solid: tuple[str, ...] = ()
    underlined: frozenset[int] = frozenset()
    struck: frozenset[int] = frozenset()
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
        cursor = (min(self.cursor.x, self.columns), min(self.cursor.y, self.lines - 1))
        return ScreenPicture(
            lines,
            self.columns,
            cursor,
            scrolled=self.scrolled,
            alternate=self._first is not None,
            solid=tuple(self._solid(y) for y in range(self.lines)),
            underlined=self._drawn_with("underscore"),
            struck=self._drawn_with("strikethrough"),
            hidden=self.cursor.hidden,
            application_keys=(1 << 5) in self.mode,  # DECCKM
            wrapped=frozenset(y for y in range(self.lines) if self.continues(y)),
        )

    def _solid(self, y: int) -> str:
        line, x = self.buffer[y], self._end(y)
        while x and (line[x - 1].fg == "brightblack" or not line[x - 1].data.strip()):
            x -= 1
        return self._text(y, x).replace("\xa0", " ")

    def _drawn_with(self, attribute: str) -> frozenset[int]:
        return frozenset(
            y
            for y, line in self.buffer.items()
            if any(getattr(cell, attribute) and cell.data.strip() for cell in line.values())
        )


def _bounded(size: tuple[int, int]) -> tuple[int, int]:
    columns, lines = size
    return max(1, min(columns, MOST_COLUMNS)), max(1, min(lines, MOST_LINES))
