"""Lines as they were given to the screen: a line that only moved is not styled again."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip

MOST = 120
"""Lines kept beside those of the view, roughly: several views."""


class LineCache:
    """Keeps the lines of the last views.

    While text streams in, nearly every line of a view was in the previous one, further down. Textual caches
    styled lines by their place in the view, and would style all of them again.
    """

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Strip, Strip]] = {}
        self._view: tuple[Region, list[Strip]] | None = None
        self._empty: Strip | None = None

    def forget(self) -> None:
        """Drop all styled lines: width or colours have changed."""
        self._kept.clear()
        self._empty = None
        self.spoil()

    def blank(self, width: int, style: Callable[[], Style]) -> Strip:
        """Return the empty line, shared by all rows: finding out its style takes long."""
        if self._empty is None or self._empty.cell_length != width:
            self._empty = Strip.blank(width, style())
        return self._empty

    def spoil(self) -> None:
        """Check every line again: some may have changed."""
        self._view = None

    def render(
        self, crop: Region, drawn: Callable[[int], Strip], style: Callable[[int, int], list[Strip]]
    ) -> list[Strip]:
        """Return the lines of a view.

        ``drawn`` returns a line, the same object as long as it looks the same; ``style`` returns lines, from
        one to before another, as they go to the screen.
        """
        if self._view is not None and self._view[0] == crop:
            return [*self._view[1]]
        lines = [(row, drawn(row)) for row in crop.line_range]
        strips: list[Strip] = []
        for known, group in groupby(lines, lambda line: id(line[1]) in self._kept):
            some = [*group]
            if known:
                strips += [self._kept[id(strip)][1] for _, strip in some]
            else:
                strips += style(some[0][0], some[-1][0] + 1)
        if len(self._kept) > MOST:
            self._kept.clear()
        # Keep the drawn line as well, so that no other object gets its id.
        self._kept |= {id(strip): (strip, styled) for (_, strip), styled in zip(lines, strips, strict=True)}
        self._view = crop, strips
        return [*strips]
