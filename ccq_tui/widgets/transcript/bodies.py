"""Draws what stands under a block's head: excerpts, check lists."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from ccq_tui.text import one_line
from ccq_tui.widgets.transcript.checklist import Checklist, Doing, Entry
from ccq_tui.widgets.transcript.diffpaint import more
from ccq_tui.widgets.transcript.excerpt import Excerpt
from ccq_tui.widgets.transcript.pen import Pen

BAR = "  │ "
ENTRY_LIMIT = 500
SIGNS = {Doing.PENDING: ("☐", "muted"), Doing.NOW: ("▸", "warning"), Doing.DONE: ("✔", "success")}
"""Signs and colours of what is to be done, what is being done and what is done."""


def draw_excerpt(pen: Pen, excerpt: Excerpt, width: int, style: Style) -> list[Strip]:
    """Draw an excerpt, each line cut at the width.

    Args:
        pen: Colours and wrapping.
        excerpt: The lines.
        width: Columns there are.
        style: The lines' style.
    """
    room = max(1, width - len(BAR))
    lines = [Text(line, style) for line in excerpt.shown()]
    for line in lines:
        line.truncate(room, overflow="ellipsis")
    if excerpt.hidden:
        lines.insert(0 if excerpt.tail else len(lines), more(pen, excerpt.hidden))
    return pen.indent(pen.strips(lines, room), BAR, pen.palette["faint"])


def draw_checklist(pen: Pen, checklist: Checklist, width: int) -> list[Strip]:
    """Draw a check list.

    Args:
        pen: Colours and wrapping.
        checklist: The entries.
        width: Columns there are.
    """
    room = max(1, width - 2)
    lines = [line for entry in checklist.entries for line in _entry(pen, entry, room)]
    if checklist.hidden:
        lines.append(more(pen, checklist.hidden))
    return pen.indent(
        pen.strips(lines or [Text("nothing to do", pen.palette["muted"])], room), "  ", Style.null()
    )


def _entry(pen: Pen, entry: Entry, width: int) -> list[Text]:
    sign, colour = SIGNS[entry.doing]
    style = {Doing.PENDING: Style.null(), Doing.NOW: pen.palette["strong"], Doing.DONE: pen.palette["muted"]}
    text = Text(one_line(entry.text, ENTRY_LIMIT), style[entry.doing])
    return pen.hang(Text(f"{sign} ", pen.palette[colour]), text, width)
