"""What there is to look at before choosing: the preview of the row under the cursor, whole."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from ccq_tui.questions.state import PanelState
from ccq_tui.text import safe
from ccq_tui.widgets.lines import flowing, verbatim
from ccq_tui.widgets.palette import Palette

OWN_WORDS = "an answer in your own words"


def preview_lines(state: PanelState, width: int, palette: Palette, *, large: bool) -> Iterator[Text]:
    """Yield the lines of the preview of the row under the cursor, each made when it is asked for.

    Args:
        state: The state drawn, with a question shown.
        width: Cells.
        palette: The styles.
        large: Whether to go on with every text that the list may have cut.
    """
    page = state.page
    option = page.question.options[page.cursor] if page.cursor < len(page.question.options) else None
    if option and option.preview:
        yield from verbatim(safe(option.preview), palette.plain, width)
    elif not large:
        yield Text("no preview of this row" if option else OWN_WORDS, palette.muted)
    if not large:
        return
    question = page.question
    texts = [
        (state.questions.title, palette.muted),
        (question.header, palette.muted),
        (question.text, palette.strong),
        (question.description, palette.muted),
        (option.label if option else "", palette.plain),
        (option.description if option else "", palette.muted),
    ]
    blank = bool(option and option.preview)
    for text, style in texts:
        if text:
            if blank:
                yield Text("")
            blank = True
            yield from flowing(safe(text), style, width)


def preview_height(state: PanelState, tab: int) -> int:
    """Return the lines of the longest preview of a question, unfolded."""
    options = state.pages[tab].question.options
    return max((option.preview.count("\n") + 1 for option in options if option.preview), default=0)
