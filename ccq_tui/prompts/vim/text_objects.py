"""Vim's text objects: the word, the quoted text or the brackets around a place."""

from __future__ import annotations

from ccq_tui.prompts.vim.motions import kind_of, line_around

_PAIRS = {one: pair for pair in ("()", "[]", "{}", "<>") for one in pair} | {"b": "()", "B": "{}"}
_QUOTES = "\"'`"


def text_object(name: str, text: str, caret: int) -> tuple[int, int] | None:
    """Return the start and the end of a text object such as ``iw`` or ``a(``, or None."""
    around, what = name[0] == "a", name[1]
    if what in "wW":
        return _word_object(text, caret, around=around, big=what == "W")
    if what in _QUOTES:
        return _quoted(text, caret, what, around=around)
    if what in _PAIRS:
        return _enclosed(text, caret, _PAIRS[what], around=around)
    return None


def _word_object(text: str, caret: int, *, around: bool, big: bool) -> tuple[int, int] | None:
    start, end = line_around(text, caret)
    if start == end:
        return None
    caret = min(caret, end - 1)
    first, last = _run(text, caret, start, end, big)
    if not around:
        return first, last
    if last < end and (not kind_of(text[last], big) or not kind_of(text[first], big)):
        return first, _run(text, last, start, end, big)[1]
    if first > start and not kind_of(text[first - 1], big):
        first = _run(text, first - 1, start, end, big)[0]
    return first, last


def _run(text: str, place: int, start: int, end: int, big: bool) -> tuple[int, int]:
    """Return the span of characters of the same kind around a place, within its line."""
    kind, first, last = kind_of(text[place], big), place, place + 1
    while first > start and kind_of(text[first - 1], big) == kind:
        first -= 1
    while last < end and kind_of(text[last], big) == kind:
        last += 1
    return first, last


def _quoted(text: str, caret: int, quote: str, *, around: bool) -> tuple[int, int] | None:
    start, end = line_around(text, caret)
    places = [place for place in range(start, end) if text[place] == quote]
    for first, last in zip(places[::2], places[1::2], strict=False):
        if caret <= last:
            return _with_blanks(text, first, last + 1, start, end) if around else (first + 1, last)
    return None


def _with_blanks(text: str, first: int, last: int, start: int, end: int) -> tuple[int, int]:
    """Return a span with the blanks after it or, if there are none, before it."""
    behind = last + len(text[last:end]) - len(text[last:end].lstrip(" \t"))
    if behind > last:
        return first, behind
    return start + len(text[start:first].rstrip(" \t")), last


def _enclosed(text: str, caret: int, pair: str, *, around: bool) -> tuple[int, int] | None:
    opening, closing = pair[0], pair[1]
    depth, first = 0, min(caret, len(text) - 1)
    while first >= 0 and (text[first] != opening or depth):
        if first != caret:
            depth += (text[first] == closing) - (text[first] == opening)
        first -= 1
    if first < 0:
        first = text.find(opening, caret)  # the next pair
    if first < 0:
        return None
    depth, last = 0, first + 1
    while last < len(text) and (text[last] != closing or depth):
        depth += (text[last] == opening) - (text[last] == closing)
        last += 1
    if last == len(text):
        return None
    return (first, last + 1) if around else (first + 1, last)
