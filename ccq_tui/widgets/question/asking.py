"""What stands above the keys: what is being typed, what is wrong with it, or whether to decline."""

from __future__ import annotations

from rich.text import Text

from ccq_tui.questions.growth import GOOD_NEWS
from ccq_tui.questions.state import TEXT_FOCUSES, Focus, PanelState
from ccq_tui.text import one_line, safe
from ccq_tui.widgets.lines import indented, wrapped
from ccq_tui.widgets.palette import Palette
from ccq_tui.widgets.panel.notice import notice_lines

LONGEST_PLACEHOLDER = 400
LABELS = {
    Focus.OTHER: "Other, in your own words",
    Focus.NOTE: "Note beside the answer",
    Focus.FILTER: "Filter the options",
    Focus.DISCUSS: "Discuss: goes back to Claude instead of answers",
}
DISCUSSES_ALL = "Discuss: goes to Claude with what you selected and typed, not as answers"


def label_lines(state: PanelState, width: int, palette: Palette, *, low: bool) -> list[Text]:
    """Return the lines above the text field or the keys: what is typed, asked or said; none for nothing.

    Args:
        state: The state drawn.
        width: Cells of the panel.
        palette: The styles.
        low: Whether the screen is so low that only what must be said is said.
    """
    aside = _aside(state.aside, width, palette)
    if state.focus is Focus.DECLINE:
        return [*notice_lines(_decline_question(state, short=low), width, palette), *aside]
    if state.focus not in TEXT_FOCUSES:
        return aside
    lines = aside if low else [*wrapped(Text(field_label(state), palette.muted), width - 6), *aside]
    if state.notice:
        lines += notice_lines(safe(state.notice), width, palette)
    return lines


def _aside(text: str, width: int, palette: Palette) -> list[Text]:
    """Return what is said about the set as a whole."""
    if text in GOOD_NEWS:
        return indented(wrapped(Text(text, palette.on), width - 8), Text("✔ ", palette.on), 2)
    return notice_lines(text, width, palette) if text else []


def field_label(state: PanelState) -> str:
    """Return what the open text field is for."""
    if state.focus is Focus.FIELD:
        unit = one_line(state.page.question.unit, 20)
        return f"Your answer in {unit}" if unit else "Your answer"
    if state.focus is Focus.DISCUSS and state.discussed.answers:
        return DISCUSSES_ALL
    return LABELS.get(state.focus, "")


def field_hint(state: PanelState) -> str:
    """Return what stands in the open text field while it is empty."""
    hint = state.page.question.placeholder if state.focus is Focus.FIELD else ""
    return safe(hint or field_label(state), keep_newlines=False, limit=LONGEST_PLACEHOLDER)


def _decline_question(state: PanelState, *, short: bool) -> str:
    count = len(state.pages)
    what = "the question" if count == 1 else f"all {count} questions"
    if short:
        return f"Decline {what}?"
    lost = " Nothing you selected or typed is sent." if state.has_draft else ""
    return f"Decline {what}? Claude is told that you do not want to answer.{lost}"
