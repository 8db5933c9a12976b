"""Text that is not Markdown, in pieces that are drawn only when on screen: whole, an excerpt, changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePath
from typing import Any

from ccq_tui.inbox.file_diff import DiffLine, diff_lines, hunks_of, length
from ccq_tui.text import safe
from ccq_tui.transcript.sgr import continued, ended, plain

PIECE_LINES = 50
PIECE_CHARACTERS = 4_000
MOST_SEQUENCE = 100
"""Most characters of a sequence that colours text."""


class FixedBody:
    """A body that never changes once it is there; of one part, unless it has pieces."""

    def __len__(self) -> int:
        return 1

    def key(self, index: int) -> int:
        """Return a key that changes when the part would be drawn differently: never."""
        return index


class PlainText(FixedBody):
    """Text drawn as it is, such as a tool's output or a prompt.

    Attributes:
        pieces: Its pieces, unsanitised; where colours are read, each with the sequences that colour it.
    """

    def __init__(self, text: str, *, colours: bool = False) -> None:
        self.colours = colours
        self.pieces = [*(continued(_pieces(ended(text))) if colours else _pieces(text.rstrip()))]

    def __len__(self) -> int:
        return len(self.pieces)

    def part(self, index: int) -> str:
        """Return a piece, safe to draw, without colours."""
        piece = self.pieces[index]
        return safe(plain(piece) if self.colours else piece)

    def estimate(self, index: int, width: int) -> int:
        """Guess the number of lines of a piece at a width in columns."""
        piece = self.pieces[index]
        return max(1, piece.count("\n") + 1, len(piece) // width)


def _pieces(text: str) -> Iterator[str]:
    """Cut a text into pieces."""
    lines: list[str] = []
    size = 0
    for line in text.split("\n"):
        if lines and (len(lines) >= PIECE_LINES or size + len(line) > PIECE_CHARACTERS):
            yield "\n".join(lines)
            lines, size = [], 0
        while len(line) > PIECE_CHARACTERS:
            # Not within a sequence.
            end = line.rfind("\x1b", PIECE_CHARACTERS - MOST_SEQUENCE, PIECE_CHARACTERS)
            end = PIECE_CHARACTERS if end < 0 else end
            yield line[:end]
            line = line[end:]
        lines.append(line)
        size += len(line) + 1
    if lines:
        yield "\n".join(lines)


LINE_LIMIT = 2_000
"""Most characters of a line that are read; the rest cannot be seen on any screen."""


class Excerpt(FixedBody):
    """Some lines of a text, one row each.

    Attributes:
        lines: The lines, unsanitised; where colours are read, each with the sequences that colour it.
        hidden: Number of lines of the text left out.
        tail: Whether they are its last ones, the hidden ones before them.
    """

    def __init__(self, text: str, most: int, *, tail: bool = False, colours: bool = False) -> None:
        """Take the first lines of a text, or its last; take one more than ``most`` where that is all."""
        text = ended(text.lstrip("\n")) if colours else text.lstrip("\n").rstrip()
        self.colours, self.tail = colours, tail
        count = text.count("\n") + 1
        keep = count if count <= most + 1 else most
        self.hidden = count - keep
        before, *lines = (
            text.rsplit("\n", keep) if tail and self.hidden else ["", *text.split("\n", keep)[:keep]]
        )
        if colours:
            _, *lines = continued([before, *lines])
        self.lines = tuple(line[:LINE_LIMIT] for line in lines)

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
