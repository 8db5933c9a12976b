"""Colours of a command's output, read from its escape sequences as data."""

from __future__ import annotations

import colorsys
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

MOST = 20_000
"""Most changes of colour kept of one text; the rest has the last one."""
_SGR = re.compile(r"\x1b\[([0-9;:]{0,100})m|\x1b\[[0-2]?K")
_HUES = ("muted", "error", "success", "warning", "keyword", "secondary", "name", "")
"""The theme's colours for black, red, green, yellow, blue, magenta, cyan and white."""
_GREY = 0.25
"""Saturation below which a colour is a grey."""
_DARK = 0.6
"""Lightness below which a grey counts as muted."""


class Rendition(NamedTuple):
    """Look of text: the name of one of the theme's colours, or "", and attributes."""

    colour: str = ""
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    ground: bool = False


class Marks:
    """The places in a text where each look begins; offsets count the text without its sequences."""

    def __init__(self, starts: list[int], looks: list[Rendition]) -> None:
        self._starts = starts
        self._looks = looks

    def __bool__(self) -> bool:
        return bool(self._starts)

    def runs(self, start: int, end: int) -> Iterator[tuple[int, int, Rendition]]:
        """Yield the pieces between two offsets, each with its look."""
        at = bisect_right(self._starts, start)
        while start < end:
            stop = min(end, self._starts[at]) if at < len(self._starts) else end
            yield start, stop, self._looks[at - 1] if at else Rendition()
            start, at = stop, at + 1


NO_MARKS = Marks([], [])


def plain(text: str) -> str:
    """Return a text without the sequences that colour it."""
    return _SGR.sub("", text) if "\x1b" in text else text


def parsed(text: str) -> tuple[str, Marks]:
    """Return a text without its sequences, and the marks that they make."""
    if "\x1b" not in text:
        return text, NO_MARKS
    pieces: list[str] = []
    starts: list[int] = []
    looks: list[Rendition] = []
    look, last, size = Rendition(), 0, 0
    for found in _SGR.finditer(text):
        pieces.append(text[last : found.start()])
        size += found.start() - last
        last = found.end()
        changed = look if found[1] is None else _changed(look, found[1])
        if changed == look or len(starts) >= MOST:
            continue
        look = changed
        if starts and starts[-1] == size:
            looks[-1] = look
        else:
            starts.append(size)
            looks.append(look)
    return "".join([*pieces, text[last:]]), Marks(starts, looks)


def _changed(look: Rendition, codes: str) -> Rendition:
    """Return the look after the numbers of a sequence."""
    numbers = iter([int(code or 0) for code in re.split("[;:]", codes)[:32]])
    for number in numbers:
        look = _after(look, number, numbers)
    return look


_ATTRIBUTES: dict[int, dict[str, Any]] = {
    1: {"bold": True},
    2: {"dim": True},
    3: {"italic": True},
    4: {"underline": True},
    7: {"ground": True},
    9: {"strike": True},
    22: {"bold": False, "dim": False},
    23: {"italic": False},
    24: {"underline": False},
    27: {"ground": False},
    29: {"strike": False},
    49: {"ground": False},
}


def _after(look: Rendition, number: int, rest: Iterator[int]) -> Rendition:
    if number == 0:
        return Rendition()
    if number in _ATTRIBUTES:
        return look._replace(**_ATTRIBUTES[number])
    if number in (38, 48):
        colour = _extended(rest)
        return look._replace(colour=colour) if number == 38 else look._replace(ground=True)
    if 30 <= number <= 37 or 90 <= number <= 97:
        return look._replace(colour=_HUES[number % 10])
    if number == 39:
        return look._replace(colour="")
    if 40 <= number <= 47 or 100 <= number <= 107:
        return look._replace(ground=True)
    return look


def _extended(rest: Iterator[int]) -> str:
    kind = next(rest, 0)
    if kind == 5:
        return _indexed(next(rest, 7))
    if kind == 2:
        red, green, blue = (min(255, next(rest, 0)) for _ in range(3))
        return _nearest(red, green, blue)
    return ""


def _indexed(number: int) -> str:
    if number < 16:
        return _HUES[number % 8] if number != 8 else "muted"
    if number >= 232:
        return _nearest(*[8 + 10 * (min(number, 255) - 232)] * 3)
    levels = (0, 95, 135, 175, 215, 255)
    number -= 16
    return _nearest(levels[number // 36], levels[number // 6 % 6], levels[number % 6])


@lru_cache(maxsize=512)
def _nearest(red: int, green: int, blue: int) -> str:
    """Return the theme's colour for any colour by its hue; the theme chooses the lightness."""
    hue, lightness, saturation = colorsys.rgb_to_hls(red / 255, green / 255, blue / 255)
    if saturation < _GREY:
        return "muted" if lightness < _DARK else ""
    return ("error", "warning", "success", "name", "keyword", "secondary")[round(hue * 6) % 6]
