"""The scroll bar beside the transcript, drawn anew only when it looks different."""

from __future__ import annotations

from textual.scrollbar import ScrollBar

STEPS = 8
"""Heights of a cell that the end of the bar's thumb may have."""


class Thumb:
    """What the bar shows of a view.

    A long text moves its thumb by less than can be seen with each line; Textual draws the whole bar for it.
    """

    def __init__(self) -> None:
        self._seen: tuple[int, int, int] = (0, 0, 0)

    def place(self, bar: ScrollBar, total: int, height: int, top: int) -> None:
        """Let the bar show where a view is.

        Args:
            bar: The bar.
            total: Lines of everything.
            height: Lines of the view.
            top: The first line of the view.
        """
        bar.set_reactive(ScrollBar.window_virtual_size, total)
        bar.set_reactive(ScrollBar.window_size, height)
        bar.set_reactive(ScrollBar.position, top)
        size = bar.size.height
        cells = size * STEPS / total if total > height else 0.0
        seen = (size, round(top * cells), round((top + height) * cells))
        if seen != self._seen:
            self._seen = seen
            bar.refresh()
