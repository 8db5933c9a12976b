"""The lines of the review: every question with its answer and note, and what submitting will say."""

from __future__ import annotations

from rich.text import Text

from ccq_tui.questions.prose import NO_ANSWER, answer_line
from ccq_tui.questions.state import Page, PanelState
from ccq_tui.text import safe
from ccq_tui.widgets.lines import Line, indented, wrapped
from ccq_tui.widgets.palette import Palette
from ccq_tui.widgets.question.rows import drawn


def review_lines(state: PanelState, width: int, palette: Palette) -> list[Line]:
    """Return the lines of the review for a width in cells."""
    lines = [Line(Text(" Review your answers", palette.strong)), Line(Text(""))]
    for index, page in enumerate(state.pages):
        lines += [Line(text, index) for text in _row(state, index, page, width, palette)]
    lines.append(Line(Text("")))
    return lines + [Line(text, len(state.pages)) for text in _submit(state, width, palette)]


def _row(state: PanelState, index: int, page: Page, width: int, palette: Palette) -> list[Text]:
    lead = Text(f" {'❯' if index == state.review_row else ' '} ", palette.accent)
    mark = ("☒ ", palette.on) if page.answered else ("☐ ", palette.warning)
    texts = indented(
        wrapped(Text(drawn(page.question.text), palette.plain), width - 6), Text.assemble(lead, mark), 5
    )
    texts += indented(wrapped(_answer(page, palette), width - 9), Text("     → ", palette.muted), 7)
    if page.draft.note:
        note = wrapped(Text(drawn(page.draft.note), palette.note), width - 9)
        texts += indented(note, Text("     ✎ ", palette.note), 7)
    return texts


def _answer(page: Page, palette: Palette) -> Text:
    if page.problem:
        return Text(f"{safe(page.draft.other)} · {safe(page.problem)}", palette.warning)
    answer = page.answer()
    if answer.empty:
        return Text("nothing selected · this will be sent as “none of these”", palette.warning)
    if not answer.given:
        return Text(NO_ANSWER, palette.warning)
    return Text(drawn(answer_line(answer)), palette.on)


def _submit(state: PanelState, width: int, palette: Palette) -> list[Text]:
    on = state.review_row == len(state.pages)
    label = Text("Submit answers", palette.strong)
    empty = sum(page.answer().empty for page in state.pages)
    missing = len(state.gaps) - empty
    if missing:
        label.append(f"  {missing} without an answer", palette.warning)
    if empty:
        label.append(f"  {empty} with nothing selected", palette.warning)
    return indented(wrapped(label, width - 6), Text(f" {'❯' if on else ' '} ✔ ", palette.accent), 5)
