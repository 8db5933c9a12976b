"""The notices above the prompt: what waits, and for a moment what has just happened."""

import asyncio
from dataclasses import dataclass
from functools import partial

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.widgets import Static

from ccq_tui import signs
from ccq_tui.commands.command import PASSING_SECONDS
from ccq_tui.heights import SHARES, most_lines
from ccq_tui.text import one_line
from ccq_tui.widgets.keys import Clickable, press_key
from ccq_tui.widgets.lifetime import after
from ccq_tui.widgets.lines import wrapped
from ccq_tui.widgets.palette import palette_of
from ccq_tui.widgets.status_line import SEPARATOR

MOST = 400
"""Most characters of one text."""


def fitted(text: str, width: int) -> str:
    """Leave out parts of a text that does not fit, from the second one on; the last, a key, stays."""
    parts = text.split(SEPARATOR)
    while len(parts) > 2 and cell_len(SEPARATOR.join(parts)) > width:
        del parts[1]
    return SEPARATOR.join(parts)


@dataclass(frozen=True, slots=True)
class Passing:
    """A text that passes: until its timer ends, or a key is pressed other than the one it names."""

    text: str
    key: str
    timer: asyncio.TimerHandle


class NoticeLine(Static, Clickable[str]):
    """Shows a standing text, and above it a passing one; takes no room while there is neither.

    A click on the standing text presses the key that it names.
    """

    DEFAULT_CSS = """
    NoticeLine {
        height: auto;
        padding: 0 1;
        background: $surface;
    }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)
        self.display = False
        self._standing = ""
        self._key = ""
        self._texts: dict[str, Passing] = {}
        """The passing texts by owner, the newest last: that one is shown."""

    @property
    def text(self) -> str:
        return "\n".join(text for text in (self._passing, self._standing) if text)

    @property
    def owner(self) -> str:
        """The owner of the passing text that is shown, or ""."""
        return next(reversed(self._texts), "")

    @property
    def _passing(self) -> str:
        return next((passing.text for passing in reversed(self._texts.values())), "")

    def stand(self, text: str, key: str = "") -> None:
        """Show a text until another one comes; a click on it presses ``key``."""
        if (text, key) != (self._standing, self._key):
            self._standing, self._key = text, key
            self._draw()

    def under(self, event: events.MouseEvent) -> str | None:
        place = event.get_content_offset(self)
        stands = place is not None and self._standing and place.y >= bool(self._passing)
        return self._key or None if stands else None

    def clicked(self, key: str, _event: events.Click) -> None:
        """Press the key that the standing text names."""
        press_key(self, key)

    def say(self, text: str, seconds: float = PASSING_SECONDS, of: str = "", key: str = "") -> None:
        """Show a text for some seconds, above the standing one.

        It covers older ones; those with an owner come back if they still hold.

        Args:
            text: The text, or "" for none.
            seconds: Most seconds to show it.
            of: Owner of the text: `hush` of it takes the text back, and another text of it replaces this one.
            key: The key that the text asks to press again: any other key takes it back.
        """
        self.hush(of)
        if text:
            self.hush()
            self._texts[of] = Passing(text, key, after(self, seconds, partial(self.hush, of)))
            self._draw()

    def hush(self, of: str = "") -> None:
        """Take back the passing text of an owner."""
        if (passing := self._texts.pop(of, None)) is not None:
            passing.timer.cancel()
            self._draw()

    def pressed(self, key: str) -> None:
        """Take back texts that asked to press another key again."""
        for of in [of for of, passing in self._texts.items() if passing.key not in ("", key)]:
            self.hush(of)

    def leave_room(self, panel: bool) -> None:
        """Take few lines above a panel: on a low screen its end would be pushed out of sight."""
        height = self.app.size.height
        # Lines under and above a panel that a notice leaves free: the status line, and one of the page.
        self.styles.max_height = max(1, height - most_lines(height, SHARES[-1]) - 2) if panel else None

    def _draw(self) -> None:
        self.display = bool(self.text)
        self.refresh(layout=True)

    def render(self) -> Text:
        palette, most, room = palette_of(self), self.styles.max_height, self.app.size.width - 2
        lines = wrapped(Text(one_line(self._passing, MOST), palette.note), room) if self._passing else []
        if most is not None and len(lines) > most.value:
            last = int(most.value) - 1
            lines[last:] = [Text(" ").join(lines[last:])]
            lines[last].truncate(room, overflow="ellipsis")
        if self._standing:
            standing = fitted(one_line(self._standing, MOST), self.size.width - 2)
            lines.append(Text.assemble((f"{signs.WAITS} ", palette.warning), (standing, palette.badge)))
        return Text("\n").join(lines)
