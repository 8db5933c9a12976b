"""The bottom line: the session's activity, model, mode and place."""

from collections.abc import Sequence
from dataclasses import replace

from rich.cells import cell_len
from rich.text import Text
from textual.reactive import reactive
from textual.widgets import Static

from ccq_tui.runtime.view import Piece
from ccq_tui.signs import COLOURS
from ccq_tui.text import one_line
from ccq_tui.widgets.palette import palette_of

SEPARATOR = " · "


def fitted(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """Return the pieces that fit: high ranks are left out first, then those of rank 0 are shortened."""
    kept = [piece for piece in pieces if piece.text]
    while _cells(kept) > width:
        last = max(kept, key=lambda piece: piece.rank)
        if last.rank == 0:
            break
        kept.remove(last)
    for index, piece in enumerate(kept):
        for text in piece.shorter:
            if _cells(kept) > width:
                kept[index] = replace(piece, text=text)
    return kept


def _cells(pieces: Sequence[Piece]) -> int:
    return sum(cell_len(piece.text) for piece in pieces) + len(SEPARATOR) * (len(pieces) - 1)


LONGEST = 120
"""Most characters of one piece."""


class StatusLine(Static):
    """Shows pieces separated by dots; what does not fit is left out by rank, the least important first."""

    DEFAULT_CSS = """
    StatusLine {
        height: 1;
        background: $panel;
    }
    """

    pieces: reactive[tuple[Piece, ...]] = reactive(())
    """The pieces; the first is the state."""

    def render(self) -> Text:
        palette, width = palette_of(self), self.size.width
        harmless = [replace(piece, text=one_line(piece.text, LONGEST)) for piece in self.pieces]
        text = Text(" ", no_wrap=True)
        for index, piece in enumerate(fitted(harmless, width - 2)):
            text.append(SEPARATOR if index else "", palette.muted)
            role = "muted" if index else COLOURS.get(piece.text[:1], "muted")
            text.append(piece.text, palette.alarm if piece.alarm else getattr(palette, role))
        text.truncate(width, overflow="ellipsis")
        return text
