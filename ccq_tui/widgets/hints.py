"""The line of keys at the foot of a panel: the most important first, as many as fit."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from rich.cells import cell_len
from rich.text import Text
from textual.geometry import Size
from textual.widgets import Static

from ccq_tui.widgets.later import after
from ccq_tui.widgets.palette import Palette, palette_of

Hints = tuple[tuple[str, str], ...]
SEPARATOR = " · "
APART = 2
"""Cells between the keys and the word at the right end, which has one more after it."""


class HintBar(Static):
    """Shows (key, what it does) pairs, and a word at the right end of its first line.

    While a fresh panel ignores keys, they are drawn faintly: what is bold works.

    Args:
        asleep: Whether they are drawn faintly until `sleep` or `wake` is called.
    """

    DEFAULT_CSS = "HintBar { height: auto; }"

    def __init__(self, *, asleep: bool = False) -> None:
        super().__init__("", markup=False)
        self._shown: tuple[Hints, str, int] = ((), "", 1)
        self._asleep = asleep
        self.labels: Mapping[str, str] = {}
        """How keys are shown that a person chose others for."""
        self._waking: asyncio.TimerHandle | None = None

    def sleep(self, seconds: float) -> None:
        """Draw the keys faintly for some seconds."""
        self._asleep = True
        if self._waking is not None:
            self._waking.cancel()
        self._waking = after(self, seconds, self.wake)
        self.refresh()

    def wake(self) -> None:
        """Draw the keys as working."""
        self._asleep = False
        self.refresh()

    def show(self, hints: Hints, right: str = "", most_lines: int = 1) -> None:
        """Show other keys, in at most so many lines."""
        hints = tuple((self.labels.get(key, key), does) for key, does in hints)
        if self._shown != (hints, right, most_lines):
            before = self._height
            self._shown = (hints, right, most_lines)
            # A key that moves a cursor changes words here: as many lines need no layout of the whole screen.
            self.refresh(layout=self._height != before)

    @property
    def _height(self) -> int:
        return self._height_at(self.size.width)

    def _height_at(self, width: int) -> int:
        hints, right, most_lines = self._shown
        return hint_height(hints, right, width, most_lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Return how many lines it takes at the width that it is going to have, which is not yet its own."""
        return self._height_at(width)

    def render(self) -> Text:
        """Draw the keys that fit."""
        hints, right, most_lines = self._shown
        palette = palette_of(self)
        if self._asleep:
            palette = replace(palette, strong=palette.muted)
        return hint_text(hints, right, self.size.width, most_lines, palette)


def hint_text(hints: Hints, right: str, width: int, most_lines: int, palette: Palette) -> Text:
    """Return the keys that fit into so many lines of so many cells; the last ones are left out first."""
    lines = _fitted(hints, right, width, most_lines)
    drawn = [_line(line, palette) for line in lines]
    gap = width - drawn[0].cell_len - cell_len(right) - 1
    if right and gap >= APART:
        drawn[0].append(" " * gap + right, palette.muted)
    for line in drawn:
        line.truncate(width, overflow="ellipsis")
    return Text("\n").join(drawn)


def hint_height(hints: Hints, right: str, width: int, most_lines: int) -> int:
    """Return how many lines the keys that fit take."""
    return len(_fitted(hints, right, width, most_lines))


def _fitted(hints: Hints, right: str, width: int, most_lines: int) -> list[list[tuple[str, str]]]:
    lines: list[list[tuple[str, str]]] = [[]]
    used = 1 + (cell_len(right) + APART + 1 if right else 0)
    for key, does in hints:
        needs = cell_len(key) + 1 + cell_len(does)
        if lines[-1] and used + needs + len(SEPARATOR) > width:
            if len(lines) == most_lines:
                break
            lines.append([])
            used = 1
        used += needs + (len(SEPARATOR) if lines[-1] else 0)
        lines[-1].append((key, does))
    return lines


def _line(hints: list[tuple[str, str]], palette: Palette) -> Text:
    text = Text(" ", no_wrap=True)
    for index, (key, does) in enumerate(hints):
        if index:
            text.append(SEPARATOR, palette.muted)
        text.append(key, palette.strong)
        text.append(f" {does}", palette.muted)
    return text
