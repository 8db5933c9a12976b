"""Harmless text for people, in lines and columns of a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from ccq_tui.text import one_line, safe

WIDTH = 80
QUOTED = 100
"""Most characters of a request that are quoted in a sentence."""
MOST = 20_000
"""Most characters shown of one text; the JSON has all of it."""


def cells(text: str) -> int:
    """Return the number of columns that harmless text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(character) or character in "\u200c\u200d\ufe0e\ufe0f"
        else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


def fit(text: str, width: int) -> str:
    """Make text one harmless line of at most ``width`` columns; a cut ends in "…"."""
    return cut(one_line(text, max(1, width)), width)


def cut(line: str, width: int = WIDTH) -> str:
    """Cut a harmless line to ``width`` columns; a cut ends in "…"."""
    if cells(line) <= width:
        return line
    line = line[:width]
    while line and cells(line) >= width:
        line = line[:-1]
    return line.rstrip() + "…"


def pad(text: str, width: int) -> str:
    """Pad text with blanks to ``width`` columns."""
    return text + " " * (width - cells(text))


def wrapped(text: str, lead: str = "", width: int = WIDTH) -> list[str]:
    """Break one paragraph into lines."""
    room = max(8, width - cells(lead))
    lines: list[str] = []
    line = ""
    for word in text.split():
        rest = word
        if line and cells(line) + 1 + cells(rest) > room:
            lines.append(line)
            line = ""
        while (end := _held(rest, room)) < len(rest):
            lines.append(rest[:end])
            rest = rest[end:]
        line = f"{line} {rest}" if line else rest
    lines += [line] if line or not lines else []
    return [lead + lines[0], *(" " * cells(lead) + further for further in lines[1:])]


def _held(text: str, room: int) -> int:
    """Return the number of characters that fit in ``room`` columns, without measuring the rest."""
    taken = 0
    for place, character in enumerate(text):
        taken += cells(character)
        if taken > room:
            return max(1, place)
    return len(text)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Align rows in columns; cut the last column at the end of the line."""
    kept = [[*(fit(cell, 40) for cell in row[:-1]), row[-1]] for row in rows]
    widths = [max(cells(row[place]) for row in [list(heads), *kept]) for place in range(len(heads) - 1)]
    room = max(8, WIDTH - sum(widths) - 2 * len(widths))
    lines = []
    for row in [list(heads), *kept]:
        padded = [pad(cell, width) for cell, width in zip(row[:-1], widths, strict=True)]
        lines.append("  ".join([*padded, fit(row[-1], room)]).rstrip())
    return lines


def sentences(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return each row as a line of ``Header: value`` sentences, which a screen reader reads in order."""
    named = (
        [f"{head.capitalize()}: {cell}" for head, cell in zip(heads, row, strict=True) if cell]
        for row in rows
    )
    return [one_line(". ".join(parts), MOST) for parts in named]


def local(at: datetime, *, seconds: bool = False) -> str:
    """Return a time in the person's time zone."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M")


def kept_lines(text: str, lead: str = "", width: int = WIDTH) -> Iterator[str]:
    """Keep the lines of a text, and wrap long ones."""
    for line in safe(text, limit=MOST).strip("\n").split("\n"):
        inner = lead + line[: len(line) - len(line.lstrip())]
        yield from (row.rstrip() for row in wrapped(line, inner[: width // 2], width))
