"""The lines of one question: its text, its options, Other, the note and what is wrong."""

from __future__ import annotations

from functools import lru_cache

from rich.cells import cell_len
from rich.text import Text

from ccq_tui.questions.keys import LARGE_TEXT
from ccq_tui.questions.model import Kind, Option, Question
from ccq_tui.questions.numbers import allowed_range
from ccq_tui.questions.state import Focus, Page, PanelState
from ccq_tui.text import safe
from ccq_tui.widgets.lines import Line, indented, wrapped
from ccq_tui.widgets.palette import Palette

PREFIX = 8
"""Cells before a label: cursor, mark and number."""
BESIDE_FROM = 64
"""From this width descriptions stand beside short labels, below it under them."""
LONGEST_SHORT_LABEL = 28
MARKS = {False: ("○", "●"), True: ("◻", "◼")}
"""(off, on) for single and for multi select."""


def drawn(text: str) -> str:
    """Return a model's text harmless and short enough for the list; `p` shows the whole of it."""
    if len(text) <= LARGE_TEXT:
        return safe(text)
    return f"{safe(text[:LARGE_TEXT])}… {len(text) - LARGE_TEXT:,} more characters · p shows all"


def page_lines(state: PanelState, tab: int, width: int, palette: Palette, *, airy: bool = True) -> list[Line]:
    """Return the lines of a question's page.

    Args:
        state: The state drawn.
        tab: Which question.
        width: Cells.
        palette: The styles.
        airy: Whether a blank line parts the question from its options.
    """
    page = state.pages[tab]
    lines = _question_lines(page.question, width, palette)
    here = tab == state.tab
    if page.filter or (here and state.focus is Focus.FILTER):
        shown = len(page.rows) - 1
        told = f" / {safe(page.filter)}  {shown} of {len(page.question.options)} shown"
        lines += [Line(text) for text in wrapped(Text(told, palette.note), width)]
    if airy:
        lines.append(Line(Text("")))
    if page.is_field:
        lines += _field_lines(state, page, here, width, palette)
    else:
        lines += _option_lines(page, here and state.focus is Focus.OTHER, width, palette)
    if page.draft.note and not (here and state.focus is Focus.NOTE):
        note = wrapped(Text(drawn(page.draft.note), palette.note), width - 13)
        lines += [Line(text) for text in indented(note, Text("     ✎ note: ", palette.note), 13)]
    notice = state.notice if here else page.problem
    if notice:
        lines += [Line(text) for text in _notice(notice, width, palette)]
    return lines


def _question_lines(question: Question, width: int, palette: Palette) -> list[Line]:
    lines = wrapped(Text(drawn(question.text), palette.strong), width - 2)
    if question.description:
        lines += wrapped(Text(drawn(question.description), palette.muted), width - 2)
    return [Line(Text.assemble(" ", text)) for text in lines]


def _notice(notice: str, width: int, palette: Palette) -> list[Text]:
    return indented(
        wrapped(Text(safe(notice), palette.warning), width - 7), Text("     ⚠ ", palette.warning), 7
    )


def _option_lines(page: Page, typing: bool, width: int, palette: Palette) -> list[Line]:
    column = _label_column(page.question, width)
    lines: list[Line] = []
    for row in page.rows:
        lead = _lead(page, row, palette)
        if row == page.other_row:
            texts = _other(page, typing, width, palette)
        else:
            texts = _option(page.question.options[row], row in page.draft.selected, column, width, palette)
        lines += [Line(text, row) for text in indented(texts, lead, PREFIX)]
    return lines


def _lead(page: Page, row: int, palette: Palette) -> Text:
    other = row == page.other_row
    on = page.draft.other_on if other else row in page.draft.selected
    mark = MARKS[page.question.multi_select][on]
    cursor = "❯" if row == page.cursor else " "
    number = str(row + 1) if row < 9 else " "
    return Text.assemble(
        (f" {cursor} ", palette.accent),
        (mark, palette.on if on else palette.muted),
        (f" {number}  ", palette.muted),
    )


def _label_column(question: Question, width: int) -> int:
    """Return the width of the label column, or 0 when descriptions go under the labels."""
    longest = max((cell_len(drawn(option.title)) for option in question.options), default=0)
    one_line = not any("\n" in option.title for option in question.options)
    described = any(option.description or option.recommended for option in question.options)
    fits = described and one_line and width >= BESIDE_FROM and longest <= LONGEST_SHORT_LABEL
    return max(longest, cell_len("Other…")) + 2 if fits else 0


@lru_cache(maxsize=2048)
def _option(option: Option, on: bool, column: int, width: int, palette: Palette) -> tuple[Text, ...]:
    """Wrap an option once for a width: moving the cursor over a long list wraps nothing anew."""
    label = Text(drawn(option.title) or "(empty label)", palette.on if on else palette.plain)
    about = Text()
    if option.recommended:
        about.append("★ recommended", palette.badge)
        about.append("  " if option.description else "")
    about.append(drawn(option.description), palette.muted)
    room = width - PREFIX - 1
    if column:
        texts = wrapped(about, room - column)
        label.pad_right(column - cell_len(label.plain))
        return tuple(indented(texts, label, column))
    return (*wrapped(label, room), *(wrapped(about, room) if about else []))


def _other(page: Page, typing: bool, width: int, palette: Palette) -> tuple[Text, ...]:
    draft = page.draft
    if typing:
        return (Text("Other: being typed below", palette.note),)
    if not draft.other.strip():
        return (Text("Other…", palette.muted),)
    label = Text("Other: ", palette.muted)
    label.append(drawn(draft.other), palette.on if draft.other_on else palette.muted)
    return tuple(wrapped(label, width - PREFIX - 1))


def _field_lines(state: PanelState, page: Page, here: bool, width: int, palette: Palette) -> list[Line]:
    question = page.question
    lines: list[Text] = []
    if not (here and state.focus is Focus.FIELD):
        value = (
            Text(drawn(page.draft.other), palette.on)
            if page.draft.other.strip()
            else Text("nothing typed yet")
        )
        cursor = " ❯ " if here and state.focus is Focus.LIST else "   "
        lines += indented(wrapped(value, width - 4), Text(cursor, palette.accent), 3)
    if question.kind is Kind.NUMBER and (allowed := allowed_range(question)):
        lines += [Text(f"   {allowed}", palette.muted)]
    return [Line(text, 0) for text in lines]
