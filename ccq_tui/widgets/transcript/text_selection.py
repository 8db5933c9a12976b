"""The text selected with the mouse: the places of its lines, their drawing, and the text to copy.

Copied text has the line breaks of its source, not of the screen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.cells import cell_len
from rich.style import Style
from textual.geometry import Offset
from textual.selection import Selection
from textual.strip import Strip

from ccq_tui.widgets.transcript.code import ORIGIN
from ccq_tui.widgets.transcript.highlights import painted
from ccq_tui.widgets.transcript.viewport import Viewport

MOST_LINES = 10_000
"""Most lines that one selection yields."""
_BITS = 20
_FIRST = 1 << _BITS


class LinePlace(NamedTuple):
    """A line by its block and part: lines above may come, go and be measured without changing it."""

    block: int
    part: int
    offset: int

    @property
    def code(self) -> int:
        """The line as one number, ordered as the lines are; greater than any row of a screen."""
        return (((self.block + 1) << _BITS | self.part) << _BITS) | self.offset

    @classmethod
    def of(cls, code: int) -> LinePlace:
        """Return the line with a number."""
        rest, offset = divmod(code, _FIRST)
        block, part = divmod(rest, _FIRST)
        return cls(block - 1, part, offset)


class TextSelection:
    """Textual's selection within the blocks of a viewport: its offsets are numbers of lines, not of rows."""

    def __init__(self, viewport: Viewport) -> None:
        self._viewport = viewport
        self._layout = viewport.layout

    def place(self, y: int) -> LinePlace:
        """Return the line drawn in a row of the view; below all blocks, one after the last."""
        line = self._viewport.top + y
        if line >= self._layout.total:
            return LinePlace(len(self._layout.blocks), 0, 0)
        return LinePlace(*self._layout.find(line))

    def drawn(self, strip: Strip, place: LinePlace, selection: Selection, style: Style) -> Strip:
        """Return a line with its selected stretch marked."""
        span = self._placed(selection).get_span(place.code)
        if span is None:
            return strip
        text = strip.text
        start, end = span[0], len(text) if span[1] < 0 else span[1]
        return painted(strip, [(cell_len(text[:start]), cell_len(text[:end]), style)])

    def _placed(self, selection: Selection) -> Selection:
        """Return a selection whose ends are lines; in the margin Textual gives rows of the screen."""
        if selection.start is None or selection.end is None:
            return selection
        ends = [
            Offset(end.x, end.y if end.y >= _FIRST else self.place(end.y).code)
            for end in (selection.start, selection.end)
        ]
        return Selection.from_offsets(*ends)

    def text(self, selection: Selection) -> str | None:
        """Return the text of a selection, without the margins of its lines; None when all is selected."""
        selection = self._placed(selection)
        if selection.start is None or selection.end is None:
            return None
        parts = self._texts(selection, selection.start.y, selection.end.y)
        return "\n".join(parts).strip("\n")

    def _texts(self, selection: Selection, first: int, last: int) -> Iterator[str]:
        """Yield the selected text of each part, with the line breaks of its source."""
        layout = self._layout
        count = 0
        for index, part in layout.parts_from(*LinePlace.of(first)[:2]):
            if LinePlace(index, part, 0).code > last or count >= MOST_LINES:
                return
            lines: list[str] = []
            whole = ""
            for offset, strip in enumerate(layout.strips(index, part)):
                span = selection.get_span(LinePlace(index, part, offset).code)
                if span is None:
                    continue
                text, begins, exact = copied(strip, *span)
                if begins == "lead" or not lines:
                    whole = text
                    lines.append(text)
                elif begins == "fold":
                    whole += text
                else:
                    whole = f"{lines[-1].rstrip()}{' ' if begins == 'wrap' and lines[-1] else ''}{text}"
                lines[-1] = whole if exact else whole.rstrip()
            if lines:
                count += len(lines)
                yield "\n".join(lines)

    def block_at(self, y: int) -> Selection | None:
        """Return the selection of the whole block in a row of the view, or None."""
        block = self.place(y).block
        if block >= len(self._layout.blocks):
            return None
        first, last = LinePlace(block, 0, 0), LinePlace(block, _FIRST - 1, _FIRST - 1)
        return Selection(Offset(0, first.code), Offset(0, last.code))


def copied(strip: Strip, start: int, end: int) -> tuple[str, str, bool]:
    """Return the selected text of a line, its beginning, and whether it is exact.

    The beginning is "lead" unless it continues the line above. Text that is not exact may end in blanks that
    only fill the line.
    """
    text, at, begins = "", 0, "lead"
    for piece, style, _ in strip:
        origin = style.meta.get(ORIGIN, "") if style else ""
        if origin == "fill":
            return text, begins, bool(text)
        if origin:
            text, begins = "", origin
        if origin not in ("lead", "fold"):
            text += piece[max(0, start - at) : None if end < 0 else max(0, end - at)]
        at += len(piece)
    return text, begins, False
