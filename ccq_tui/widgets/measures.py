"""The frame of a panel: its first line, the lines of its fields, and notices beside a text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from ccq_tui.text import one_line
from ccq_tui.widgets.hints import cut
from ccq_tui.widgets.lines import wrapped
from ccq_tui.widgets.palette import Palette

FIELD_LINES = 5
"""Most lines of a text field; a longer text scrolls in it."""
CARET = 1
"""Cells that the caret behind a text needs."""


@dataclass(frozen=True, slots=True)
class PanelProps:
    """Everything beside its state that a request is drawn with.

    Attributes:
        width: Cells of the panel.
        screen_height: Lines of the whole screen, of which the panel takes a part.
        palette: The styles.
        session: The session's name, or "".
        directory: Its working directory, or ""; files in it are shown relative to it.
        place: Position among the waiting requests, and their number.
        countdown: Words for what happens soon if nobody presses a key, or "".
        alone: Whether the rest of the screen says what it is about: it leaves that the lines that it can.
        request: What is asked, or None.
    """

    width: int
    screen_height: int
    palette: Palette
    session: str
    directory: str
    place: tuple[int, int]
    countdown: str
    alone: bool = False
    request: Any = None


def field_height(text: str, room: int, most: int = FIELD_LINES) -> int:
    """Return the lines of a text in a field of ``room`` cells, at most ``most``."""
    room = max(1, room - CARET)
    # Look at no more of a long text than the field could show.
    seen = text[: most * room].split("\n")[:most]
    return min(most, sum(len(wrapped(Text(line), room)) for line in seen))


RULE = "─"
SHORTEST_PART = 4
"""Fewest cells of a cut part of the head."""


def head_line(
    who: str, parts: Sequence[Text], front: int, props: PanelProps, *, arriving: bool = False
) -> Text:
    """Return the first line of a panel: the rule itself, with who asks, the tabs, and a word at its end.

    Args:
        who: The asker, or "".
        parts: The tabs, or the words of a permission. Those without room are counted at their end.
        front: The one of them that is never left out.
        props: What it is drawn with.
        arriving: Whether more of what is asked is to come.
    """
    palette, width = props.palette, props.width
    counts = 2 * len(f" {RULE} ‹{len(parts)}") if len(parts) > 1 else 0
    right = _right_word(props, width - parts[front].cell_len - counts - 8, arriving=arriving)
    room = width - 4 - (cell_len(right) + 3 if right else 0)  # "─ " before, " ─" behind
    shown = [Text(cut(who, max(SHORTEST_PART, room // 2)), palette.muted)] if who else []
    room -= sum(text.cell_len + 3 for text in shown)
    shown += _fitting(parts, front, max(SHORTEST_PART, room), palette)
    line = Text(f"{RULE} ", palette.rule, no_wrap=True)
    for index, text in enumerate(shown):
        line.append(f" {RULE} " if index else "", palette.rule).append_text(text)
    end = f" {right} {RULE}" if right else ""
    line.append(" ").append(RULE * max(1, width - line.cell_len - cell_len(end)), palette.rule)
    if right:
        line.append(f" {right} ", palette.warning if props.countdown else palette.muted)
        line.append(RULE, palette.rule)
    line.truncate(width)
    return line


def _right_word(props: PanelProps, room: int, *, arriving: bool) -> str:
    """Return the word at the right end of the head: the first that applies and has room, or ""."""
    if props.countdown:
        return cut(props.countdown, max(1, props.width - 4 - SHORTEST_PART))
    place = f"{props.place[0]} of {props.place[1]}" if props.place[1] > 1 else ""
    words = ("still arriving" if arriving else "", place, one_line(props.session, 30))
    return next((word for word in words if word and cell_len(word) <= room), "")


def _fitting(parts: Sequence[Text], front: int, room: int, palette: Palette) -> list[Text]:
    """Return the parts around the one in front that fit, those left out counted at their end."""

    def joined(first: int, end: int) -> list[Text]:
        before = [Text(f"‹{first}", palette.muted)] if first else []
        after = [Text(f"{len(parts) - end}›", palette.muted)] if end < len(parts) else []
        return [*before, *parts[first:end], *after]

    def fits(first: int, end: int) -> bool:
        cells = [text.cell_len for text in joined(first, end)]
        return sum(cells) + 3 * (len(cells) - 1) <= room

    first, end = front, front + 1
    while (wider := end < len(parts) and fits(first, end + 1)) or (first and fits(first - 1, end)):
        first, end = (first, end + 1) if wider else (first - 1, end)
    shown = joined(first, end)
    if not fits(first, end):
        others = sum(text.cell_len + 3 for text in shown) - parts[front].cell_len - 3
        here = parts[front].copy()
        here.truncate(max(SHORTEST_PART, room - others), overflow="ellipsis")
        shown[shown.index(parts[front])] = here
    return shown


def notice_lines(text: str, width: int, palette: Palette) -> list[Text]:
    """Return a notice with its sign, wrapped for a panel."""
    lines = wrapped(Text(text, palette.warning), width - 5)
    return [
        Text.assemble((" ⚠ " if index == 0 else "   ", palette.warning), line)
        for index, line in enumerate(lines)
    ]
