"""What an edit changes, line by line, at a cost that stays small for any text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

MOST_EFFORT = 2_000_000
"""Comparisons of lines that are worth it; beyond them all old lines are followed by all new ones."""


def changed_lines(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of both texts, each with a sign.

    Args:
        old: The text before.
        new: The text after.

    Yields:
        A sign and a line: "-" for a line that goes, "+" for one that comes, " " for one that stays.
    """
    before, after = old.split("\n"), new.split("\n")
    first = _equal(before, after)
    last = _equal(before[first:][::-1], after[first:][::-1])
    yield from ((" ", line) for line in before[:first])
    yield from _compared(before[first : len(before) - last], after[first : len(after) - last])
    yield from ((" ", line) for line in before[len(before) - last :])


def _equal(before: Sequence[str], after: Sequence[str]) -> int:
    """Return how many lines both begin with."""
    alike = zip(before, after, strict=False)
    return next((n for n, (a, b) in enumerate(alike) if a != b), min(len(before), len(after)))


def _compared(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
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
    """Return how many pairs of equal lines the search may look at: all of them, once for each block found."""
    counts = Counter(after)
    pairs = len(before) + sum(counts[line] for line in before)
    return pairs * min(len(before), len(after))
