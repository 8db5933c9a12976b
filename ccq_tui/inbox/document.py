"""A document as harmless lines of a terminal, for commands, tickets, devices and the inbox screen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ccq_tui.answering.document import Passage, PassageKind
from ccq_tui.inbox.layout import MOST, WIDTH, cut, kept_lines, wrapped
from ccq_tui.text import one_line, safe


def lines(document: Iterable[Passage], width: int = WIDTH) -> Iterator[str]:
    """Draw a document, an empty line before each head."""
    return (line for _, line in drawn(document, width))


def drawn(document: Iterable[Passage], width: int = WIDTH) -> Iterator[tuple[PassageKind, str]]:
    """Draw a document; each line comes with what it is a part of."""
    lead = "  "
    for block in document:
        if block.part is PassageKind.HEAD:
            yield block.part, ""
            lead = " " * (len(block.mark) + 2)
        if block.text.strip() or block.part is PassageKind.OPTION:
            yield from ((block.part, line) for line in _block(block, lead, width))


def _block(block: Passage, lead: str, width: int) -> Iterable[str]:
    part, text, mark, name, chosen = block
    match part:
        case PassageKind.HEAD:
            words = f"{text} ({name})" if name else text
            return wrapped(one_line(words, MOST), f"{mark}  " if mark else "", width)
        case PassageKind.OPTION:
            box = "" if chosen is None else "[x] " if chosen else "[ ] "
            # Most characters of what names an option.
            return wrapped(one_line(name + text, MOST), f"{lead}{box}{one_line(mark, 8):>2}  ", width)
        case PassageKind.VERBATIM if mark:
            return (cut(f"{lead}    | {line}", width) for line in safe(text, limit=MOST).split("\n"))
        case PassageKind.VERBATIM:
            return kept_lines(text, lead, width)
        case PassageKind.FIELD:
            return kept_lines(f"{name}: {text}".replace("\n", "\n  "), lead, width)
        case PassageKind.CHANGE:
            return kept_lines(f"{name:>5} {mark} {text}", " ", width)
    return wrapped(one_line(text, MOST), lead + mark, width)
