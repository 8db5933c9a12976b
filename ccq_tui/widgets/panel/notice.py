"""What a panel says beside a text: why it cannot be taken as it is, or what is lost."""

from __future__ import annotations

from rich.text import Text

from ccq_tui.widgets.lines import wrapped
from ccq_tui.widgets.palette import Palette


def notice_lines(text: str, width: int, palette: Palette) -> list[Text]:
    """Return a notice with its sign, wrapped for a panel.

    Args:
        text: The notice, harmless to draw.
        width: Cells of the panel.
        palette: The styles.
    """
    lines = wrapped(Text(text, palette.warning), width - 8)
    return [
        Text.assemble(("⚠ " if index == 0 else "  ", palette.warning), line)
        for index, line in enumerate(lines)
    ]
