"""The escape sequences that colour a command's output: taken out, or kept with each piece of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

SEQUENCE = re.compile(r"\x1b\[([0-9;:]{0,100})m|\x1b\[[0-2]?K")
"""A change of colours, with its numbers, or an order to clear a line."""
MOST_HELD = 32
"""Most sequences that go on from one piece to the next."""


def plain(text: str) -> str:
    """Return a text without the sequences that colour it."""
    return SEQUENCE.sub("", text) if "\x1b" in text else text


def ended(text: str) -> str:
    """Return a text without the blanks and sequences at its end."""
    text = text.rstrip()
    while (last := text.rfind("\x1b")) >= 0 and SEQUENCE.fullmatch(text, last):
        text = text[:last].rstrip()
    return text


def continued(pieces: Iterable[str]) -> Iterator[str]:
    """Begin each piece of a text with the sequences that still hold there, so that it can be drawn alone."""
    held = ""
    for piece in pieces:
        yield (whole := held + piece)
        held = _held(whole) if "\x1b" in whole else ""


def _held(text: str) -> str:
    """Return the sequences that hold behind a text: those since the last reset."""
    held: list[str] = []
    for found in SEQUENCE.finditer(text):
        codes = found[1]
        if codes is not None and codes.partition(";")[0] in ("", "0"):
            held.clear()
        if codes:
            held.append(found[0])
    return "".join(held[-MOST_HELD:])
