"""The line of sessions: which digit goes to whom, and who waits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.text import Text
from textual import events

from ccq_tui import signs
from ccq_tui.widgets.hints import cut
from ccq_tui.widgets.keys import Clickable
from ccq_tui.widgets.lines import TextLines
from ccq_tui.widgets.palette import Palette, palette_of

SEPARATOR = " · "
SHORTEST, LONGEST = 6, 40
"""Cells of a name, where there is least and most room."""


@dataclass(frozen=True, slots=True)
class StripEntry:
    """A session in the line.

    Attributes:
        number: Its place, from 1; Alt+1 to Alt+9 go to the first nine.
        name: Its name, harmless to draw.
        sign: The sign of its state.
        waiting: Number of requests that wait in it.
        shown: Whether it is the one on the screen.
    """

    number: int
    name: str
    sign: str
    waiting: int
    shown: bool

    def text(self, room: int, palette: Palette) -> Text:
        """Return it with a name of at most so many cells."""
        text = Text(f"{self.number} " if self.number < 10 else "", palette.muted)
        text.append(f"{self.sign} ", getattr(palette, signs.COLOURS.get(self.sign, "muted")))
        text.append(cut(self.name, room), palette.strong if self.shown else palette.plain)
        return text.append(f" ? {self.waiting}" if self.waiting else "", palette.warning)


class Strip(TextLines, Clickable[int]):
    """Names the sessions with their digits; a click goes to one."""

    DEFAULT_CSS = "Strip { dock: top; height: 1; background: $panel; display: none; }"

    def __init__(self, go_to: Callable[[int], object]) -> None:
        """Start empty; ``go_to`` takes the number of the session that is clicked."""
        super().__init__()
        self._go_to = go_to
        self._ends: list[tuple[int, int]] = []
        """The cell behind each session, and its number."""

    def list(self, entries: Sequence[StripEntry], width: int) -> None:
        """Name sessions, with their names cut evenly; the last ones are counted where they have no room."""
        palette, most = palette_of(self), len(entries)
        room = LONGEST
        while (shown := self._fitted(entries, most, room, palette)).cell_len > width and most > 1:
            room, most = (room - 1, most) if room > SHORTEST else (room, most - 1)
        self.show([shown])

    def _fitted(self, entries: Sequence[StripEntry], most: int, room: int, palette: Palette) -> Text:
        front = next((at for at, entry in enumerate(entries) if entry.shown), 0)
        kept = entries[:most] if front < most else (*entries[: most - 1], entries[front])
        line, self._ends = Text(" ", no_wrap=True), []
        for at, entry in enumerate(kept):
            line.append(SEPARATOR if at else "", palette.muted).append_text(entry.text(room, palette))
            self._ends.append((line.cell_len, entry.number))
        return line.append(f" +{len(entries) - most}" if most < len(entries) else "", palette.muted)

    def under(self, event: events.MouseEvent) -> int | None:
        """Return the number of the session under the pointer, or None."""
        return next((number for end, number in self._ends if event.x <= end), None)

    def clicked(self, target: int, _event: events.Click) -> None:
        """Go to the session that was clicked."""
        self._go_to(target)
