"""The line of keys at the foot of a panel: the most important first, as many as fit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.geometry import Offset

from ccq_tui.config.keynames import shown_keys
from ccq_tui.questions.input_guard import CLICK_GRACE
from ccq_tui.widgets.keys import press_key
from ccq_tui.widgets.lifetime import after
from ccq_tui.widgets.lines import FittedLines
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.widgets.pointer import Pointer

Hints = tuple[tuple[str, str], ...]
SEPARATOR = " · "
LEAVES = "Esc"
NARROW = 60
"""Below this width in cells, keys go before the word at the right end; the last one has no words."""
APART = 2
"""Cells between the keys and the word at the right end, which has one more after it."""


@dataclass(frozen=True, slots=True)
class HintLines:
    """Keys in at most ``most`` lines; the last keys are left out first.

    Attributes:
        hints: The keys, and what they do.
        right: A word at the right end of the first line.
        most: Most lines.
        last: A key behind all others that is never left out, or nothing.
    """

    hints: Hints = ()
    right: str = ""
    most: int = 1
    last: Hints = ()

    def height(self, width: int) -> int:
        """Return the number of lines that the keys take."""
        return len(self._fitted(width))

    def text(self, width: int, palette: Palette) -> Text:
        drawn = [_line(line, palette) for line in self._fitted(width)]
        gap = width - drawn[0].cell_len - cell_len(self.right) - 1
        if self.right and gap >= APART:
            drawn[0].append(" " * gap + self.right, palette.muted)
        for line in drawn:
            line.truncate(width, overflow="ellipsis")
        return Text("\n").join(drawn)

    def key_at(self, width: int, place: Offset) -> str | None:
        """Return the key drawn at a place, as Textual spells it, or None.

        The words beside a key count as the key where it is a single one.
        """
        lines, start = self._fitted(width), 1
        for key, does in lines[place.y] if 0 <= place.y < len(lines) else ():
            pressed = [each for _, each in shown_keys(key) if each]
            for shown, each in shown_keys(key):
                if start <= place.x < start + cell_len(shown):
                    return each or None
                start += cell_len(shown)
            after = start + (1 + cell_len(does) if does else 0)
            if start <= place.x < after:
                return pressed[0] if len(pressed) == 1 else None
            start = after + len(SEPARATOR)
        return None

    def _fitted(self, width: int) -> list[list[tuple[str, str]]]:
        """Put keys into lines; where there is little room, the key that leaves is shown without its words."""
        lines = self._filled(width)
        if width >= NARROW or LEAVES not in dict(self.hints) or LEAVES in dict(_joined(lines)):
            return lines
        first, *rest = (hint for hint in self.hints if hint[0] != LEAVES)
        for brief in (first, (first[0], "")):
            fewer = replace(self, hints=(brief, *rest), last=((LEAVES, ""), *self.last))
            left = fewer._filled(width)
            if len(_joined(left)) > len(_joined(lines)):
                return left
        return lines

    def _filled(self, width: int) -> list[list[tuple[str, str]]]:
        lines: list[list[tuple[str, str]]] = [[]]
        narrow = width < NARROW
        used = 1 + (cell_len(self.right) + APART + 1 if self.right and not narrow else 0)
        last = tuple((key, "" if narrow else does) for key, does in self.last if key)
        kept = sum(_cells(hint) + len(SEPARATOR) for hint in last)
        for index, hint in enumerate((*self.hints, *last)):
            needs = _cells(hint) + (len(SEPARATOR) if lines[-1] else 0)
            behind = kept if index < len(self.hints) and len(lines) == self.most else 0
            if lines[-1] and used + needs + behind > width:
                if len(lines) == self.most and index < len(self.hints):
                    lines[-1] += last
                    break
                lines.append([])
                used, needs = 1, _cells(hint)
            used += needs
            lines[-1].append(hint)
        return lines


class HintBar(FittedLines):
    """Shows (key, what it does) pairs, and a word at the right end of its first line.

    While a fresh panel ignores keys, they are drawn faintly: bold keys work. A click on a key presses it: the
    place that knows the key decides what it means.
    """

    DEFAULT_CSS = "HintBar { height: auto; }"

    def __init__(self, *, asleep: bool = False) -> None:
        super().__init__("", markup=False)
        self._shown = HintLines()
        self.last: Hints = ()
        """Keys at the end that are never left out."""
        self._asleep = asleep
        self.labels: Mapping[str, str] = {}
        """Labels of keys that the user remapped, by their default labels."""
        self._waking: asyncio.TimerHandle | None = None
        self._pointer = Pointer(self._key_under)
        self._pressed_at = 0.0
        self._focused_at = float("-inf")

    def on_mount(self) -> None:
        """Watch the terminal's focus: the click that gives it presses nothing."""
        self.watch(self.app, "app_focus", self._terminal_focused, init=False)

    def _terminal_focused(self, focused: bool) -> None:
        if focused:
            self._focused_at = time.monotonic()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._pointer.press(event)
        self._pressed_at = time.monotonic()

    def on_click(self, event: events.Click) -> None:
        """Press the key that was clicked."""
        key = self._pointer.clicked(event)
        if key is not None and self._pressed_at - self._focused_at >= CLICK_GRACE:
            press_key(self, key)

    def _key_under(self, event: events.MouseEvent) -> str | None:
        place = event.get_content_offset(self)
        return None if place is None else self._shown.key_at(self.size.width, place)

    def sleep(self, seconds: float) -> None:
        """Draw the keys faintly for ``seconds``."""
        self._asleep = True
        if self._waking is not None:
            self._waking.cancel()
        self._waking = after(self, seconds, self.wake)
        self.refresh()

    def wake(self) -> None:
        self._asleep = False
        self.refresh()

    def show(self, hints: Hints, right: str = "", most_lines: int = 1) -> None:
        """Show other keys, in at most ``most_lines`` lines."""
        shown = tuple((self.labels.get(key, key), does) for key, does in hints)
        before, self._shown = self._shown, HintLines(shown, right, most_lines, self.last)
        self.fit(changed=before != self._shown)

    def lines_at(self, width: int) -> int:
        return self._shown.height(width)

    def render(self) -> Text:
        palette = palette_of(self)
        if self._asleep:
            palette = replace(palette, strong=palette.muted)
        return self._shown.text(self.size.width, palette)


def _joined(lines: Iterable[Iterable[tuple[str, str]]]) -> list[tuple[str, str]]:
    return [hint for line in lines for hint in line]


def _cells(hint: tuple[str, str]) -> int:
    key, does = hint
    return cell_len(key) + (1 + cell_len(does) if does else 0)


def _line(hints: list[tuple[str, str]], palette: Palette) -> Text:
    text = Text(" ", no_wrap=True)
    for index, (key, does) in enumerate(hints):
        if index:
            text.append(SEPARATOR, palette.muted)
        text.append(key, palette.strong)
        text.append(f" {does}" if does else "", palette.muted)
    return text
