"""Text that is not Markdown, in pieces that are drawn only when on screen: whole, an excerpt, changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, islice
from pathlib import PurePath
from typing import Any

from ccq_tui.inbox.file_diff import DiffLine, diff_lines, hunks_of, length
from ccq_tui.text import safe
from ccq_tui.transcript.sgr import NO_MARKS, parsed

PIECE_LINES = 50
PIECE_CHARACTERS = 4_000


class FixedBody:
    """A body that never changes once it is there."""

    def key(self, index: int) -> int:
        """Return a key that changes when the part would be drawn differently: never."""
        return index


class PlainText(FixedBody):
    """Text drawn as it is, such as a tool's output or a prompt.

    Attributes:
        marks: The colours of the text, where they are read.
    """

    def __init__(self, text: str, *, colours: bool = False) -> None:
        text, self.marks = parsed(text) if colours else (text, NO_MARKS)
        self._pieces = list(_pieces(text.rstrip()))
        self._starts: list[int] = []

    def __len__(self) -> int:
        return len(self._pieces)

    def part(self, index: int) -> str:
        """Return a piece, safe to draw."""
        return safe(self._pieces[index][0])

    def source(self, index: int) -> tuple[str, int]:
        """Return a piece, unsanitised, and its offset in the text."""
        if not self._starts:
            self._starts = list(accumulate((size for _, size in self._pieces), initial=0))
        return self._pieces[index][0], self._starts[index]

    def estimate(self, index: int, width: int) -> int:
        """Guess the number of lines of a piece at a width in columns."""
        piece = self._pieces[index][0]
        return max(1, piece.count("\n") + 1, len(piece) // width)


def _pieces(text: str) -> list[tuple[str, int]]:
    """Cut a text into pieces, each with its length in the text, including a line break after it."""
    pieces: list[tuple[str, int]] = []
    lines: list[str] = []
    size = 0
    for line in text.split("\n"):
        if lines and (len(lines) >= PIECE_LINES or size + len(line) > PIECE_CHARACTERS):
            pieces.append(("\n".join(lines), size))
            lines, size = [], 0
        while len(line) > PIECE_CHARACTERS:
            pieces.append((line[:PIECE_CHARACTERS], PIECE_CHARACTERS))
            line = line[PIECE_CHARACTERS:]
        lines.append(line)
        size += len(line) + 1
    if lines:
        pieces.append(("\n".join(lines), size))
    return pieces


LINE_LIMIT = 2_000
"""Most characters of a line that are read; the rest cannot be seen on any screen."""


class Excerpt(FixedBody):
    """Some lines of a text, one row each.

    Attributes:
        lines: The lines, unsanitised.
        hidden: Number of lines of the text left out.
        tail: Whether they are its last ones, the hidden ones before them.
        marks: The colours of the text, where they are read.
    """

    def __init__(self, text: str, most: int, *, tail: bool = False, colours: bool = False) -> None:
        """Take the first lines of a text, or its last; take one more than ``most`` where that is all."""
        text, self.marks = parsed(text) if colours else (text, NO_MARKS)
        begin = len(text) - len(text.lstrip("\n"))
        text = text[begin:].rstrip()
        count = text.count("\n") + 1
        keep = count if count <= most + 1 else most
        pieces = text.rsplit("\n", keep)[-keep:] if tail else text.split("\n", keep)[:keep]
        self.lines = tuple(piece[:LINE_LIMIT] for piece in pieces)
        first = begin + (len(text) - sum(map(len, pieces)) - len(pieces) + 1 if tail else 0)
        self.starts = tuple(accumulate((len(piece) + 1 for piece in pieces[:-1]), initial=first))
        """Offset of each line in the text."""
        self.hidden = count - keep
        self.tail = tail

    def __len__(self) -> int:
        return 1

    def shown(self) -> list[str]:
        """Return the lines, safe to draw."""
        return [safe(line, keep_newlines=False) for line in self.lines]

    def estimate(self, _index: int, _width: int) -> int:
        """Return the number of rows at any width."""
        return len(self.lines) + bool(self.hidden)


CHANGE_LINES = 40
CHANGE_LIMIT = 4_000
"""Most characters of a changed line that are drawn."""


class Diff(FixedBody):
    """Numbered lines in parts.

    Attributes:
        hidden: Number of further lines.
        digits: Columns that the largest number takes.
        language: The pattern of file names that identifies the language, such as ``*.py``, or "".
    """

    def __init__(self, rows: Sequence[DiffLine], hidden: int = 0, language: str = "") -> None:
        self.hidden = hidden
        self.language = language
        self.digits = len(str(max((line.old or line.new or 0 for line in rows[-CHANGE_LINES:]), default=0)))
        self._pieces = list(_change_pieces(rows)) or [[]]

    def __len__(self) -> int:
        return len(self._pieces)

    def part(self, index: int) -> Sequence[DiffLine]:
        """Return a piece of the lines, unsanitised."""
        return self._pieces[index]

    def estimate(self, index: int, _width: int) -> int:
        """Guess the number of rows of a piece."""
        return max(1, len(self._pieces[index]) + (bool(self.hidden) and index == len(self) - 1))


def _change_pieces(rows: Sequence[DiffLine]) -> Iterator[Sequence[DiffLine]]:
    """Split lines so that a change is not torn apart, unless it is very long."""
    start = 0
    while start < len(rows):
        end = start + CHANGE_LINES
        while end < min(len(rows), start + 2 * CHANGE_LINES) and rows[end].sign in "+-":
            end += 1
        yield rows[start:end]
        start = end


def edit_diff(arguments: Mapping[str, Any], structured: Any, most: int | None = None) -> Diff | None:
    """Return the changes of a call, in at most ``most`` lines, or None if there is nothing to show."""
    lines = diff_lines(arguments, structured)
    first = list(islice(lines, None if most is None else most + 1))
    if not first:
        return None
    new = "content" in arguments and not hunks_of(structured)  # a new file, as long as it may be
    rest = length(arguments["content"]) - len(first) if new else sum(1 for _ in lines)
    shown = first[:most] if rest else first
    return Diff(shown, rest + len(first) - len(shown), _language(arguments))


def _language(arguments: Mapping[str, Any]) -> str:
    if isinstance(arguments.get("notebook_path"), str):
        return "python"
    path = arguments.get("file_path")
    suffix = PurePath(path).suffix if isinstance(path, str) and len(path) < CHANGE_LIMIT else ""
    return f"*{suffix.lower()}" if suffix.isascii() and suffix[1:].isalnum() else ""
