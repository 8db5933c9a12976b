"""Vim's keys in a text: their effects on text and caret. The commands are the everyday ones of Claude Code.

The names are those of Vim's manual (``:help motion.txt``, ``:help change.txt``): an operator works on the
text that a motion passes over, or on a word that ``iw`` or ``aw`` names.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from math import prod

ESCAPE = "escape"

_MOTION = r"[hljkwWbBeE^$G;,]|gg|[fFtT].|(?<!\d)0"
_COMMAND = re.compile(
    rf"(?P<count>[1-9]\d*)?(?:(?P<operator>[dcy])(?P<more>[1-9]\d*)?)?(?:(?P<motion>{_MOTION})|"
    r"(?(operator)(?:(?P<lines>(?P=operator))|(?P<object>[ia][wW]))|(?P<simple>r.|[pPuiIaAoO])))"
)
_BEGUN = re.compile(r"(?:[1-9]\d*)?(?:r|(?:[dcy](?:[1-9]\d*)?[ia]?)?[fFtTg]?)")

# Words, signs and blanks; in big words the signs, too.
_RUNS = (re.compile(r"\w+|[^\w\s]+|\s+"), re.compile(r"\S+|\s+"))


def word_object(name: str, text: str, caret: int) -> tuple[int, int] | None:
    """Return the start and the end of a word such as ``iw`` or ``aW``, or None in an empty line."""
    around, big = name[0] == "a", name[1] == "W"
    start, end = line_around(text, caret)
    if start == end:
        return None
    runs = [found.span() for found in _RUNS[big].finditer(text, start, end)]
    at = next(number for number, (_, last) in enumerate(runs) if last > min(caret, end - 1))
    first, last = runs[at]
    if around and last < end and (text[first].isspace() or text[last].isspace()):
        return first, runs[at + 1][1]
    if around and at and text[first - 1].isspace():
        first = runs[at - 1][0]
    return first, last


class VimMode(StrEnum):
    """The effect of a letter: it is typed, or it is a command."""

    INSERT = "INSERT"
    NORMAL = "NORMAL"


@dataclass(frozen=True, slots=True)
class VimState:
    """The memory of Vim's keys.

    Attributes:
        mode: The effect of a letter.
        keys: The keys of a command that is not complete yet.
        register: The text that was last deleted or yanked.
        of_lines: Whether that is whole lines.
        find: The last of f, F, t and T, with its character.
    """

    mode: VimMode = VimMode.INSERT
    keys: str = ""
    register: str = ""
    of_lines: bool = False
    find: str = ""


@dataclass(frozen=True, slots=True)
class VimOutcome:
    """The effect of a key.

    Attributes:
        state: The memory now.
        text: The text now.
        caret: The caret's place in it, in characters.
        undo: Number of changes to take back.
        step: 1 for an earlier prompt, -1 for a later one: the caret could go no further.
    """

    state: VimState
    text: str
    caret: int
    undo: int = 0
    step: int = 0


def pressed(state: VimState, key: str, text: str, caret: int) -> VimOutcome | None:
    """Take a printable key or `ESCAPE`; None for one that is not Vim's, and means something elsewhere."""
    if key == ESCAPE:
        return _escaped(state, text, caret)
    if state.mode is VimMode.INSERT:
        return None
    caret = on_character(text, caret)
    if not state.keys or state.keys.isdecimal():
        key = {"x": "dl", "X": "dh", "s": "cl", "S": "cc", "D": "d$", "C": "c$", "Y": "yy"}.get(key, key)
    keys = state.keys + key
    if found := _COMMAND.fullmatch(keys):
        done = _ran(replace(state, keys=""), found, text, caret)
        is_typing = done.state.mode is VimMode.INSERT
        return done if is_typing else replace(done, caret=on_character(done.text, done.caret))
    begun = len(keys) <= 12 and _BEGUN.fullmatch(keys)  # most keys of one command
    return VimOutcome(replace(state, keys=keys if begun else ""), text, caret)


def _escaped(state: VimState, text: str, caret: int) -> VimOutcome | None:
    if state.mode is VimMode.NORMAL:
        return VimOutcome(replace(state, keys=""), text, caret) if state.keys else None
    left = max(line_around(text, caret)[0], caret - 1)
    return VimOutcome(replace(state, mode=VimMode.NORMAL), text, left)


def _ran(state: VimState, found: re.Match[str], text: str, caret: int) -> VimOutcome:
    """Run a whole command; a count of 0 is none."""
    motion, counts = found["motion"], [int(one) for one in found.group("count", "more") if one]
    count = min(prod(counts), 999) if counts else 0
    if motion and motion[0] in "fFtT":
        state = replace(state, find=motion)
    if found["simple"]:
        return _changed(state, found["simple"], max(1, count), text, caret)
    if found["operator"]:
        span = _spanned(found, count, text, caret, state.find)
        return VimOutcome(state, text, caret) if span is None else _operated(state, found, text, *span)
    goal = target(motion, count, text, caret, state.find)
    if goal is None:
        return VimOutcome(state, text, caret, step={"k": 1, "j": -1}.get(motion, 0))
    return VimOutcome(state, text, goal)


def on_character(text: str, caret: int) -> int:
    """Return the caret's place on a character: only typing continues after a line's last one."""
    start, end = line_around(text, caret)
    return max(start, min(caret, end - 1))


# -- operators -------------------------------------------------------------------------------------------

Span = tuple[int, int, bool]
"""The text that an operator works on: its start, its end, and whether it is all the lines between them."""


def _spanned(found: re.Match[str], count: int, text: str, caret: int, find: str) -> Span | None:
    """Return the span of whole lines, of a word, or of what a motion passes over; None if there is none."""
    motion = found["motion"]
    if found["lines"]:
        last = up_or_down(text, caret, count - 1) if count > 1 else caret
        return None if last is None else (caret, last, True)
    if found["object"]:
        word = word_object(found["object"], text, caret)
        return None if word is None else (*word, False)
    if found["operator"] == "c" and motion in ("w", "W") and caret < len(text) and not text[caret].isspace():
        # A word that is changed keeps the blanks after it.
        return caret, word_end(text, caret, max(1, count), big=motion == "W"), False
    goal = target(motion, count, text, caret, find)
    if goal is None:
        return None
    if motion in ("j", "k", "gg", "G"):
        return min(caret, goal), max(caret, goal), True
    return _passed(motion, text, caret, goal)


def _passed(motion: str, text: str, caret: int, goal: int) -> Span:
    """Return the text between the caret and a motion's goal."""
    inclusive = motion in ("e", "E") or (motion[0] in "ft" or (motion in ";," and goal > caret))
    if motion in ("w", "W"):
        # The line's last word is taken without the text on the next line.
        words, newline, rest = text[caret:goal].rpartition("\n")
        words = words.rstrip("\n")
        goal = caret + len(words) if newline and words and not rest.strip() else goal
    first, last = sorted((caret, goal))
    if not inclusive and first < last and text[last - 1] == "\n":
        # Past a line's end: the whole line if this begins before its first word, else without its end.
        last -= 1
        return first, last, first <= first_word(text, line_around(text, first)[0])
    return first, min(len(text), last + inclusive), False


def _operated(
    state: VimState, found: re.Match[str], text: str, first: int, last: int, of_lines: bool
) -> VimOutcome:
    start, end = (line_around(text, first)[0], line_around(text, last)[1]) if of_lines else (first, last)
    if of_lines or start < end:
        state = replace(state, register=text[start:end], of_lines=of_lines)
    if found["operator"] == "y":
        return VimOutcome(state, text, first)
    left = text[:start] + text[end:]
    if found["operator"] == "c":
        return VimOutcome(replace(state, mode=VimMode.INSERT), left, start)
    if not of_lines:
        return VimOutcome(state, left, start)
    if end < len(text):
        text = text[:start] + text[end + 1 :]
    else:
        text = text[: max(0, start - 1)]
        start = line_around(text, len(text))[0]
    return VimOutcome(state, text, first_word(text, start))


# -- other changes ---------------------------------------------------------------------------------------


def _changed(state: VimState, key: str, count: int, text: str, caret: int) -> VimOutcome:
    (start, end), typing = line_around(text, caret), replace(state, mode=VimMode.INSERT)
    match key[0]:
        case "u":
            return VimOutcome(state, text, caret, undo=count)
        case "o" | "O":
            place = end if key == "o" else start
            return VimOutcome(typing, f"{text[:place]}\n{text[place:]}", place + (key == "o"))
        case "i" | "a" | "I" | "A":
            places = {"i": caret, "a": min(caret + 1, end), "I": first_word(text, start), "A": end}
            return VimOutcome(typing, text, places[key])
        case "r" if caret + count <= end:
            return VimOutcome(state, text[:caret] + key[1] * count + text[caret + count :], caret + count - 1)
        case "p" | "P" if state.register:
            return _put(state, count, text, caret, before=key == "P")
    return VimOutcome(state, text, caret)


def _put(state: VimState, count: int, text: str, caret: int, *, before: bool) -> VimOutcome:
    start, end = line_around(text, caret)
    # A count puts at most so many characters into the text.
    times = max(1, min(count, 100_000 // len(state.register)))
    if state.of_lines:
        lines = "\n".join([state.register] * times)
        if before:
            return VimOutcome(state, f"{text[:start]}{lines}\n{text[start:]}", first_word(lines, 0) + start)
        return VimOutcome(state, f"{text[:end]}\n{lines}{text[end:]}", first_word(lines, 0) + end + 1)
    place = caret if before or start == end else caret + 1
    put = state.register * times
    goal = place if "\n" in put else place + len(put) - 1
    return VimOutcome(state, text[:place] + put + text[place:], goal)


# -- motions: their goals, in characters from the beginning of the text -------------------------------------

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
            find = find[:1].swapcase() + find[1:] if motion == "," else find
            return _found(text, caret, find, times, again=True) if find else None
        case _ if motion[0] in "fFtT":
            return _found(text, caret, motion, times)
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


def _found(text: str, caret: int, find: str, times: int, *, again: bool = False) -> int | None:
    kind, character = find[0], find[1]
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
