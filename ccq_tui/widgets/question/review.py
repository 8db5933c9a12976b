"""The lines of the review: every question with its answer and note, and what submitting will say."""

from __future__ import annotations

from rich.text import Text

from ccq_tui.questions.prose import NO_ANSWER, UNSELECTED, answer_line
from ccq_tui.questions.state import Page, PanelState
from ccq_tui.text import safe
from ccq_tui.widgets.lines import Line, indented, row_lines, wrapped
from ccq_tui.widgets.palette import Palette
from ccq_tui.widgets.question.header import REVIEW, coming
from ccq_tui.widgets.question.rows import drawn, wrapped_once

ALL_BY = "Enter goes there"


def review_lines(
    state: PanelState, width: int, palette: Palette, *, headed: bool = True, airy: bool = True
) -> list[Line]:
    """Return the lines of the review, wherever its cursor is.

    Args:
        state: The state drawn.
        width: Cells.
        palette: The styles.
        headed: Whether a heading says what this is.
        airy: Whether blank lines part the questions from what is above and under them.
    """
    blank = [Line(Text(""))] if airy else []
    lines = [Line(Text(f" {REVIEW}", palette.strong)), *blank] if headed else []
    for index, page in enumerate(state.pages):
        lines += _row(index, page, width, palette)
    return [*lines, *blank, *_submit(state, width, palette)]


def _row(index: int, page: Page, width: int, palette: Palette) -> list[Line]:
    mark = Text("☒ ", palette.on) if page.answered else Text("☐ ", palette.warning)
    question = wrapped_once(drawn(page.question.text, ALL_BY), palette.plain, width - 6)
    texts = [
        *question,
        *indented(_answer(page, width - 8, palette), Text("→ ", palette.muted), 2),
    ]
    if page.unselected and not page.problem:
        left = wrapped_once(drawn(UNSELECTED + page.unselected, ALL_BY), palette.warning, width - 6)
        texts += indented(left, Text("  "), 2)
    if page.draft.note:
        note = wrapped_once(drawn(page.draft.note, ALL_BY), palette.note, width - 8)
        texts += indented(note, Text("✎ ", palette.note), 2)
    return row_lines(texts, index, mark, 5, palette.accent)


def _answer(page: Page, width: int, palette: Palette) -> tuple[Text, ...]:
    if page.problem:
        wrong = f"{drawn(page.draft.other, ALL_BY)} · {safe(page.problem)}"
        return wrapped_once(wrong, palette.warning, width)
    answer = page.answer()
    if answer.empty:
        nothing = "nothing selected · this will be sent as “none of these”"
        return wrapped_once(nothing, palette.warning, width)
    if not answer.given:
        proposal = page.is_field and page.draft.other and not page.unselected
        proposed = f" · {drawn(page.draft.other, ALL_BY)} was proposed" if proposal else ""
        return wrapped_once(NO_ANSWER + proposed, palette.warning, width)
    return wrapped_once(drawn(answer_line(answer), ALL_BY), palette.on, width)


def _submit(state: PanelState, width: int, palette: Palette) -> list[Line]:
    label = Text("Submit answers", palette.strong)
    empty = sum(page.answer().empty for page in state.pages)
    missing = len(state.gaps) - empty
    told = [
        *([coming(state)] if state.arriving else []),
        *([f"{missing} without an answer"] if missing else []),
        *([f"{empty} with nothing selected"] if empty else []),
    ]
    if told:
        label.append("  " + " · ".join(told), palette.warning)
    mark = Text("✔ ", palette.accent)
    return row_lines(wrapped(label, width - 6), len(state.pages), mark, 5, palette.accent)
