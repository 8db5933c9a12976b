"""pyte's screen, made faster for full-screen programs and safe for hostile output.

pyte's own stream takes its input letter by letter, and fails on control sequences with more or other
parameters than it knows. A program sends hardly anything but control sequences and runs of letters, so this
module takes these whole, and ignores what it does not know.
"""

from __future__ import annotations

import codecs
import copy
import re
import unicodedata
from functools import lru_cache
from typing import Any

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
_MOST_PARAMETERS = {
    "cursor_position": 2,
    "set_margins": 2,
    "save_cursor": 0,
    "restore_cursor": 0,
    "select_graphic_rendition": None,
}
"""Most parameters of sequences, or None for any number; all others have one."""
_MODES = ("set_mode", "reset_mode")
_ERASES = {"erase_in_line": 2, "erase_in_display": 3}
"""The highest known parameter."""
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


@lru_cache(maxsize=1 << 16)
def parameters(text: str) -> tuple[int, ...]:
    """Return the numbers of a sequence; a missing one is 0."""
    return tuple(min(int(number or 0), 9999) for number in text.split(";"))


_PALETTE = pyte.Screen(1, 1)


@lru_cache(maxsize=1 << 12)
def coloured(attributes: Char, *numbers: int) -> Char:
    """Return a cell's attributes after a sequence for colours."""
    _PALETTE.cursor.attrs = attributes
    _PALETTE.select_graphic_rendition(*numbers)
    return _PALETTE.cursor.attrs


class Screen(pyte.Screen):
    """pyte's screen, which takes output, and renders only the lines that changed."""

    def __init__(self, columns: int, lines: int) -> None:
        self._rendered: list[str] = []
        self._drawing = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        super().__init__(columns, lines)

    @property
    def display(self) -> list[str]:
        """The lines of the screen."""
        if len(self._rendered) != self.lines:
            self._rendered = [""] * self.lines
            self.dirty.update(range(self.lines))
        for y in self.dirty:
            if y < self.lines:
                self._rendered[y] = self._render(y)
        self.dirty.clear()
        return self._rendered

    def _render(self, y: int) -> str:
        line = self.buffer[y]
        cells = [line[x].data for x in range(self.columns)]
        text = "".join(cells)
        if len(text) == self.columns and is_plain(text):
            return text
        shown, wide = [], False
        for letters in cells:
            if wide:  # the cell after a wide letter holds none
                wide = False
                continue
            wide = bool(letters) and width(letters[0]) == 2
            shown.append(letters)
        return "".join(shown)

    def draw(self, data: str) -> None:
        """Draw a text at the cursor."""
        x, y = self.cursor.x, self.cursor.y
        fits = x + len(data) <= self.columns and modes.IRM not in self.mode
        if not fits or not is_plain(data):
            self._drawing = True
            super().draw(self._drawable(data))
            self._drawing = False
            # A combining mark may change a letter on the line above, which pyte does not mark as dirty.
            self.dirty.update((y, max(y - 1, 0)))
            return
        attributes, line = self.cursor.attrs, self.buffer[y]
        for letter in data:
            line[x] = cell(attributes, letter)
            x += 1
        self.cursor.x = x
        self.dirty.add(y)

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
        """Begin the next line; while a text is drawn, mark this line as continued there."""
        if self._drawing:
            self._line(self.cursor.y).continues = True
        super().linefeed()

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        """Erase a line or a part of it."""
        if how != 1:
            self._line(self.cursor.y).continues = False
        super().erase_in_line(how, private)

    def erase_in_display(self, how: int = 0, *args: Any, **options: Any) -> None:
        """Erase the screen or a part of it."""
        first, last = {0: (self.cursor.y, self.lines), 1: (0, self.cursor.y)}.get(how, (0, self.lines))
        for y in range(first, last):
            self._line(y).continues = False
        super().erase_in_display(how, *args, **options)

    def continues(self, y: int) -> bool:
        """Whether a text too long for a line continues on the next one."""
        return bool(getattr(self._line(y), "continues", False))

    def _line(self, y: int) -> Any:
        """Return a line; attributes set on it move with it."""
        return self.buffer[y]

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

    def select_graphic_rendition(self, *attrs: int) -> None:
        """Choose the colours for the next letters."""
        self.cursor.attrs = coloured(self.cursor.attrs, *attrs)

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
        private, numbers = bool(found[1]), parameters(found[2])
        do = getattr(self, name)
        if name in _MODES:
            do(*numbers, private=private)
        elif name in _ERASES:
            if numbers[0] <= _ERASES[name]:
                do(numbers[0])
        elif not private:
            do(*numbers[: _MOST_PARAMETERS.get(name, 1)])
