"""The lines of a question panel: of a question, of the review, and of the preview under the cursor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from ccq_tui.questions.keys import LARGE_TEXT
from ccq_tui.questions.limits import allowed_words
from ccq_tui.questions.model import Option, Question
from ccq_tui.questions.prose import (
    EMPTY_LABEL,
    LEFT_EMPTY,
    NO_ANSWER,
    NONE_SELECTED,
    UNSELECTED,
    answer_parts,
    before_briefly,
    before_line,
)
from ccq_tui.questions.state import Focus, Page, PanelState
from ccq_tui.text import one_line, plural, safe
from ccq_tui.widgets.lines import DrawnLine, flowing, indented, row_lines, verbatim, wrapped
from ccq_tui.widgets.palette import Palette
from ccq_tui.widgets.question.captions import REVIEW, coming

BEING_TYPED = "Other: being typed below"
NO_PREVIEW = "this row has no preview"
PREFIX = 8
"""Cells before a label: cursor, mark and number."""
BESIDE_FROM = 64
"""Width in cells from which descriptions are beside short labels; below it they are under them."""
LONGEST_SHORT_LABEL = 28
DIGITS = 9
LEAST_HIDDEN = 100
"""Fewest characters of a long text that are worth hiding."""
PREVIEW_SIGN = "▤"
"""Sign on a row whose preview is not on the screen, and beside the key that shows it."""
MARKS = {False: ("○", "●"), True: ("◻", "◼")}
"""(off, on) for single and for multi select."""


def drawn(text: str, all_by: str = "p shows all") -> str:
    """Return text harmless and short enough for the list."""
    if len(text) <= LARGE_TEXT:
        return safe(text)
    # Hiding less than this notice takes is not worth it; cut between words where there are any.
    shown = text[: LARGE_TEXT - LEAST_HIDDEN]
    words = shown.rpartition(" ")[0]
    shown = words if len(words) > LEAST_HIDDEN else shown
    return f"{safe(shown)} … {len(text) - len(shown):,} more characters · {all_by}"


@lru_cache(maxsize=1024)
def wrapped_once(text: str, style: Style, width: int) -> tuple[Text, ...]:
    """Wrap a text that is drawn again and again, once per style and width."""
    return tuple(wrapped(Text(text, style), width))


def forget_lines() -> None:
    """Forget the wrapped lines: the next set has other words."""
    for made in (wrapped_once, _label_column, _option):
        made.cache_clear()


def page_lines(
    state: PanelState,
    tab: int,
    width: int,
    palette: Palette,
    *,
    above: Iterable[str] = (),
    asked: bool = False,
    airy: bool = True,
    signed: bool = False,
    low: bool = False,
) -> list[DrawnLine]:
    """Return the lines of a question's page, independent of its cursor; ``signed`` marks previews by a sign.

    On a ``low`` screen the line of the header also shows the earlier answer, as far as there is room: below
    the options it would be out of sight.
    """
    page, before = state.pages[tab], state.before_on(tab)
    here = state.focus if tab == state.tab else None
    heads = [drawn(text) for text in above]
    if low and heads and before is not None:
        whole = f"{heads[-1]} · ↺ {drawn(before_briefly(before))}"
        heads[-1] = one_line(whole, width - 2)
        before = before if heads[-1] != whole else None
    lines = [_above(text, palette.muted, width) for text in heads]
    if not asked:
        lines.append(_above(drawn(page.question.text), palette.strong, width))
    if page.question.description:
        lines.append(_above(drawn(page.question.description), palette.muted, width))
    if allowed := allowed_words(page.question):
        lines.append(_above(drawn(allowed), palette.muted, width))
    if page.filter or here is Focus.FILTER:
        matching = len(set(page.rows) - {page.other_row})
        shown = f"/ {safe(page.filter)}  {matching} of {len(page.question.options)} shown"
        lines.append(_above(shown, palette.note, width))
    found = [line for block in lines for line in block]
    if airy and here is not Focus.FIELD:
        found.append(DrawnLine(Text("")))
    growing = state.arriving is not None and not state.arriving.whole and tab >= state.arriving.complete
    found += (
        _field_row(page, here, width, palette)
        if page.is_field
        else _rows(page, here, width, palette, growing=growing, signed=signed)
    )
    if before is not None:
        said = wrapped_once(drawn(before_line(before)), palette.muted, width - 13)
        found += [DrawnLine(text) for text in indented(said, Text("     ↺ ", palette.muted), 7)]
    if page.draft.note and here is not Focus.NOTE:
        note = wrapped_once(drawn(page.draft.note, "n shows all"), palette.note, width - 13)
        found += [DrawnLine(text) for text in indented(note, Text("     ✎ note: ", palette.note), 13)]
    return found


def _above(text: str, style: Style, width: int) -> list[DrawnLine]:
    return [DrawnLine(Text.assemble(" ", line)) for line in wrapped_once(text, style, width - 2)]


def _rows(
    page: Page, here: Focus | None, width: int, palette: Palette, *, growing: bool, signed: bool
) -> list[DrawnLine]:
    column = _label_column(page.question, width)
    lines: list[DrawnLine] = []
    for place, row in enumerate(page.rows):
        texts: Sequence[Text]
        if row == page.other_row and growing:
            lines.append(DrawnLine(Text(f"{'':{PREFIX}}⋯", palette.muted)))
        if row == page.other_row:
            texts, on = _other(page, here is Focus.OTHER, width, palette), page.draft.other_on
        else:
            on = row in page.draft.selected
            option = page.question.options[row]
            sign = PREVIEW_SIGN if signed and option.preview else ""
            texts = _option(option, on, column, width, palette, sign)
        number = str(place + 1) if place < DIGITS else " "
        mark = Text.assemble(
            (MARKS[page.question.multi_select][on], palette.on if on else palette.muted),
            (f" {number}  ", palette.muted),
        )
        lines += row_lines(texts, row, mark, PREFIX, palette.accent)
    return lines


@lru_cache(maxsize=64)
def _label_column(question: Question, width: int) -> int:
    """Return the width of the label column, or 0 when descriptions go under the labels."""
    longest = max((cell_len(drawn(option.title)) for option in question.options), default=0)
    one_line = not any("\n" in option.title for option in question.options)
    described = any(option.description or option.recommended for option in question.options)
    fits = described and one_line and width >= BESIDE_FROM and longest <= LONGEST_SHORT_LABEL
    return max(longest, cell_len(EMPTY_LABEL if _unlabelled(question) else "Other…")) + 2 if fits else 0


def _unlabelled(question: Question) -> bool:
    return any(not option.title.strip() for option in question.options)


@lru_cache(maxsize=2048)
def _option(
    option: Option, on: bool, column: int, width: int, palette: Palette, sign: str
) -> tuple[Text, ...]:
    """Wrap an option once for a width: selecting in a long list wraps nothing else."""
    empty = not option.title.strip()
    style = palette.muted if empty else palette.on if on else palette.plain
    label = Text(EMPTY_LABEL if empty else drawn(option.title), style)
    about = Text()
    if sign:
        (about if column else label).append(f"{sign}  " if column else f" {sign}", palette.note)
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


def _other(page: Page, typing: bool, width: int, palette: Palette) -> Sequence[Text]:
    draft = page.draft
    if typing:
        return (Text(BEING_TYPED, palette.note),)
    if not draft.other.strip():
        return (Text("Other…", palette.muted),)
    label = Text("Other: ", palette.muted)
    label.append(drawn(draft.other, "o shows all"), palette.on if draft.other_on else palette.muted)
    return wrapped(label, width - PREFIX - 1)


def _field_row(page: Page, here: Focus | None, width: int, palette: Palette) -> list[DrawnLine]:
    if here is Focus.FIELD:
        return []
    typed = page.draft.other.strip()
    value = drawn(page.draft.other, "o shows all")
    style = palette.warning if page.problem else palette.muted if page.unselected else palette.on
    texts = wrapped_once(
        value if typed else "nothing typed yet", style if typed else palette.muted, width - 4
    )
    lines = row_lines(texts, 0, Text(""), 3, palette.accent)
    if page.problem:
        lines += [
            DrawnLine(text)
            for text in indented(
                wrapped_once(safe(page.problem), palette.warning, width - 6),
                Text("   ⚠ ", palette.warning),
                5,
            )
        ]
    return lines


ALL_BY = "Enter goes there"


def review_lines(
    state: PanelState, width: int, palette: Palette, *, headed: bool = True, airy: bool = True
) -> list[DrawnLine]:
    """Return the lines of the review, independent of its cursor."""
    blank = [DrawnLine(Text(""))] if airy else []
    lines = [DrawnLine(Text(f" {REVIEW}", palette.strong)), *blank] if headed else []
    for index, page in enumerate(state.pages):
        lines += _row(index, page, width, palette)
    return [*lines, *blank, *_submit(state, width, palette)]


def _row(index: int, page: Page, width: int, palette: Palette) -> list[DrawnLine]:
    open_style = palette.muted if page.question.field and not page.lacking else palette.warning
    mark = Text("☒ ", palette.on) if page.answered else Text("☐ ", open_style)
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
        said = page.draft.other if page.is_field else ", ".join(answer_parts(page.answer()))
        wrong = f"{drawn(said, ALL_BY)} · {safe(page.problem)}"
        return wrapped_once(wrong, palette.warning, width)
    answer = page.answer()
    if answer.empty:
        return wrapped_once(NONE_SELECTED, palette.warning, width)
    if not answer.given and page.question.field and not page.lacking:
        return wrapped_once(LEFT_EMPTY, palette.muted, width)
    if not answer.given:
        proposal = page.is_field and page.draft.other and not page.unselected
        proposed = f" · {drawn(page.draft.other, ALL_BY)} was proposed" if proposal else ""
        return wrapped_once(NO_ANSWER + proposed, palette.warning, width)
    parts = answer_parts(answer)
    # In a joined list, commas within a label would read as commas between labels.
    joined = [", ".join(parts)] if not any("," in part or "\n" in part for part in parts) else parts
    return tuple(line for part in joined for line in wrapped_once(drawn(part, ALL_BY), palette.on, width))


def _submit(state: PanelState, width: int, palette: Palette) -> list[DrawnLine]:
    form = state.questions.is_form
    label = Text("Submit the form" if form else "Submit answers", palette.strong)
    empty = sum(page.answer().empty for page in state.pages)
    # An optional field may stay empty.
    missing = sum(page.lacking for page in state.pages) if form else len(state.gaps) - empty
    lacking = f"{plural(missing, 'required field')} empty" if form else f"{missing} with “{NO_ANSWER}”"
    told = [
        *([coming(state)] if state.arriving else []),
        *([lacking] if missing else []),
        *([f"{empty} with “{NONE_SELECTED}”"] if empty else []),
    ]
    if told:
        label.append("  " + " · ".join(told), palette.warning)
    mark = Text("✔ ", palette.accent)
    return row_lines(wrapped(label, width - 6), len(state.pages), mark, 5, palette.accent)


OWN_WORDS = "an answer in your own words"


def preview_lines(state: PanelState, width: int, palette: Palette, *, large: bool) -> Iterator[Text]:
    """Yield the lines of the preview of the row under the cursor, each made on demand."""
    page = state.page
    option = page.question.options[page.cursor] if page.cursor < len(page.question.options) else None
    if option and option.preview:
        yield from verbatim(safe(option.preview), palette.plain, width, palette.muted)
    elif not large:
        yield Text(NO_PREVIEW if option else OWN_WORDS, palette.muted)
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
