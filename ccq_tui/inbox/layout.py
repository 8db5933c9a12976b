"""Harmless text for people, in lines and columns of a terminal."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from ccq_tui.answering.document import Passage, PassageKind
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


def lines(document: Iterable[Passage], width: int = WIDTH) -> Iterator[str]:
    """Draw a document, an empty line before each head."""
    return (line for _, line in drawn(document, width))


def drawn(document: Iterable[Passage], width: int = WIDTH) -> Iterator[tuple[PassageKind, str]]:
    """Draw a document; each line comes with what it is a part of."""
    lead = "  "
    for block in document:
        if block.part is PassageKind.HEAD:
            yield block.part, ""
            lead = " " * (len(block.mark) + 2)
        if block.text.strip() or block.part is PassageKind.OPTION:
            yield from ((block.part, line) for line in _block(block, lead, width))


def _block(block: Passage, lead: str, width: int) -> Iterable[str]:
    part, text, mark, name, chosen = block
    match part:
        case PassageKind.HEAD:
            words = f"{text} ({name})" if name else text
            return wrapped(one_line(words, MOST), f"{mark}  " if mark else "", width)
        case PassageKind.OPTION:
            box = "" if chosen is None else "[x] " if chosen else "[ ] "
            # Most characters of what names an option.
            return wrapped(one_line(name + text, MOST), f"{lead}{box}{one_line(mark, 8):>2}  ", width)
        case PassageKind.VERBATIM if mark:
            return (cut(f"{lead}    | {line}", width) for line in safe(text, limit=MOST).split("\n"))
        case PassageKind.VERBATIM:
            return kept_lines(text, lead, width)
        case PassageKind.FIELD:
            return kept_lines(f"{name}: {text}".replace("\n", "\n  "), lead, width)
        case PassageKind.CHANGE:
            return kept_lines(f"{name:>5} {mark} {text}", " ", width)
    return wrapped(one_line(text, MOST), lead + mark, width)
