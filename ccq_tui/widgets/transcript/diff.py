"""The changes of an edit, as numbered lines in parts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import islice
from pathlib import PurePath
from typing import Any, NamedTuple

from ccq_tui.widgets.transcript.tools import ToolCard, card_of

PIECE_LINES = 40
LINE_LIMIT = 4_000
"""Most characters of a line that are drawn."""
MOST_EFFORT = 2_000_000
"""Most comparisons of lines; beyond them, all old lines come first, then all new ones."""
BREAK = "⋯"
"""Sign of a line that stands for the lines between two changes."""


class DiffLine(NamedTuple):
    """One line; ``sign`` is "+", "-", " " or `BREAK`; unknown numbers are None."""

    sign: str
    old: int | None
    new: int | None
    text: str


class Diff:
    """Numbered lines in parts.

    Attributes:
        hidden: Number of further lines.
        digits: Columns that the largest number takes.
        language: The pattern of file names that identifies the language, such as ``*.py``, or "".
    """

    def __init__(self, lines: Iterable[DiffLine], hidden: int = 0, language: str = "") -> None:
        rows = list(lines)
        self.hidden = hidden
        self.language = language
        self.digits = len(str(max((line.old or line.new or 0 for line in rows[-PIECE_LINES:]), default=0)))
        self._pieces = list(_pieces(rows)) or [[]]

    def __len__(self) -> int:
        return len(self._pieces)

    def part(self, index: int) -> Sequence[DiffLine]:
        """Return a piece of the lines, unsanitised."""
        return self._pieces[index]

    def key(self, index: int) -> int:
        """Return a key that changes when the piece would be drawn differently: never."""
        return index

    def estimate(self, index: int, _width: int) -> int:
        """Guess the number of rows of a piece."""
        return max(1, len(self._pieces[index]) + (bool(self.hidden) and index == len(self) - 1))


def _pieces(rows: list[DiffLine]) -> Iterator[list[DiffLine]]:
    """Split lines so that a change is not torn apart, unless it is very long."""
    start = 0
    while start < len(rows):
        end = start + PIECE_LINES
        while end < min(len(rows), start + 2 * PIECE_LINES) and rows[end].sign in "+-":
            end += 1
        yield rows[start:end]
        start = end


def edit_diff(
    tool: str, arguments: Mapping[str, Any], structured: Any, most: int | None = None
) -> Diff | None:
    """Return the changes of a call, in at most ``most`` lines, or None if there is nothing to show."""
    lines = _lines(tool, arguments, structured)
    language = _language(arguments)
    if most is None:
        rows = list(lines)
        return Diff(rows, language=language) if rows else None
    first = list(islice(lines, most + 1))
    if not first:
        return None
    if card_of(tool) is ToolCard.WRITE and not _hunks(structured):
        rest = _length(arguments.get("content")) - len(first)  # a new file, as long as it may be
    else:
        rest = sum(1 for _ in lines)
    if rest:
        return Diff(first[:most], rest + len(first) - most, language)
    return Diff(first, language=language)


def _language(arguments: Mapping[str, Any]) -> str:
    if isinstance(arguments.get("notebook_path"), str):
        return "python"
    path = arguments.get("file_path")
    suffix = PurePath(path).suffix if isinstance(path, str) and len(path) < LINE_LIMIT else ""
    return f"*{suffix.lower()}" if suffix.isascii() and suffix[1:].isalnum() else ""


def counts(tool: str, arguments: Mapping[str, Any], structured: Any) -> tuple[int, int]:
    """Return the numbers of lines that a call added and removed."""
    if card_of(tool) is ToolCard.WRITE and not _hunks(structured):
        return _length(arguments.get("content")), 0
    signs = [line.sign for line in _lines(tool, arguments, structured)]
    return signs.count("+"), signs.count("-")


def _hunks(structured: Any) -> list[Any]:
    hunks = structured.get("structuredPatch") if isinstance(structured, Mapping) else None
    return hunks if isinstance(hunks, list) else []


def _length(content: Any) -> int:
    text = _text(content)
    return text.removesuffix("\n").count("\n") + 1 if text else 0


def _lines(tool: str, arguments: Mapping[str, Any], structured: Any) -> Iterator[DiffLine]:
    record = structured if isinstance(structured, Mapping) else {}
    if hunks := _hunks(structured):
        yield from _patched(hunks)
    elif card_of(tool) is ToolCard.WRITE:
        if record.get("type", "create") == "create":
            yield from _written(arguments.get("content"))
    elif card_of(tool) is ToolCard.NOTEBOOK:
        yield from _notebook(arguments, record)
    else:
        edits = arguments.get("edits", [arguments])
        for number, edit in enumerate(edits if isinstance(edits, list) else []):
            if isinstance(edit, Mapping):
                if number:
                    yield DiffLine(BREAK, None, None, "")
                yield from _compared(edit.get("old_string"), edit.get("new_string"))


def _patched(hunks: list[Any]) -> Iterator[DiffLine]:
    """Number the lines of the CLI's own patch."""
    first = True
    for hunk in hunks:
        if not isinstance(hunk, Mapping) or not isinstance(hunk.get("lines"), list):
            continue
        if not first:
            yield DiffLine(BREAK, None, None, "")
        first = False
        old, new = _number(hunk.get("oldStart")), _number(hunk.get("newStart"))
        for line in map(str, hunk["lines"]):
            sign, text = line[:1] or " ", line[1:]
            if sign == "\\":
                continue  # "\ No newline at end of file"
            yield DiffLine(sign, None if sign == "+" else old, None if sign == "-" else new, text)
            old += sign != "+"
            new += sign != "-"


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 1


def _written(content: Any) -> Iterator[DiffLine]:
    text = _text(content)
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), 1):
        yield DiffLine("+", None, number, line)


def _notebook(arguments: Mapping[str, Any], record: Mapping[str, Any]) -> Iterator[DiffLine]:
    mode = record.get("edit_mode") or arguments.get("edit_mode") or "replace"
    before = "" if mode == "insert" else _text(record.get("old_source"))
    after = "" if mode == "delete" else _text(arguments.get("new_source"))
    yield from _compared(before, after) if before else _written(after)


def _compared(old: Any, new: Any) -> Iterator[DiffLine]:
    """Compare two texts whose place in the file is unknown."""
    before, after = _text(old), _text(new)
    if before != after:
        yield from (DiffLine(sign, None, None, line) for sign, line in changed_lines(before, after))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, default=str)


def changed_lines(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of two pieces of a file with a sign: "-" removed, "+" added, " " unchanged.

    A line break at the end of both, or of the only one that has text, ends its last line and begins no other.
    """
    ended = all(text.endswith("\n") for text in (old, new) if text)
    before, after = (_split(text, ended=ended) for text in (old, new))
    first = _equal(before, after)
    last = _equal(before[first:][::-1], after[first:][::-1])
    yield from ((" ", line) for line in before[:first])
    yield from _paired_lines(before[first : len(before) - last], after[first : len(after) - last])
    yield from ((" ", line) for line in before[len(before) - last :])


def _split(text: str, *, ended: bool) -> list[str]:
    return (text.removesuffix("\n") if ended else text).split("\n") if text else []


def _equal(before: Sequence[str], after: Sequence[str]) -> int:
    """Return the number of equal lines at the beginning of both."""
    alike = zip(before, after, strict=False)
    return next((n for n, (a, b) in enumerate(alike) if a != b), min(len(before), len(after)))


def _paired_lines(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    if _effort(before, after) > MOST_EFFORT:
        yield from (("-", line) for line in before)
        yield from (("+", line) for line in after)
        return
    for what, start, end, new_start, new_end in SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        if what == "equal":
            yield from ((" ", line) for line in before[start:end])
            continue
        yield from (("-", line) for line in before[start:end])
        yield from (("+", line) for line in after[new_start:new_end])


def _effort(before: Sequence[str], after: Sequence[str]) -> int:
    """Return the most pairs of equal lines that the search may visit: all, once for each block found."""
    counts = Counter(after)
    pairs = len(before) + sum(counts[line] for line in before)
    return pairs * min(len(before), len(after))
