"""The lines of a list to choose from."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from ccq_tui.screens.pickers.pick_list import Choosing, PickRow
from ccq_tui.text import one_line
from ccq_tui.widgets.lines import DrawnLine, row_lines, wrapped
from ccq_tui.widgets.palette import Palette

PREFIX = 5
"""Cells before a label: the cursor and the mark of what holds now."""
LONGEST_LABEL = 200
LONGEST_DESCRIPTION = 400
LONGEST_RIGHT = 40
BESIDE_FROM = 64
"""From this width descriptions stand beside the labels, below it under them."""
WIDEST_COLUMN = 28


def pick_lines(
    state: Choosing, width: int, palette: Palette, empty: str = "There is nothing to choose"
) -> list[DrawnLine]:
    """Return the lines of the rows that the filter lets through.

    Args:
        state: The list.
        width: Cells.
        palette: The styles.
        empty: What is said where there are no rows at all.
    """
    rows = state.shown
    if not rows:
        nothing = "Nothing fits · Esc clears it" if state.filter and state.rows else empty
        return [DrawnLine(Text(" " * PREFIX + nothing, palette.muted))]
    column = _column(rows) if width >= BESIDE_FROM else 0
    lines: list[DrawnLine] = []
    for index, row in enumerate(rows):
        mark = Text("● " if row.current else "  ", palette.on)
        texts = _texts(row, width - PREFIX, column, palette)
        lines.extend(row_lines(texts, index, mark, PREFIX, palette.accent))
    return lines


def _column(rows: tuple[PickRow, ...]) -> int:
    """Return the width of the labels' column, for the labels that are not very long."""
    widths = [cell_len(one_line(row.label, LONGEST_LABEL)) for row in rows]
    return max((width for width in widths if width <= WIDEST_COLUMN), default=0) + 2


def _texts(row: PickRow, width: int, column: int, palette: Palette) -> list[Text]:
    label = Text(one_line(row.label, LONGEST_LABEL), palette.strong)
    right = one_line(row.right, LONGEST_RIGHT)
    room = width - (cell_len(right) + 3 if right else 1)
    description = Text(one_line(row.description, LONGEST_DESCRIPTION), palette.muted)
    if column and label.cell_len < column:
        beside = wrapped(description, room - column)
        lines = [Text.assemble(label, " " * (column - label.cell_len), beside[0])]
        lines.extend(Text.assemble(" " * column, line) for line in beside[1:])
    else:
        lines = wrapped(label, room)
        if description:
            lines.extend(Text.assemble("  ", line) for line in wrapped(description, room - 2))
    if right:
        lines[0].append(" " * (width - 1 - lines[0].cell_len - cell_len(right)) + right, palette.badge)
    return lines
