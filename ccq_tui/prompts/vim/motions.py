"""Vim's motions: their goals in a text. Places are counted in characters from its beginning."""

from __future__ import annotations

import re

# An empty line counts as a word, other blanks do not.
_WORDS = (re.compile(r"\w+|[^\w\s]+|(?<=\n)(?=\n)"), re.compile(r"\S+|(?<=\n)(?=\n)"))


def target(motion: str, count: int, text: str, caret: int, find: str) -> int | None:
    """Return the goal of a motion such as ``w`` or ``fx``, or None.

    It may be after the line's last character. ``find`` is the last of f, F, t and T, with its
    character.
    """
    times = count or 1
    match motion:
        case "j" | "k":
            return up_or_down(text, caret, times if motion == "j" else -times)
        case "gg" | "G":
            last = text.count("\n")
            row = min(count - 1, last) if count else (0 if motion == "gg" else last)
            return first_word(text, row_start(text, row))
        case "w" | "W" | "b" | "B" | "e" | "E":
            return _by_words(motion.lower(), times, text, caret, big=motion.isupper())
        case ";" | ",":
            kind = find[:1].swapcase() if motion == "," else find[:1]
            return _found(text, caret, kind, find[1:], times, again=True) if find else None
        case _ if motion[0] in "fFtT":
            return _found(text, caret, motion[0], motion[1], times)
        case _:
            return _in_line(motion, times, text, caret)


def _in_line(motion: str, times: int, text: str, caret: int) -> int | None:
    start, end = line_around(text, caret)
    match motion:
        case "h":
            return max(start, caret - times)
        case "l":
            return min(end, caret + times)
        case "0":
            return start
        case "^":
            return first_word(text, start)
        case _:
            row = caret if times == 1 else up_or_down(text, caret, times - 1)
            return None if row is None else line_around(text, row)[1]


def up_or_down(text: str, caret: int, by: int) -> int | None:
    """Return the same column ``by`` lines below, as far as there are lines; None if there is none."""
    row, last = row_of(text, caret), text.count("\n")
    goal = max(0, min(row + by, last))
    if goal == row:
        return None
    start, end = line_around(text, row_start(text, goal))
    return min(start + caret - line_around(text, caret)[0], end)


def _found(
    text: str, caret: int, kind: str, character: str, times: int, *, again: bool = False
) -> int | None:
    start, end = line_around(text, caret)
    short = kind in "tT"
    place = caret
    for number in range(times):
        # A repeated t would stay before the character that it has found already.
        skip = 1 if short and again and not number else 0
        if kind in "ft":
            place = text.find(character, place + 1 + skip, end)
        else:
            place = text.rfind(character, start, max(start, place - skip))
        if place < 0:
            return None
    return place + (0 if not short else -1 if kind == "t" else 1)


def _by_words(motion: str, times: int, text: str, caret: int, *, big: bool) -> int:
    if motion == "e":
        return max(0, word_end(text, caret + 1, times, big=big) - 1)
    starts = [found.start() for found in _WORDS[big].finditer(text)]
    if motion == "w":
        goals = [start for start in starts if start > caret]
        return goals[times - 1] if times <= len(goals) else len(text)
    goals = [start for start in starts if start < caret]
    return goals[-times] if times <= len(goals) else 0


def word_end(text: str, caret: int, times: int, *, big: bool) -> int:
    """Return the end of the word at the caret or behind it, or of a later one."""
    ends = [found.end() for found in _WORDS[big].finditer(text) if found[0] and found.end() > caret]
    return ends[times - 1] if times <= len(ends) else len(text)


def line_around(text: str, place: int) -> tuple[int, int]:
    """Return the start and the end of the line with a place, without its newline."""
    end = text.find("\n", place)
    return text.rfind("\n", 0, place) + 1, len(text) if end < 0 else end


def row_of(text: str, place: int) -> int:
    """Return the number of the line with a place, from 0."""
    return text.count("\n", 0, place)


def row_start(text: str, row: int) -> int:
    """Return the start of a line."""
    return sum(len(line) + 1 for line in text.split("\n", row)[:row])


def first_word(text: str, start: int) -> int:
    """Return the place of a line's first character that is no blank, or its end."""
    _, end = line_around(text, start)
    blanks = len(text[start:end]) - len(text[start:end].lstrip())
    return start + blanks
