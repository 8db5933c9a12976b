"""What there is to look at before choosing: the preview of the row under the cursor, whole."""

from __future__ import annotations

from rich.text import Text

from ccq_tui.questions.keys import LARGE_TEXT
from ccq_tui.questions.state import Page
from ccq_tui.text import safe
from ccq_tui.widgets.lines import Line, wrapped
from ccq_tui.widgets.palette import Palette


def preview_lines(page: Page, width: int, palette: Palette, *, large: bool) -> list[Line]:
    """Return the lines of the preview of the row under the cursor.

    Args:
        page: The question shown.
        width: Cells.
        palette: The styles.
        large: Whether to show the texts that the list cut as well.
    """
    options = page.question.options
    option = options[page.cursor] if page.cursor < len(options) else None
    lines: list[Text] = []
    if large:
        lines += _long(page.question.text, width, palette.strong)
        lines += _long(page.question.description, width, palette.muted)
        if option:
            lines += _long(option.label, width, palette.plain)
            lines += _long(option.description, width, palette.muted)
    if option and option.preview:
        # Verbatim: only what does not fit is folded, at any character.
        lines += [part for line in safe(option.preview).split("\n") for part in _folded(line, width, palette)]
    if not lines:
        lines = [Text("no preview of this row", palette.muted)]
    return [Line(line) for line in lines]


def preview_height(page: Page) -> int:
    """Return the lines of the longest preview of a question, unfolded."""
    return max(
        (len(option.preview.splitlines()) for option in page.question.options if option.preview), default=0
    )


def _long(text: str, width: int, style: object) -> list[Text]:
    return wrapped(Text(safe(text), style), width) if len(text) > LARGE_TEXT else []  # type: ignore[arg-type]


def _folded(line: str, width: int, palette: Palette) -> list[Text]:
    text = Text(line, palette.plain)
    if text.cell_len <= width:
        return [text]
    return wrapped(Text(line.replace(" ", "\u00a0"), palette.plain), width)
