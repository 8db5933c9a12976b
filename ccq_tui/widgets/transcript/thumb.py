"""The scroll bar beside the transcript, drawn anew only when it looks different."""

from __future__ import annotations

import math

from textual.geometry import Region
from textual.scrollbar import ScrollBar

STEPS = 8
"""Heights that the end of the bar's thumb may have in a cell."""


class Thumb:
    """What the bar shows of a view.

    A long text moves its thumb by less than can be seen with each line; Textual draws the whole bar for it.
    """

    def __init__(self) -> None:
        self._seen: tuple[int, tuple[int, int]] = 0, (0, 0)

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
        before, self._seen = self._seen, (size, ends(size, total, height, top))
        if before[0] != size:
            bar.refresh()
            return
        width = bar.size.width
        moved = zip(before[1], self._seen[1], strict=True)
        cells = [(min(pair) // STEPS, max(pair) // STEPS) for pair in moved if pair[0] != pair[1]]
        if cells:
            bar.refresh(*(Region(0, first, width, last - first + 1) for first, last in cells))


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
