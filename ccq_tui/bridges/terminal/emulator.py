"""pyte's terminal emulator with short cuts for what a full-screen program writes most.

pyte takes its input letter by letter and renders the whole screen at each look. A full-screen program sends
hardly anything but places, colours and runs of letters, so these are taken whole; all else is left to pyte.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache

import pyte
from pyte import modes
from pyte.screens import Char
from wcwidth import wcwidth

CSI = re.compile(r"\x1b\[([0-9;]*)([mH])")
"""Colours and places: with ordinary letters nearly all that comes."""
width = lru_cache(maxsize=1 << 16)(wcwidth)


@lru_cache(maxsize=1 << 16)
def is_plain(text: str) -> bool:
    """Whether each letter of a text takes one cell and combines with none."""
    return all(width(letter) == 1 for letter in text)


@lru_cache(maxsize=1 << 16)
def cell(attributes: Char, letter: str) -> Char:
    """Return a letter in the colours of another."""
    return attributes._replace(data=letter)


@lru_cache(maxsize=1 << 16)
def parameters(text: str) -> tuple[int, ...]:
    """Return the numbers of a sequence; one that is left out is 0."""
    return tuple(min(int(number or 0), 9999) for number in text.split(";"))


class Screen(pyte.Screen):
    """pyte's screen, which draws runs of letters at once and renders only the lines that changed."""

    def __init__(self, columns: int, lines: int) -> None:
        self._rendered: list[str] = []
        self._coloured: dict[tuple[Char, tuple[int, ...]], Char] = {}
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
        fits = x + len(data) <= self.columns and not self.charset and modes.IRM not in self.mode
        if not fits or not is_plain(data):
            super().draw(data)
            # What combines with the letter before it may change the line above, of which pyte says nothing.
            self.dirty.update((y, max(y - 1, 0)))
            return
        attributes, line = self.cursor.attrs, self.buffer[y]
        for letter in data:
            line[x] = cell(attributes, letter)
            x += 1
        self.cursor.x = x
        self.dirty.add(y)

    def select_graphic_rendition(self, *attrs: int) -> None:
        """Choose the colours of what is drawn next."""
        before = (self.cursor.attrs, attrs)
        known = self._coloured.get(before)
        if known is None:
            super().select_graphic_rendition(*attrs)
            self._coloured[before] = self.cursor.attrs
        else:
            self.cursor.attrs = known


class Stream(pyte.Stream):
    """pyte's stream of bytes, which takes colours and places whole."""

    def __init__(self, screen: Screen) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        super().__init__(screen)
        self._drawn_on = screen

    def take(self, data: bytes) -> None:
        """Draw what a program has written."""
        text, offset = self._decoder.decode(data), 0
        while offset < len(text):
            known = self._taking_plain_text and (
                self._text_pattern.match(text, offset) or CSI.match(text, offset)
            )
            if not known:
                self._taking_plain_text = self._send_to_parser(text[offset])
                offset += 1
                continue
            offset = known.end()
            if known.re is not CSI:
                self._drawn_on.draw(known.group())
            elif known[2] == "m":
                self._drawn_on.select_graphic_rendition(*parameters(known[1]))
            else:
                self._drawn_on.cursor_position(*parameters(known[1]))
