"""The bottom line: what the session is doing, with which model and mode, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.text import Text
from textual.widgets import Static

from ccq_tui.text import one_line
from ccq_tui.widgets.palette import palette_of
from ccq_tui.widgets.pieces import SEPARATOR, Piece, fitted

LONGEST = 120
"""Characters of one piece."""


class StatusLine(Static):
    """Shows pieces separated by dots; what does not fit is left out by rank, the least important first."""

    DEFAULT_CSS = """
    StatusLine {
        height: 1;
        background: $panel;
    }
    """

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self._pieces: tuple[Piece, ...] = ()

    def show(self, pieces: Sequence[Piece]) -> None:
        """Show other pieces; the first is the state."""
        if tuple(pieces) != self._pieces:
            self._pieces = tuple(pieces)
            self.refresh()

    def render(self) -> Text:
        """Draw the pieces that fit."""
        palette, width = palette_of(self), self.size.width
        harmless = [replace(piece, text=one_line(piece.text, LONGEST)) for piece in self._pieces]
        text = Text(" ", no_wrap=True)
        for index, piece in enumerate(fitted(harmless, width - 2)):
            text.append(SEPARATOR if index else "", palette.muted)
            style = palette.alarm if piece.alarm else palette.accent if index == 0 else palette.muted
            text.append(piece.text, style)
        text.truncate(width, overflow="ellipsis")
        return text
