"""One tab of a question panel: the lines of its question, its rows and its previews.

Nothing here depends on a cursor: all tabs of a set have one height, and moving changes none.
"""

from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import cache, cached_property, partial
from typing import NamedTuple, TypeVar, cast

from rich.cells import cell_len
from rich.text import Text

from ccq_tui.heights import is_low
from ccq_tui.questions.model import Option
from ccq_tui.questions.moves import leave_text
from ccq_tui.questions.prose import shown_label
from ccq_tui.questions.state import Focus, PanelState
from ccq_tui.widgets.lines import DrawnLine, row_lines
from ccq_tui.widgets.measures import PanelProps, field_height
from ccq_tui.widgets.question import parts
from ccq_tui.widgets.question.parts import AT_MARK, AT_TEXT, Grid, OptionRow

LEAST_LIST = 32
"""Fewest cells that the list keeps beside a preview."""
PREVIEW_FRAME = 3
"""Cells beside a preview: its line, a blank, and the last cell."""

Made = TypeVar("Made")


class Cache(dict[object, object]):
    """Earlier parts, by everything they depend on; valid for one width, one height and one palette."""

    def remember(self, key: object, make: Callable[[], Made]) -> Made:
        """Return a part of an earlier layout, or make it."""
        if (found := self.get(key)) is None:
            if len(self) > 500:
                self.clear()
            found = self[key] = make()
        return cast("Made", found)


class RowDetail(IntEnum):
    """How much of its rows a list shows, from all to least."""

    WHOLE = 0
    BEHIND = 1
    """The description of a row without the cursor is cut behind its label."""
    SHORT = 2
    """Its label takes one line, too."""
    SCROLLED = 3
    """The list scrolls."""


class RowStyle(NamedTuple):
    """How the rows of a tab are drawn.

    Attributes:
        detail: How much of them there is.
        beside: Whether descriptions are beside the labels.
        signed: Whether rows show that they have previews, since there is no room for those.
    """

    detail: RowDetail = RowDetail.WHOLE
    beside: bool = False
    signed: bool = False


class Tab:
    """What a tab holds at a size: a question, or the review, which is behind the last one."""

    def __init__(self, state: PanelState, props: PanelProps, number: int, kept: Cache) -> None:
        self.number, self.is_review = number, number == len(state.pages)
        self.typing = number == state.tab and state.focus in (Focus.OTHER, Focus.FIELD)
        self.page = self.drafted = state.pages[min(number, len(state.pages) - 1)]
        if self.typing and state.focus is Focus.OTHER and state.stray is None:
            self.drafted = leave_text(state).page  # leaving the words selects them
        self.is_field = not self.is_review and self.page.is_field
        self.growing = grows(state, number)
        # Fewest cells that anything is counted for.
        self.whole = Grid(max(20, props.width), is_low(props.screen_height))
        self.count, self.lines = cache(self._count), cache(self._lines)
        self._state, self._props, self._palette, self._cache = state, props, props.palette, kept

    @cached_property
    def question(self) -> Sequence[Text]:
        """The lines of the question."""
        if self.is_review:
            return [] if self.whole.low else [Text(parts.REVIEW, self._palette.strong)]
        titled = not self._props.alone
        return parts.question_lines(self._state, self.page, self.whole, self._palette, titled=titled)

    @cached_property
    def options(self) -> tuple[Option, ...]:
        return () if self.is_review or self.is_field else self.page.question.options

    @cached_property
    def grid(self) -> Grid:
        """The cells of the list; a preview beside it has the others."""
        whole, previews = self.whole, tuple(option for option in self.options if option.preview)
        if not previews or whole.width < 100:  # width in cells from which the preview is beside the list
            return whole
        cells = parts.preview_width(previews, whole.width - LEAST_LIST - PREVIEW_FRAME)
        left = min(100, whole.width - cells - PREVIEW_FRAME - 1)  # no further away from what it shows
        return Grid(max(LEAST_LIST, left), whole.low, beside=True)

    @cached_property
    def preview_width(self) -> int:
        beside = self._props.width - self.grid.width - PREVIEW_FRAME
        return beside if self.grid.beside else self.grid.room(AT_MARK)

    @cached_property
    def preview(self) -> int:
        """Lines of the longest preview, with its title where it is under the list."""
        width, most = self.preview_width, self._props.screen_height
        heights = (parts.preview_height(option, width, most, self._palette) for option in self.options)
        tallest = max(heights, default=0)
        return tallest + (not self.grid.beside) if tallest else 0

    @cached_property
    def column(self) -> int:
        """Cells of the labels where descriptions are beside them."""
        labels = [
            parts.shown(shown_label(option.title)) + "  " * option.recommended for option in self.options
        ]
        own = "" if self.is_review or self.page.question.closed else "Other…"
        return max(map(cell_len, [*labels, own])) + 2

    @cached_property
    def beside(self) -> bool:
        """Whether there are descriptions, and each takes one line beside its label."""
        room = self.grid.text - self.column
        fits = all(
            "\n" not in option.description + option.title and cell_len(option.description) <= room
            for option in self.options
        )
        return fits and any(option.description for option in self.options)

    @cached_property
    def saves_beside(self) -> bool:
        """Whether descriptions take fewer lines beside the labels, with enough room there."""
        room = self.grid.text - self.column
        # Fewest cells of descriptions that stand beside labels only to save lines.
        return room >= 24 and self.count(RowStyle(beside=True)) < self.count(RowStyle())

    # -- the rows -------------------------------------------------------------------------------------------

    @cached_property
    def rows(self) -> Sequence[int]:
        """The rows; those of the review are the questions that are asked, and the one that confirms."""
        return (*self._state.asked_tabs, self.number) if self.is_review else self.page.rows

    @cached_property
    def own_height(self) -> int:
        """The lines of what is typed: of the field, or of the row for own words."""
        at = AT_MARK if self.is_field else AT_TEXT
        problem = self.is_field and not self.typing and bool(self.page.problem)
        return field_height(self.page.draft.other, self.grid.room(at)) + problem

    def row(self, row: int, *, signed: bool) -> OptionRow:
        """Return a row of a question as it is drawn."""
        if row == self.page.other_row:
            return parts.own_row(self.drafted, on=self.drafted.draft.other_on, palette=self._palette)
        on = row in self.drafted.draft.selected
        return parts.option_row(self.page.question.options[row], on=on, signed=signed, palette=self._palette)

    def texts(self, row: int, style: RowStyle) -> Sequence[Text]:
        """Return the texts of a row without the cursor, one for each line."""
        whole = style.detail is RowDetail.WHOLE
        if self.is_review:
            state, width = self._state, self.whole.text
            if row == self.number:
                return parts.submit_row(state, width, self._palette)
            page, palette = state.pages[row], self._palette
            made = partial(parts.review_row, page, width, palette, brief=not whole)
            return self._cache.remember(("review", row, whole, page.draft), made)
        if self.is_field or (row == self.page.other_row and self.typing):
            return [Text()] * self.own_height
        drawn, width, column = self.row(row, signed=style.signed), self.grid.text, self.column
        if not whole:
            return drawn.brief(width, whole=style.detail is RowDetail.BEHIND, muted=self._palette.muted)
        label = drawn.named(width)
        if not style.beside or len(label) > 1:
            return [*label, *self.about(drawn)]
        about = self.about(drawn, column) or (Text(),)
        label[0].pad_right(max(1, column - label[0].cell_len))  # the sign of a preview has no column
        first = Text.assemble(label[0], about[0])
        first.rstrip()
        return [first, *(Text.assemble(" " * column, line) for line in about[1:])]

    def about(self, row: OptionRow, column: int = 0) -> Sequence[Text]:
        width = self.grid.text - column
        return parts.wrapped_once(row.about, self._palette.muted, width) if row.about else ()

    def drawn(self, row: int, texts: Sequence[Text]) -> list[DrawnLine]:
        """Return the lines of a row with its mark."""
        palette, pages = self._palette, self._state.pages
        if self.is_review:
            answered = pages[row] if row < len(pages) else None
            mark = parts.review_mark(answered, self.rows.index(row), palette)
            return row_lines(texts, row, mark, AT_TEXT, palette.accent)
        own = row == self.page.other_row
        on = self.drafted.draft.other_on if own else row in self.drafted.draft.selected
        growing = own and self.growing
        mark = parts.mark(self.page, self.rows.index(row), on=on, numbered=not growing, palette=palette)
        lead = [DrawnLine(Text(f"{'':{AT_TEXT}}{parts.MORE}", palette.muted))] if growing else []
        return [*lead, *row_lines(texts, row, mark, AT_TEXT, palette.accent)]

    def _lines(self, style: RowStyle) -> list[DrawnLine]:
        return [line for row in self.rows for line in self.drawn(row, self.texts(row, style))]

    def _count(self, style: RowStyle, *, unfiltered: bool = False) -> int:
        """Count the lines of the rows: more than all of the screen are not counted.

        The cursor may be on the row that then takes the most.
        """
        rows, most = self.rows, self._props.screen_height
        if unfiltered and self.page.filter and not self.is_review:
            rows = range(self.page.other_row + (not self.page.question.closed))
        total = int(self.growing)
        if style.detail >= RowDetail.SHORT and not (self.is_review or self.is_field):
            if len(rows) > most:
                return len(rows)
            labels = (len(self.row(row, signed=style.signed).named(self.grid.text)) for row in rows)
            return total + len(rows) + max(*labels, self.own_height if self.typing else 1, 1) - 1
        for row in rows:
            total += len(self.texts(row, style))
            if total > most:
                break
        return total


def grows(state: PanelState, number: int) -> bool:
    """Return whether more rows of a tab may come."""
    arriving = state.arriving
    if arriving is None or not state.is_growing or number == len(state.pages):
        return False
    return arriving.complete <= number and not state.pages[number].is_field


def tab_of(state: PanelState, props: PanelProps, number: int, cache: Cache) -> Tab:
    """Return a tab of an earlier layout, or make it."""
    if number == len(state.pages):
        key: object = tuple(page.draft for page in state.pages)
    else:
        page, focus = state.pages[number], state.focus if number == state.tab else None
        typing = focus in (Focus.OTHER, Focus.FIELD) and (focus, state.stray is None)
        key = (page.draft, page.filter, typing, grows(state, number))
    return cache.remember((number, key), lambda: Tab(state, props, number, cache))
