"""The line of keys at the foot of a panel: the most important first, as many as fit."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text
from textual.widgets import Static

from ccq_tui.widgets.palette import COMPONENT_CLASSES, PALETTE_CSS, Palette, palette_of

Hints = tuple[tuple[str, str], ...]
SEPARATOR = " · "


class HintBar(Static):
    """Shows (key, what it does) pairs, and a word at the right end of its first line."""

    DEFAULT_CSS = f"HintBar {{ height: auto; {PALETTE_CSS} }}"
    COMPONENT_CLASSES = COMPONENT_CLASSES

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self._shown: tuple[Hints, str, int] = ((), "", 1)

    def show(self, hints: Hints, right: str = "", most_lines: int = 1) -> None:
        """Show other keys, in at most so many lines."""
        if self._shown != (hints, right, most_lines):
            self._shown = (hints, right, most_lines)
            self.refresh(layout=True)

    def render(self) -> Text:
        """Draw the keys that fit."""
        hints, right, most_lines = self._shown
        return hint_text(hints, right, self.size.width, most_lines, palette_of(self))


def hint_text(hints: Hints, right: str, width: int, most_lines: int, palette: Palette) -> Text:
    """Return the keys that fit into so many lines of so many cells; the last ones are left out first."""
    lines: list[list[tuple[str, str]]] = [[]]
    used = 1 + (cell_len(right) + 2 if right else 0)
    for key, does in hints:
        needs = cell_len(key) + 1 + cell_len(does)
        if lines[-1] and used + needs + len(SEPARATOR) > width:
            if len(lines) == most_lines:
                break
            lines.append([])
            used = 1
        used += needs + (len(SEPARATOR) if lines[-1] else 0)
        lines[-1].append((key, does))
    drawn = [_line(line, palette) for line in lines]
    if right:
        gap = max(1, width - cell_len(drawn[0].plain) - cell_len(right) - 1)
        drawn[0].append(" " * gap + right, palette.muted)
    return Text("\n").join(drawn)


def _line(hints: list[tuple[str, str]], palette: Palette) -> Text:
    text = Text(" ", no_wrap=True)
    for index, (key, does) in enumerate(hints):
        if index:
            text.append(SEPARATOR, palette.muted)
        text.append(key, palette.strong)
        text.append(f" {does}", palette.muted)
    return text
