"""Highlights on drawn lines: matches of a search, a selection."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

_MARGIN = " │↳"
"""Characters that may stand before the text of a drawn line."""
_BREAK = rf"(?: ?\n[{_MARGIN}]*)?"
"""Break of a long word, at the end of a full line."""
_SPACE = rf"[\s{_MARGIN}]+"
"""Space between words, or the end of a line with the margin of the next."""


class MatchSpan(NamedTuple):
    """A stretch of one line, in cells, and the number of its match."""

    start: int
    end: int
    number: int


def drawn_pattern(words: Sequence[str], flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that finds words in drawn lines, across the ends of lines."""
    broken = (_BREAK.join(re.escape(character) for character in word) for word in words)
    return re.compile(_SPACE.join(broken), flags)


def spans_in(strips: Sequence[Strip], pattern: re.Pattern[str]) -> dict[int, list[MatchSpan]]:
    """Return the stretches of each drawn line that a `drawn_pattern` matches."""
    lines = [strip.text for strip in strips]
    found: dict[int, list[MatchSpan]] = {}
    text = "\n".join(lines)
    line, start = 0, 0
    for number, match in enumerate(pattern.finditer(text)):
        at = match.start()
        while at < match.end():
            while at > start + len(lines[line]):
                start += len(lines[line]) + 1
                line += 1
            end = min(match.end(), start + len(lines[line]))
            piece = lines[line][at - start : end - start]
            if shown := piece.strip(_MARGIN):  # the margin of a line is no part of the text continued in it
                first = cell_len(lines[line][: at - start + piece.index(shown)])
                found.setdefault(line, []).append(MatchSpan(first, first + cell_len(shown), number))
            at = end + 1
    return found


def painted(strip: Strip, stretches: Iterable[tuple[int, int, Style]]) -> Strip:
    """Lay styles over stretches of a line, given by start and end in cells, in order and apart."""
    pieces: list[Strip] = []
    at = 0
    for start, end, style in stretches:
        if end <= start or start < at:
            continue
        laid = [
            Segment(segment.text, (segment.style or Style.null()) + style)
            for segment in strip.crop(start, end)
        ]
        pieces += [strip.crop(at, start), Strip(laid)]
        at = end
    return Strip.join([*pieces, strip.crop(at)]) if pieces else strip
