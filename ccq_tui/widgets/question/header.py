"""The head of the question panel: who asks, and a tab for each question."""

from __future__ import annotations

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from ccq_tui.questions.state import PanelState
from ccq_tui.text import one_line
from ccq_tui.widgets.palette import Palette

TAB_META = "question_tab"
LONGEST_HEADER = 24


def title_line(state: PanelState, width: int, session: str, place: tuple[int, int], palette: Palette) -> Text:
    """Return the line that says who asks, how much, and in which session.

    Args:
        state: The state drawn.
        width: Cells.
        session: The session's name.
        place: Which of how many waiting requests this is.
        palette: The styles.
    """
    count = len(state.pages)
    parts = [
        one_line(state.questions.title, 60) or "Claude asks",
        f"{count} question{'s' if count > 1 else ''}",
    ]
    if place[1] > 1:
        parts.append(f"{place[0]} of {place[1]}")
    left = Text.assemble((" ◆ ", palette.accent), (parts[0], palette.strong), no_wrap=True)
    for part in parts[1:]:
        left.append(f" · {part}", palette.muted)
    right = f"session {one_line(session, 30)}"
    gap = width - left.cell_len - cell_len(right) - 1
    if session and gap > 1:
        left.append(" " * gap + right, palette.muted)
    left.truncate(width, overflow="ellipsis")
    return left


def tab_lines(state: PanelState, width: int, palette: Palette) -> list[Text]:
    """Return the tabs in as many lines as they need; none when there is nothing to turn to."""
    if not state.needs_review:
        return []
    tabs = [_tab(state, index, palette) for index in range(len(state.pages) + 1)]
    lines = [Text(" ← ", palette.muted, no_wrap=True)]
    for tab in tabs:
        if lines[-1].cell_len + tab.cell_len + 4 > width and lines[-1].cell_len > 3:
            lines.append(Text("   ", no_wrap=True))
        lines[-1].append_text(tab)
        lines[-1].append("  ")
    lines[-1].append("→", palette.muted)
    return lines


def _tab(state: PanelState, index: int, palette: Palette) -> Text:
    here = index == state.tab
    if index == len(state.pages):
        mark, label, on = "✔", "Review", not state.gaps
    else:
        page = state.pages[index]
        on = page.answered
        mark = "☒" if on else "☐"
        label = one_line(page.question.header, LONGEST_HEADER) or f"Question {index + 1}"
    style = palette.accent + Style(underline=True) if here else palette.plain if on else palette.muted
    tab = Text.assemble((mark, palette.on if on else palette.muted), " ", (label, style))
    tab.stylize(Style(meta={TAB_META: index}))
    return tab
