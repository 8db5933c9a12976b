"""Lines of styled text, wrapped once and drawn one by one: what panels are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.style import Style
from rich.text import Text
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

_CONSOLE = Console(width=1000, color_system="truecolor", force_terminal=True, legacy_windows=False)
"""Only measures and splits: nothing is ever written to it."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line on the screen; ``row`` is what it belongs to when that can be pointed at."""

    text: Text
    row: int | None = None


def wrapped(text: Text, width: int) -> list[Text]:
    """Split text into lines of at most ``width`` cells, at words where possible.

    Args:
        text: Any text; every newline in it ends a line.
        width: Cells, at least 1 is used.

    Returns:
        At least one line.
    """
    lines = text.wrap(_CONSOLE, max(1, width), tab_size=4)
    for line in lines:
        line.rstrip()
    return list(lines) or [Text("")]


def indented(lines: Sequence[Text], first: Text, rest: int) -> list[Text]:
    """Put ``first`` before the first line and ``rest`` blanks before the others."""
    return [Text.assemble(first if index == 0 else " " * rest, line) for index, line in enumerate(lines)]


class LineView(ScrollView):
    """Draws lines, marks the row under the cursor, and scrolls on its own.

    Rows are drawn when they are seen, so that a long list costs what is on the screen.
    """

    DEFAULT_CSS = """
    LineView {
        height: 1fr;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: auto;
        overflow-x: hidden;
    }
    """

    can_focus = False
    cursor: reactive[int | None] = reactive(None)

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._lines: list[Line] = []
        self._cursor_style = Style()

    @property
    def lines(self) -> list[Line]:
        """The lines drawn, in order."""
        return self._lines

    def show(self, lines: list[Line], cursor: int | None = None, cursor_style: Style | None = None) -> None:
        """Draw other lines, or the same with the cursor elsewhere, and keep the cursor in sight."""
        changed = lines is not self._lines
        self._lines = lines
        self._cursor_style = cursor_style or Style()
        size = Size(self.size.width, len(lines))
        if self.virtual_size != size:
            self.virtual_size = size
        self.set_reactive(LineView.cursor, cursor)
        if changed or cursor is not None:
            self.refresh()
        self.keep_cursor_in_sight()

    def keep_cursor_in_sight(self) -> None:
        """Scroll so that the row under the cursor is seen, its first lines before its last."""
        at = [y for y, line in enumerate(self._lines) if line.row is not None and line.row == self.cursor]
        if not at or not self.size.height:
            return
        height = min(at[-1] - at[0] + 1, self.size.height)
        # The question above the first row is seen with it, where there is room.
        top = 0 if at[0] + height <= self.size.height else at[0]
        self.scroll_to_region(Region(0, top, 1, at[0] + height - top), animate=False, force=True)

    def row_at(self, y: int) -> int | None:
        """Return the row drawn at a line of the visible part, or None."""
        index = y + int(self.scroll_offset.y)
        return self._lines[index].row if 0 <= index < len(self._lines) else None

    def render_line(self, y: int) -> Strip:
        """Draw one line of the visible part."""
        width = self.size.width
        index = y + int(self.scroll_offset.y)
        if index >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        line = self._lines[index]
        strip = Strip(line.text.render(_CONSOLE, end="")).adjust_cell_length(width)
        base = self.rich_style
        if line.row is not None and line.row == self.cursor:
            base += self._cursor_style
        return strip.apply_style(base)

    def notify_style_update(self) -> None:
        """Draw anew when the theme changed."""
        super().notify_style_update()
        self.refresh()
