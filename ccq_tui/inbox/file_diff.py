"""The changes of an edit, as numbered lines: of a call that is done, or of one that waits for permission."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from ccq_tui.text import common_start

CONTEXT = 3
"""Unchanged lines that a patch keeps around a change."""
BREAK = "…"
"""Sign of a line that stands for the lines between two changes."""


class DiffLine(NamedTuple):
    """One line; ``sign`` is "+", "-", " " or `BREAK`; unknown numbers are None."""

    sign: str
    old: int | None
    new: int | None
    text: str


def counts(arguments: Mapping[str, Any], structured: Any) -> tuple[int, int]:
    """Return the numbers of lines that a call adds and removes."""
    if "content" in arguments and not hunks_of(structured):
        return length(arguments["content"]), 0
    signs = [line.sign for line in diff_lines(arguments, structured)]
    return signs.count("+"), signs.count("-")


def hunks_of(structured: Any) -> list[Any]:
    """Return the parts of Claude Code's own patch, if its record of a call has one."""
    hunks = structured.get("structuredPatch") if isinstance(structured, Mapping) else None
    return hunks if isinstance(hunks, list) else []


def length(content: Any) -> int:
    """Return the number of lines of a file."""
    text = _text(content)
    return text.removesuffix("\n").count("\n") + 1 if text else 0


def diff_lines(arguments: Mapping[str, Any], structured: Any) -> Iterator[DiffLine]:
    """Yield the changes of a call by Claude Code's record of it, or else by its arguments alone."""
    record = structured if isinstance(structured, Mapping) else {}
    if hunks := hunks_of(structured):
        yield from _patched(hunks)
    elif "content" in arguments:
        if record.get("type", "create") == "create" or "trouble" in record:
            yield from _written(arguments["content"])
    elif not {"notebook_path", "new_source", "edit_mode"}.isdisjoint(arguments):
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
    read = [one for one in hunks if isinstance(one, Mapping) and isinstance(one.get("lines"), list)]
    for number, hunk in enumerate(read):
        if number:
            yield DiffLine(BREAK, None, None, "")
        starts = (_number(hunk.get(name)) for name in ("oldStart", "newStart"))
        yield from _numbered(map(str, hunk["lines"]), *starts)


def _numbered(lines: Iterable[str], old: int, new: int) -> Iterator[DiffLine]:
    for line in lines:
        sign, text = line[:1] or " ", line[1:]
        if sign == "\\":
            continue  # "\ No newline at end of file"
        yield DiffLine(sign, None if sign == "+" else old, None if sign == "-" else new, text)
        old += sign != "+"
        new += sign != "-"


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 1


def _written(content: Any) -> Iterator[DiffLine]:
    text, start, number = _text(content), 0, 0
    # Line by line, because a long file is often read only as far as the screen shows it.
    while start < len(text):
        end = text.find("\n", start)
        end, number = len(text) if end < 0 else end, number + 1
        yield DiffLine("+", None, number, text[start:end])
        start = end + 1


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


def patch(old: str, new: str) -> list[dict[str, Any]]:
    """Return the changes between two texts of a file as Claude Code records them."""
    rows = [*_numbered((sign + line for sign, line in changed_lines(old, new)), 1, 1)]
    hunks: list[dict[str, Any]] = []
    begins = True
    for row in narrowed(rows, CONTEXT):
        if row.sign == BREAK:
            begins = True
            continue
        if begins:  # with a change only at the beginning of the file
            hunks.append({"oldStart": row.old or 1, "newStart": row.new or 1, "lines": []})
        begins = False
        hunks[-1]["lines"].append(row.sign + row.text)
    return hunks


def narrowed(lines: Sequence[DiffLine], context: int) -> Iterator[DiffLine]:
    """Yield changed lines with fewer unchanged ones around them."""
    changed = [at for at, line in enumerate(lines) if line.sign in "+-"]
    near = {there for at in changed for there in range(at - context, at + context + 1)}
    last: int | None = None
    for at, line in enumerate(lines):
        if line.sign == BREAK or at not in near:
            continue
        if context and last is not None and at > last + 1:
            yield DiffLine(BREAK, None, None, "")
        yield line
        last = at


def changed_lines(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of two pieces of a file with a sign: "-" removed, "+" added, " " unchanged.

    A line break at the end of both, or of the only one that has text, ends its last line and begins no other.
    """
    ended = all(text.endswith("\n") for text in (old, new) if text)
    before, after = (
        ((text.removesuffix("\n") if ended else text).split("\n") if text else []) for text in (old, new)
    )
    first = common_start(before, after)
    last = common_start(before[first:][::-1], after[first:][::-1])
    yield from ((" ", line) for line in before[:first])
    yield from _paired_lines(before[first : len(before) - last], after[first : len(after) - last])
    yield from ((" ", line) for line in before[len(before) - last :])


def _paired_lines(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    counts = Counter(after)
    pairs = len(before) + sum(counts[line] for line in before)
    changes = [("replace", 0, len(before), 0, len(after))]
    # The search may visit all pairs of equal lines, once for each block found.
    # Beyond so many comparisons, all old lines come first, then all new ones.
    if pairs * min(len(before), len(after)) <= 2_000_000:
        changes = [*SequenceMatcher(None, before, after, autojunk=False).get_opcodes()]
    for what, start, end, new_start, new_end in changes:
        if what == "equal":
            yield from ((" ", line) for line in before[start:end])
            continue
        yield from (("-", line) for line in before[start:end])
        yield from (("+", line) for line in after[new_start:new_end])
