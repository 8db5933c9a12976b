"""The bottom line: what the session is doing, with which model and mode, and where."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text
from textual.widgets import Static

from ccq_tui.text import one_line
from ccq_tui.widgets.palette import COMPONENT_CLASSES, PALETTE_CSS, palette_of

SEPARATOR = " · "


class StatusLine(Static):
    """Shows words separated by dots, the most important first; what does not fit is left out from the end."""

    DEFAULT_CSS = f"StatusLine {{ height: 1; background: $panel; {PALETTE_CSS} }}"
    COMPONENT_CLASSES = COMPONENT_CLASSES

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self._words: tuple[str, ...] = ()

    def show(self, words: tuple[str, ...]) -> None:
        """Show other words; the first is the state."""
        if words != self._words:
            self._words = words
            self.refresh()

    def render(self) -> Text:
        """Draw the words that fit."""
        palette, width = palette_of(self), self.size.width
        text = Text(" ", no_wrap=True)
        for index, word in enumerate(self._words):
            drawn = one_line(word, 120)
            if index and text.cell_len + cell_len(drawn) + len(SEPARATOR) > width:
                break
            if index:
                text.append(SEPARATOR, palette.muted)
            text.append(drawn, palette.accent if index == 0 else palette.muted)
        text.truncate(width, overflow="ellipsis")
        return text
