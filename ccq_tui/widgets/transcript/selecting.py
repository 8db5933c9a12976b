"""The part of the transcript in which text is selected with the mouse."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from rich.cells import cell_len
from rich.style import Style
from textual import events
from textual.geometry import Offset, Region
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from ccq_tui.widgets.pointer import Pointer
from ccq_tui.widgets.transcript import blocks as bl
from ccq_tui.widgets.transcript.excerpt import Excerpt
from ccq_tui.widgets.transcript.export import plain_text
from ccq_tui.widgets.transcript.finding import Finding
from ccq_tui.widgets.transcript.overlay import painted
from ccq_tui.widgets.transcript.painter import GUIDE
from ccq_tui.widgets.transcript.plaintext import PlainText
from ccq_tui.widgets.transcript.unwrapping import source_of, unwrapped

MOST_LINES = 10_000
"""Lines that one selection gives at most."""
_BITS = 20
_FIRST = 1 << _BITS


class Line(NamedTuple):
    """A line by what it belongs to: lines above may come, go and be measured without moving it."""

    block: int
    part: int
    offset: int

    @property
    def code(self) -> int:
        """The line as one number, in the order of lines; greater than any line of a screen."""
        return (((self.block + 1) << _BITS | self.part) << _BITS) | self.offset

    @classmethod
    def of(cls, code: int) -> Line:
        """Return the line of a number."""
        rest, offset = divmod(code, _FIRST)
        block, part = divmod(rest, _FIRST)
        return cls(block - 1, part, offset)


class Selecting(Finding):
    """Tells Textual what lies under the mouse, draws the selection, and returns its text."""

    class Pointed(Message, namespace="transcript"):
        """Something was clicked that is not selected by it.

        Attributes:
            block: The block.
            strips: The lines of the part of it, as they were drawn.
            line: Which of them.
            cell: The cell in that line.
            chain: Which click it is of several in a row.
        """

        def __init__(self, block: bl.Block, strips: list[Strip], line: int, cell: int, chain: int) -> None:
            super().__init__()
            self.block = block
            self.strips = strips
            self.line = line
            self.cell = cell
            self.chain = chain

    _drawing = False
    _pressed = Offset(0, 0)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw lines; where each stands is needed only by the mouse, and costs more than the line."""
        self._drawing = True
        try:
            return super().render_lines(crop)
        finally:
            self._drawing = False

    def render_line(self, y: int) -> Strip:
        """Draw a line; with its place for the mouse, unless it is drawn for the screen."""
        strip = super().render_line(y)
        return strip if self._drawing or not self._model.blocks else strip.apply_offsets(0, self._code(y))

    def _code(self, y: int) -> int:
        line = self._viewport.top + y
        if line >= self._layout.total:
            return Line(len(self.model.blocks), 0, 0).code
        return Line(*self._layout.find(line)).code

    def dressed(self, strip: Strip, index: int, part: int, offset: int) -> Strip:
        """Return a line with what is selected of it marked."""
        strip = super().dressed(strip, index, part, offset)
        selection = self.text_selection
        if selection is None:
            return strip
        span = self._placed(selection).get_span(Line(index, part, offset).code)
        if span is None:
            return strip
        text = strip.text
        start, end = span[0], len(text) if span[1] < 0 else span[1]
        cells = cell_len(text[:start]), cell_len(text[:end])
        colours = self.screen.get_component_rich_style("screen--selection")
        return painted(strip, [(*cells, Style(color=colours.color, bgcolor=colours.bgcolor))])

    def _placed(self, selection: Selection) -> Selection:
        """Return a selection whose ends are lines; in the margin Textual gives those of the screen."""
        if selection.start is None or selection.end is None:
            return selection
        ends = [
            Offset(end.x, end.y if end.y >= _FIRST else self._code(end.y))
            for end in (selection.start, selection.end)
        ]
        return Selection.from_offsets(*ends)

    def text(self) -> str:
        """Return everything as plain text."""
        return plain_text(self.model.blocks)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the text of a selection, without the margins of its lines."""
        if not self.model.blocks:
            return None
        selection = self._placed(selection)
        if selection.start is None or selection.end is None:
            return self.text(), "\n"
        parts = self._texts(selection, selection.start.y, selection.end.y)
        return "\n".join(parts).strip("\n"), "\n"

    def _texts(self, selection: Selection, first: int, last: int) -> Iterator[str]:
        """Yield what is selected of each part, with the line breaks of its source."""
        index, part, _ = Line.of(first)
        count = 0
        while index < len(self.model.blocks) and count < MOST_LINES:
            if part >= self._layout.parts(index):
                index, part = index + 1, 0
                continue
            if Line(index, part, 0).code > last:
                return
            margin = self._margin(index, part)
            lines: list[str] = []
            for offset, strip in enumerate(self._layout.strips(index, part)):
                span = selection.get_span(Line(index, part, offset).code)
                if span is not None:
                    end = None if span[1] < 0 else span[1]
                    lines.append(strip.text[max(span[0], margin) : end].rstrip())
            if lines:
                count += len(lines)
                yield unwrapped(lines, source_of(self.model.blocks[index], part))
            part += 1

    def _margin(self, index: int, part: int) -> int:
        """Return how many characters before the text of a part are not part of it."""
        block = self.model.blocks[index]
        nested = block.depth * len(GUIDE)
        if block.head and part == 0:
            return nested + 2 * isinstance(block, bl.PromptBlock)
        return nested + (4 if self._is_output(block) else 2)

    @staticmethod
    def _is_output(block: bl.Block) -> bool:
        return isinstance(block, bl.ToolBlock) and isinstance(block.body, PlainText | Excerpt)

    @cached_property
    def _pointer(self) -> Pointer[tuple[Line | None, int]]:
        return Pointer(self._under)

    def _under(self, event: events.MouseEvent) -> tuple[Line | None, int] | None:
        """Return the line and the cell under the pointer; no line where it is said what came below."""
        if self.unseen and event.y == self.size.height - 1:
            return None, 0
        place = event.get_content_offset(self)
        return None if place is None else (Line.of(self._code(place.y)), place.x)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Remember where a click may begin, or a selection."""
        self._pressed = event.offset
        self._pointer.press(event)

    def on_click(self, event: events.Click) -> None:
        """Go to the end by a click on the line that says what came below; elsewhere tell what was clicked."""
        clicked = self._pointer.clicked(event)
        if clicked is None:
            return
        line, cell = clicked
        if line is None:
            self.action_end()
        elif line.block < len(self.model.blocks):
            block, strips = self.model.blocks[line.block], self._layout.strips(line.block, line.part)
            self.post_message(self.Pointed(block, strips, line.offset, cell, event.chain))

    def text_select_all(self) -> None:
        """Select the block that was clicked twice: all of a session is rarely what is meant."""
        block = Line.of(self._code(self._pressed.y)).block
        if block < len(self.model.blocks):
            first, last = Line(block, 0, 0), Line(block, _FIRST - 1, _FIRST - 1)
            self.screen.selections = {self: Selection(Offset(0, first.code), Offset(0, last.code))}
