"""Lines as they were given to the screen: one that only moved is not styled again."""

from __future__ import annotations

from collections.abc import Callable

from textual.geometry import Region
from textual.strip import Strip


class StyledLines:
    """Keeps the lines of the last view: as many as it has, and no others.

    While text streams in, nearly every line of a view was in the one before, further down. Textual keeps what
    it has styled by its place in the view, and would do all of it again.
    """

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Strip, Strip]] = {}
        self._view: tuple[Region, list[Strip]] | None = None

    def forget(self) -> None:
        """Style every line anew: size or colours are others now."""
        self._kept.clear()
        self.spoil()

    def spoil(self) -> None:
        """Look at every line again: some may be others now."""
        self._view = None

    def render(
        self, crop: Region, drawn: Callable[[int], Strip], style: Callable[[int], Strip]
    ) -> list[Strip]:
        """Return the lines of a view.

        Args:
            crop: Which ones, counted from the top of the view.
            drawn: Returns a line as it was drawn; the same object as long as it looks the same.
            style: Returns it as it goes to the screen.
        """
        # Textual asks all that is on the screen for its lines whenever anything of it has changed.
        if self._view is not None and self._view[0] == crop:
            return [*self._view[1]]
        before, self._kept = self._kept, {}
        strips = []
        for row in crop.line_range:
            strip = drawn(row)
            # The strip is kept along, so that its id is nobody else's.
            known = before.get(id(strip)) or (strip, style(row))
            self._kept[id(strip)] = known
            strips.append(known[1])
        self._view = crop, strips
        return [*strips]
