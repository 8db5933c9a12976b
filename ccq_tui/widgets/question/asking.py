"""What stands above the keys: what is being typed, what is wrong with it, or whether to decline."""

from __future__ import annotations

from rich.text import Text

from ccq_tui.questions.state import TEXT_FOCUSES, Focus, PanelState
from ccq_tui.text import one_line, safe
from ccq_tui.widgets.lines import wrapped
from ccq_tui.widgets.palette import Palette

FIELD_LINES = 5
"""The most lines of a text field; a longer text scrolls in it."""
FIELD_FRAME = 9
"""Cells around the text of a field, and the one for its caret."""
LABELS = {
    Focus.OTHER: "Other, in your own words",
    Focus.NOTE: "Note beside the answer",
    Focus.FILTER: "Filter the options",
    Focus.DISCUSS: "Discuss: goes back to Claude instead of answers",
}


def label_lines(state: PanelState, width: int, palette: Palette, *, low: bool) -> list[Text]:
    """Return the lines above the text field, or the question whether to decline; none when neither is open.

    Args:
        state: The state drawn.
        width: Cells of the panel.
        palette: The styles.
        low: Whether the screen is so low that only what must be said is said.
    """
    if state.focus is Focus.DECLINE:
        return _bulleted(_decline_question(state, short=low), width, palette)
    if state.focus not in TEXT_FOCUSES:
        return []
    lines = [] if low else wrapped(Text(field_label(state), palette.muted), width - 6)
    if state.notice:
        lines += _bulleted(safe(state.notice), width, palette)
    return lines


def field_label(state: PanelState) -> str:
    """Return what the open text field is for."""
    if state.focus is Focus.FIELD:
        unit = one_line(state.page.question.unit, 20)
        return f"Your answer in {unit}" if unit else "Your answer"
    return LABELS.get(state.focus, "")


def field_height(text: str, width: int, most: int) -> int:
    """Return the lines that a text takes in its field, at most ``most``."""
    room = max(1, width - FIELD_FRAME)
    # No more of a long text is looked at than the field could show.
    seen = text[: most * room].split("\n")[:most]
    return min(most, sum(len(wrapped(Text(line), room)) for line in seen))


def _decline_question(state: PanelState, *, short: bool) -> str:
    count = len(state.pages)
    what = "the question" if count == 1 else f"all {count} questions"
    if short:
        return f"Decline {what}?"
    lost = " Nothing you selected or typed is sent." if state.has_draft else ""
    return f"Decline {what}? Claude is told that you do not want to answer.{lost}"


def _bulleted(text: str, width: int, palette: Palette) -> list[Text]:
    lines = wrapped(Text(text, palette.warning), width - 8)
    return [
        Text.assemble(("⚠ " if index == 0 else "  ", palette.warning), line)
        for index, line in enumerate(lines)
    ]
