"""Vim's motions: their goals in a text. Places are counted in characters from its beginning."""

from __future__ import annotations


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
            step = {"w": _next_word, "b": _word_before, "e": word_end}[motion.lower()]
            for _ in range(times):
                caret = step(text, caret, motion.isupper())
            return caret
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


def kind_of(character: str, big: bool) -> int:
    """Return 0 for a blank, 1 for a letter, 2 for a sign; in big words 1 for a sign, too."""
    if character.isspace():
        return 0
    return 1 if big or character.isalnum() or character == "_" else 2


def _is_empty_line(text: str, place: int) -> bool:
    return 0 < place < len(text) and text[place] == "\n" == text[place - 1]


def _next_word(text: str, place: int, big: bool) -> int:
    if place < len(text) and (kind := kind_of(text[place], big)):
        while place < len(text) and kind_of(text[place], big) == kind:
            place += 1
    begun = place
    while place < len(text) and not kind_of(text[place], big):
        if place > begun and _is_empty_line(text, place):
            break
        place += 1
    return place


def _word_before(text: str, place: int, big: bool) -> int:
    place -= 1
    while place > 0 and not kind_of(text[place], big) and not _is_empty_line(text, place):
        place -= 1
    if place > 0 and (kind := kind_of(text[place], big)):
        while place > 0 and kind_of(text[place - 1], big) == kind:
            place -= 1
    return max(0, place)


def word_end(text: str, place: int, big: bool) -> int:
    """Return the last character of the word that ends next."""
    place += 1
    while place < len(text) and not kind_of(text[place], big):
        place += 1
    while place + 1 < len(text) and kind_of(text[place + 1], big) == kind_of(text[place], big):
        place += 1
    return max(0, min(place, len(text) - 1))


def line_around(text: str, place: int) -> tuple[int, int]:
    """Return the start and the end of the line with a place, without its newline."""
    end = text.find("\n", place)
    return text.rfind("\n", 0, place) + 1, len(text) if end < 0 else end


def row_of(text: str, place: int) -> int:
    """Return the number of the line with a place, from 0."""
    return text.count("\n", 0, place)


def row_start(text: str, row: int) -> int:
    """Return the start of a line, or of the last one if there are fewer."""
    place = 0
    for _ in range(row):
        following = text.find("\n", place)
        if following < 0:
            break
        place = following + 1
    return place


def first_word(text: str, start: int) -> int:
    """Return the place of a line's first character that is no blank, or its end."""
    _, end = line_around(text, start)
    blanks = len(text[start:end]) - len(text[start:end].lstrip())
    return start + blanks
