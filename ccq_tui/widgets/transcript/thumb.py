"""The scroll bar beside the transcript, drawn anew only when it looks different."""

from __future__ import annotations

import math

from textual.scrollbar import ScrollBar

STEPS = 8
"""Heights that the end of the bar's thumb may have in a cell."""


class Thumb:
    """What the bar shows of a view.

    A long text moves its thumb by less than can be seen with each line; Textual draws the whole bar for it.
    """

    def __init__(self) -> None:
        self._seen = (0, 0, 0)

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
        seen = (size, *ends(size, total, height, top))
        if seen != self._seen:
            self._seen = seen
            bar.refresh()


def ends(size: int, total: int, height: int, top: int) -> tuple[int, int]:
    """Return where the thumb begins and ends, in steps, as Textual draws it (`ScrollBarRender.render_bar`).

    Args:
        size: Cells of the bar.
        total: Lines of everything.
        height: Lines of the view.
        top: The first line of the view.
    """
    if not 0 < height < total:
        return 0, 0
    thumb = max(1.0, height / (total / size)) if size else 0.0
    start = int((size - thumb) * top / (total - height) * STEPS)
    return start, start + math.ceil(thumb * STEPS)
