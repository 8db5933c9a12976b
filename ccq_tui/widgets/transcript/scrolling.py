"""The part of the transcript that scrolls: to what is to be seen, and by keys."""

from __future__ import annotations

from ccq_tui.widgets.transcript.pane import Pane


class Scrolling(Pane):
    """Moves the view: to a place, by lines and pages, and to the beginning."""

    def show(self, index: int, part: int = 0, offset: int = 0, lines: int = 1) -> None:
        """Scroll as little as is needed to show lines, and stay there.

        Args:
            index: The block that they belong to.
            part: The part of it.
            offset: The first line in that part.
            lines: How many lines; the first ones when there are more than the view holds.
        """
        self._viewport.show(index, part, offset, lines)
        self._place()
        self.refresh()

    def _go(self, line: int) -> None:
        self._viewport.move(line)
        self._place()
        self.refresh()

    def action_line_up(self) -> None:
        """Scroll up by a line."""
        self._go(self._viewport.top - 1)

    def action_line_down(self) -> None:
        """Scroll down by a line."""
        self._go(self._viewport.top + 1)

    def action_page_up(self) -> None:
        """Scroll up by a screen, keeping one line of it."""
        self._go(self._viewport.top - max(1, self._viewport.height - 1))

    def action_page_down(self) -> None:
        """Scroll down by a screen, keeping one line of it."""
        self._go(self._viewport.top + max(1, self._viewport.height - 1))

    def action_home(self) -> None:
        """Go to the first line."""
        self._viewport.home()
        self._place()
        self.refresh()
