"""The column at the left that lists the sessions of this terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rich.text import Text
from textual import events
from textual.geometry import Offset
from textual.widgets import Static

from ccq_tui.config.keymap import key_of
from ccq_tui.input.keys import Hints
from ccq_tui.widgets.hints import HintLines
from ccq_tui.widgets.keys import press_key
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.widgets.pointer import Clickable

TITLE_LINES = 2
LINES = 2
"""Lines of each session."""


def keys_shown(*, panel: bool) -> tuple[HintLines, ...]:
    """Return the keys; one of them means something else while a panel is open."""
    new = () if panel else ((key_of("new_session"), "new"),)
    hide = (key_of("sessions"), "hide")
    lines: tuple[Hints, ...] = ((("Alt+1-9", "go to"),), ((key_of("waiting"), "next waiting"),), (*new, hide))
    return tuple(map(HintLines, lines))


@dataclass(frozen=True, slots=True)
class SideBarEntry:
    """A session in a list of sessions.

    Attributes:
        number: Its place, from 1; Alt+1 to Alt+9 go to the first nine.
        name: Its name, harmless to draw.
        sign: The sign of its state.
        state: Its state in words, with its time.
        waiting: Number of requests that wait in it.
        shown: Whether it is the one on the screen.
    """

    number: int
    name: str
    sign: str
    state: str
    waiting: int = 0
    shown: bool = False

    @property
    def badge(self) -> str:
        """The number of waiting requests: ``? 2``, or ""."""
        return f"? {self.waiting}" if self.waiting else ""


class SideBar(Static, Clickable[int | str]):
    """Lists sessions with their state; a click goes to one."""

    DEFAULT_CSS = """
    SideBar {
        dock: left;
        width: 28;
        height: 100%;
        background: $panel;
        display: none;
        &.-on { display: block; }
    }
    """

    def __init__(self, go_to: Callable[[int], object]) -> None:
        """Start empty; ``go_to`` takes the place of the session that is clicked, from 1."""
        super().__init__("", markup=False)
        self._go_to = go_to
        self._entries: tuple[SideBarEntry, ...] = ()
        self._top = 0
        self._keys_shown = False
        self._keys = keys_shown(panel=False)

    def show(self, entries: Sequence[SideBarEntry], *, panel: bool = False) -> None:
        """List other sessions, or the same in another state; ``panel``: whether one has the keys."""
        keys = keys_shown(panel=panel)
        if (tuple(entries), keys) != (self._entries, self._keys):
            self._entries, self._keys = tuple(entries), keys
            self.refresh()

    def under(self, event: events.MouseEvent) -> int | str | None:
        """Return the key under the pointer, else the number of the session, else None."""
        place = self._top + (event.y - TITLE_LINES) // LINES
        line = event.y - (self.size.height - len(self._keys))
        if self._keys_shown and line >= 0:
            return self._keys[line].key_at(self.size.width, Offset(event.x, 0))
        return self._entries[place].number if event.y >= TITLE_LINES and place < len(self._entries) else None

    def clicked(self, target: int | str, _event: events.Click) -> None:
        """Go to the session that was clicked, or press the key."""
        if isinstance(target, str):
            press_key(self, target)
        else:
            self._go_to(target)

    def render(self) -> Text:
        """Draw the sessions that have room, the shown one among them, and the keys."""
        palette, width, height = palette_of(self), self.size.width, self.size.height
        text = Text(no_wrap=True, end="")
        text.append(f" Sessions {len(self._entries)}\n\n", palette.strong)
        room = max(1, (height - TITLE_LINES - len(self._keys) - 1) // LINES)
        shown = next((at for at, entry in enumerate(self._entries) if entry.shown), 0)
        self._top = max(0, min(shown - room // 2, len(self._entries) - room))
        drawn = self._entries[self._top : self._top + room]
        for entry in drawn:
            text.append_text(_row(entry, width, palette))
        used = TITLE_LINES + LINES * len(drawn)
        self._keys_shown = height - used > len(self._keys)
        if self._keys_shown:
            text.append("\n" * (height - used - len(self._keys)))
            faint = replace(palette, strong=palette.muted)
            text.append_text(Text("\n").join(line.text(width, faint) for line in self._keys))
        return text


def _row(entry: SideBarEntry, width: int, palette: Palette) -> Text:
    """Draw two lines: number, sign, name and badge; the state with its time."""
    badge = Text(f" {entry.badge} ", palette.warning) if entry.badge else Text(" ")
    first = Text(f" {entry.number if entry.number < 10 else ' '} ", palette.muted)
    first.append(f"{entry.sign} {entry.name}", palette.accent if entry.shown else palette.plain)
    first.truncate(width - badge.cell_len, overflow="ellipsis", pad=True)
    second = Text(f"     {entry.state}", palette.muted)
    second.truncate(width, overflow="ellipsis", pad=True)
    row = Text.assemble(first, badge, "\n", second, "\n")
    if entry.shown:
        row.stylize(palette.cursor)
    return row
