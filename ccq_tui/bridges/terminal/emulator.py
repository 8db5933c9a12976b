"""pyte's screen, made faster for long output and safe for hostile output.

pyte's own stream takes its input letter by letter, and fails on control sequences with more or other
parameters than it knows. A program sends hardly anything but control sequences and runs of letters, so this
module takes these whole, and ignores what it does not know.
"""

from __future__ import annotations

import codecs
import copy
import re
import unicodedata
from contextlib import suppress
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
