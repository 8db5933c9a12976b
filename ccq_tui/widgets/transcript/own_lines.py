"""What the pane says itself: a welcome while it is empty, and how much came below what is seen."""

from __future__ import annotations

from rich.text import Text
from textual.strip import Strip

from ccq_tui.text import safe
from ccq_tui.widgets.transcript.pen import Pen


def welcome_line(pen: Pen, welcome: str, y: int, height: int, width: int) -> Strip:
    """Draw a line of the empty pane.

    Args:
        pen: Colours.
        welcome: Plain text, or "".
        y: Which line of the pane.
        height: Lines of the pane.
        width: Columns there are.
    """
    lines = safe(welcome).split("\n") if welcome else []
    first = max(0, (height - len(lines)) // 3)
    if not first <= y < first + len(lines):
        return Strip.blank(width, pen.palette.base)
    text = Text(lines[y - first], pen.palette["muted"])
    text.pad_left(max(0, (width - max(Text(line).cell_len for line in lines)) // 2))
    return pen.strip(text, width)


def more_line(pen: Pen, count: int, width: int) -> Strip:
    """Draw how many lines came below.

    Args:
        pen: Colours.
        count: The lines.
        width: Columns there are.
    """
    text = Text(f" ↓ {count:,} new line{'s' * (count != 1)} below · Ctrl+End ")
    return pen.strip(text, width, pen.palette["more"])
