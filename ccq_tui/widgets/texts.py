"""A few lines of text that change seldom: the head of a panel, a label, a notice."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.widgets import Static


class TextLines(Static):
    """Draws lines that fit its width.

    What is the same is not drawn again, and only another number of lines lays the screen out anew: a layout
    costs as much as all else that a key does.
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes, markup=False)
        self._drawn = Text()
        self._count = 0

    def show(self, lines: Sequence[Text]) -> None:
        """Draw other lines."""
        text = Text("\n").join(lines)
        if text != self._drawn:
            self._drawn = text
            self.update(text, layout=len(lines) != self._count)
            self._count = len(lines)
