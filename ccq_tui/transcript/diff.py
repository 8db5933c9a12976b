"""The changes of an edit in parts, as the transcript draws them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePath
from typing import Any

from ccq_tui.inbox.file_diff import DiffLine, diff_lines, hunks_of, length
from ccq_tui.transcript.text_bodies import FixedBody

PIECE_LINES = 40
LINE_LIMIT = 4_000
"""Most characters of a line that are drawn."""


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
        self.digits = len(str(max((line.old or line.new or 0 for line in rows[-PIECE_LINES:]), default=0)))
        self._pieces = list(_pieces(rows)) or [[]]

    def __len__(self) -> int:
        return len(self._pieces)

    def part(self, index: int) -> Sequence[DiffLine]:
        """Return a piece of the lines, unsanitised."""
        return self._pieces[index]

    def estimate(self, index: int, _width: int) -> int:
        """Guess the number of rows of a piece."""
        return max(1, len(self._pieces[index]) + (bool(self.hidden) and index == len(self) - 1))


def _pieces(rows: Sequence[DiffLine]) -> Iterator[Sequence[DiffLine]]:
    """Split lines so that a change is not torn apart, unless it is very long."""
    start = 0
    while start < len(rows):
        end = start + PIECE_LINES
        while end < min(len(rows), start + 2 * PIECE_LINES) and rows[end].sign in "+-":
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
    suffix = PurePath(path).suffix if isinstance(path, str) and len(path) < LINE_LIMIT else ""
    return f"*{suffix.lower()}" if suffix.isascii() and suffix[1:].isalnum() else ""
