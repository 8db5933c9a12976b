"""The tabs of a question panel, counted: the lines that each needs, and what gives way in which order.

The height of a panel and what gives way depend on no cursor: all tabs of a set have one height, and moving
changes none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from itertools import islice
from typing import TypeVar, cast

from rich.cells import cell_len
from rich.text import Text

from ccq_tui.questions.merge_partial import GOOD_NEWS
from ccq_tui.questions.moves import leave_text
from ccq_tui.questions.prose import length_notice, shown_label
from ccq_tui.questions.state import Focus, PanelState
from ccq_tui.text import safe
from ccq_tui.widgets import measures
from ccq_tui.widgets.hints import cut
from ccq_tui.widgets.measures import PanelLook
from ccq_tui.widgets.question import parts
from ccq_tui.widgets.question.parts import AT_ASIDE, AT_MARK, AT_TEXT, Grid, OptionRow

BESIDE_FROM = 100
"""Width in cells from which the preview is beside the list."""
LEAST_LIST = 32
"""Fewest cells that the list keeps beside a preview."""
MOST_LIST = 100
"""Most cells of the list beside a preview, which is not moved away from what it shows."""
PREVIEW_FRAME = 3
"""Cells beside a preview: its line, a blank, and the last cell."""
LEAST_ABOUT = 24
"""Fewest cells of descriptions that stand beside labels only to save lines."""
LEAST_PREVIEW = 5
"""Fewest lines of a preview under the list, its title included."""
LEAST_WIDTH = 20
"""Fewest cells that anything is counted for."""
MOST_NOTICE = 3
MOST_REMEMBERED = 500
KEYS = 1
HEAD = 1
BLANKS = 3
"""Most blank lines of a panel."""
NOTE_LEAD = " ✎ note "
DISCUSS_LEAD = " ✎ discuss "
WRITING = "Claude is still writing. Select now; send when it is complete."

Made = TypeVar("Made")


class Cache(dict[object, object]):
    """Earlier parts, by everything they depend on; valid for one width, one height and one palette."""

    def remember(self, key: object, make: Callable[[], Made]) -> Made:
        """Return a part of an earlier layout, or make it."""
        if (found := self.get(key)) is None:
            if len(self) > MOST_REMEMBERED:
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


@dataclass(frozen=True, slots=True)
class Facts:
    """What holds for a tab at a size, whatever is selected, typed and left out.

    Attributes:
        grid: The cells of its list; a preview beside it has the others.
        question: Lines of the question.
        tallest: Lines of the longest preview.
        column: Cells of the labels where descriptions are beside them.
        beside: Whether each description takes one line there.
    """

    grid: Grid
    question: Sequence[Text]
    tallest: int = 0
    column: int = 0
    beside: bool = False

    @property
    def preview(self) -> int:
        """Lines of the longest preview, with its title where it is under the list."""
        return self.tallest + (not self.grid.beside) if self.tallest else 0


@dataclass(frozen=True, slots=True)
class TabPlan:
    """What one tab shows within the lines of the panel; independent of its cursor.

    Attributes:
        question: Lines of the question.
        cut: Whether lines of it are missing.
        shown: How much of the rows there is.
        beside: Whether descriptions are beside the labels.
        room: Lines for the rows, a preview beside them included.
        preview: Lines of the preview under the list, its title included; or 0.
        recalled: Whether an earlier answer has its line.
        blanks: Blank lines: under the question first, then under the head, then above what follows the rows.
    """

    question: Sequence[Text]
    cut: bool
    shown: RowDetail
    beside: bool
    room: int
    preview: int
    recalled: bool
    blanks: int


class Tabs:
    """What each tab of a set holds, how many lines it needs, and what of it gives way."""

    def __init__(self, state: PanelState, look: PanelLook, cache: Cache) -> None:
        self.state, self.look, self.cache = state, look, cache
        self.low, self.palette = measures.is_low(look.screen_height), look.palette
        self.signs: set[int] = set()
        """The tabs whose rows show that they have previews, since there is no room for those."""

    @cached_property
    def height(self) -> int:
        review = self.state.needs_review and (self.state.in_review or not self.look.alone)
        tabs = range(len(self.state.pages) + review)
        needed = max(self._needed(tab) for tab in tabs)
        most = measures.cap(self.look.screen_height, needed)
        return min(most, needed + (0 if self.low else BLANKS))

    def _needed(self, tab: int) -> int:
        """Return the lines of a tab without blank ones, with nothing cut: more than all are not counted."""
        around = HEAD + KEYS + len(self.asides(tab)) + (self.state.before_on(tab) is not None)
        facts = self.facts(tab)
        around += len(facts.question) + self.filters(tab)
        return around + self.middle(
            tab, RowDetail.WHOLE, beside=facts.beside, preview=facts.preview, unfiltered=True
        )

    def facts(self, tab: int) -> Facts:
        return self.cache.remember((tab, "facts"), lambda: self._measured(tab))

    def _measured(self, tab: int) -> Facts:
        whole = Grid(max(LEAST_WIDTH, self.look.width), self.low)
        if self.is_review(tab):
            return Facts(whole, [] if self.low else [Text(parts.REVIEW, self.palette.strong)])
        page = self.state.pages[tab]
        question = parts.question_lines(self.state, page, whole, self.palette, titled=not self.look.alone)
        options = () if page.is_field else page.question.options
        grid, previews = whole, [option for option in options if option.preview]
        if previews and grid.width >= BESIDE_FROM:
            cells = parts.preview_width(previews, grid.width - LEAST_LIST - PREVIEW_FRAME)
            left = min(MOST_LIST, grid.width - cells - PREVIEW_FRAME - 1)
            grid = Grid(max(LEAST_LIST, left), self.low, beside=True)
        width, most = self.preview_width(grid), self.look.screen_height
        flows = [islice(parts.preview_lines(option, width, self.palette), most) for option in previews]
        tallest = max((sum(1 for _ in flow) for flow in flows), default=0)
        labels = [parts.shown(shown_label(option.title)) + "  " * option.recommended for option in options]
        column = max(map(cell_len, [*labels, "" if page.question.closed else "Other…"]), default=0) + 2
        fits = all(
            "\n" not in option.description + option.title
            and cell_len(option.description) <= grid.text - column
            for option in options
        )
        described = any(option.description for option in options)
        return Facts(question=question, grid=grid, tallest=tallest, column=column, beside=fits and described)

    def is_review(self, tab: int) -> bool:
        return tab == len(self.state.pages)

    def preview_width(self, grid: Grid) -> int:
        return self.look.width - grid.width - PREVIEW_FRAME if grid.beside else grid.room(AT_MARK)

    def filters(self, tab: int) -> bool:
        """Whether the words that a list is filtered by have their line under the question."""
        here = tab == self.state.tab and self.state.focus is Focus.FILTER
        return not self.is_review(tab) and bool(self.state.pages[tab].filter or here)

    def asides(self, tab: int) -> list[Text]:
        """Return the lines between the rows and the keys, but for an earlier answer."""
        state, width, palette = self.state, self.look.width, self.palette
        here = tab == state.tab
        lines: list[Text] = []
        if state.is_growing and not state.aside:
            lines.append(Text(f" {cut(f'{parts.MORE} {WRITING}', width - 2)}", palette.muted))
        if here:
            lines += self._notices()
        note = state.pages[tab].draft.note if tab < len(state.pages) else ""
        if here and state.focus in (Focus.NOTE, Focus.DISCUSS):
            lead = NOTE_LEAD if state.focus is Focus.NOTE else DISCUSS_LEAD
            height = measures.field_height(state.text, Grid(width, self.low).room(len(lead)))
            lines += [Text(lead, palette.note), *([Text()] * (height - 1))]
        kept = (NOTE_LEAD, note, Focus.NOTE), (DISCUSS_LEAD, state.discussion, Focus.DISCUSS)
        for lead, text, focus in kept:
            if text and not (here and state.focus is focus):
                shown = cut(text, max(1, width - len(lead) - 1))
                lines.append(Text.assemble((lead, palette.muted), (shown, palette.note)))
        return lines

    def _notices(self) -> list[Text]:
        state, width, palette = self.state, self.look.width, self.palette
        found: list[Text] = []
        if state.focus is Focus.DECLINE:
            found += measures.notice_lines(parts.decline_words(state, short=self.low), width, palette)
        if state.aside in GOOD_NEWS:
            found.append(Text(f" ✔ {state.aside}", palette.on))
        elif state.aside:
            found += measures.notice_lines(safe(state.aside), width, palette)
        elif unseen := parts.unseen_words(state, short=self.low):
            found += measures.notice_lines(unseen, width, palette)
        if notice := (state.notice if state.typing else "") or length_notice(state):
            found += measures.notice_lines(safe(notice), width, palette)
        # The question, the row under the cursor and the sign of those out of sight have their lines.
        room = measures.most_lines(self.look.screen_height, measures.SHARES[-1]) - HEAD - KEYS - 3
        return list(parts.cut_lines(found, max(1, min(MOST_NOTICE, room)), width - 1))

    def rows(self, tab: int) -> Sequence[int]:
        return self.review_rows if self.is_review(tab) else self.state.pages[tab].rows

    @cached_property
    def review_rows(self) -> Sequence[int]:
        """The rows of the review: the questions that are asked, and the one that confirms."""
        return *self.state.asked_tabs, len(self.state.pages)

    def row(self, tab: int, row: int) -> OptionRow:
        """Return a row of a question as it is drawn."""
        page, palette = self.drafted.pages[tab], self.palette
        if row == page.other_row:
            return parts.own_row(page, on=page.draft.other_on, palette=palette)
        option, on = page.question.options[row], row in page.draft.selected
        return parts.option_row(option, on=on, signed=tab in self.signs, palette=palette)

    @cached_property
    def drafted(self) -> PanelState:
        """The state as it is drawn: words being typed are selected where leaving them selects them."""
        typing = self.state.focus is Focus.OTHER and self.state.stray is None
        return leave_text(self.state) if typing else self.state

    def typing_on(self, tab: int) -> bool:
        return tab == self.state.tab and self.state.focus in (Focus.OTHER, Focus.FIELD)

    def texts(self, tab: int, row: int, shown: RowDetail, *, beside: bool) -> Sequence[Text]:
        """Return the texts of a row without the cursor, one for each line."""
        if self.is_review(tab):
            return self.review_row(row, brief=shown is not RowDetail.WHOLE)
        page, facts = self.state.pages[tab], self.facts(tab)
        if page.is_field or (row == page.other_row and self.typing_on(tab)):
            return [Text()] * self.own_height(tab)
        drawn, width, column = self.row(tab, row), facts.grid.text, facts.column
        if shown is not RowDetail.WHOLE:
            return drawn.brief(width, whole=shown is RowDetail.BEHIND, muted=self.palette.muted)
        label = drawn.named(width)
        if not beside or len(label) > 1:
            return [*label, *self.about(drawn, facts.grid)]
        about = self.about(drawn, facts.grid, column) or (Text(),)
        label[0].pad_right(max(1, column - label[0].cell_len))  # the sign of a preview has no column
        first = Text.assemble(label[0], about[0])
        first.rstrip()
        return [first, *(Text.assemble(" " * column, line) for line in about[1:])]

    def own_height(self, tab: int) -> int:
        """Return the lines of what is typed on a tab: of its field, or of the row for own words."""
        page, grid = self.state.pages[tab], self.facts(tab).grid
        at = AT_MARK if page.is_field else AT_TEXT
        problem = page.is_field and not self.typing_on(tab) and bool(page.problem)
        return measures.field_height(page.draft.other, grid.room(at)) + problem

    def about(self, row: OptionRow, grid: Grid, column: int = 0) -> Sequence[Text]:
        return parts.wrapped_once(row.about, self.palette.muted, grid.text - column) if row.about else ()

    def middle(
        self, tab: int, shown: RowDetail, *, beside: bool, preview: int, unfiltered: bool = False
    ) -> int:
        """Return the lines of the rows and a preview, no more than a screen holds."""
        all_rows = unfiltered and self.filters(tab)  # a filter makes no panel smaller: it would jump
        rows = self.cache.remember(
            (tab, "rows", shown, beside, all_rows, tab in self.signs, self.draft_key(tab)),
            lambda: self._count(tab, shown, beside=beside, all_rows=all_rows),
        )
        return max(rows, preview) if self.facts(tab).grid.beside else rows + preview

    def draft_key(self, tab: int) -> object:
        state = self.state
        if self.is_review(tab):
            return tuple(page.draft for page in state.pages)
        page = state.pages[tab]
        return page.draft, page.filter, self.typing_on(tab), self.growing(tab), state.stray is None

    def _count(self, tab: int, shown: RowDetail, *, beside: bool, all_rows: bool) -> int:
        """Count lines of rows; the cursor may be on the one that then takes the most."""
        rows, most = self.rows(tab), self.look.screen_height
        if all_rows:
            rows = replace(self.state.pages[tab], filter="").rows
        if shown >= RowDetail.SHORT and not (self.is_review(tab) or self.state.pages[tab].is_field):
            if len(rows) > most:
                return len(rows)
            tallest = max(
                (len(self.row(tab, row).named(self.facts(tab).grid.text)) - 1 for row in rows), default=0
            )
            if self.typing_on(tab):
                tallest = max(tallest, self.own_height(tab) - 1)
            return len(rows) + tallest + self.growing(tab)
        total = int(self.growing(tab))
        for row in rows:
            total += len(self.texts(tab, row, shown, beside=beside))
            if total > most:
                break
        return total

    def growing(self, tab: int) -> bool:
        """Whether more rows of a tab may come."""
        arriving = self.state.arriving
        if arriving is None or not self.state.is_growing or self.is_review(tab):
            return False
        return arriving.complete <= tab and not self.state.pages[tab].is_field

    def plan(self, tab: int) -> TabPlan:
        """Return what a tab shows; to be asked once."""
        key = (self.height, len(self.asides(tab)), self.filters(tab), self.draft_key(tab))
        plan = self.cache.remember((tab, "plan", key, self.state.before_on(tab)), lambda: self._planned(tab))
        facts = self.facts(tab)
        if facts.tallest and not (plan.preview or facts.grid.beside):
            self.signs.add(tab)
        return plan

    def _planned(self, tab: int) -> TabPlan:
        facts, shown, cut_question = self.facts(tab), RowDetail.WHOLE, False
        question, beside, preview, on_side = facts.question, facts.beside, facts.preview, facts.grid.beside
        recalled = self.state.before_on(tab) is not None
        free = self.height - HEAD - KEYS - len(self.asides(tab)) - self.filters(tab)
        least = 0 if on_side else preview

        def over() -> int:
            rows = self.middle(tab, shown, beside=beside, preview=0 if on_side else least)
            return len(question) + rows + recalled - free

        recalled = recalled and over() <= 0
        if over() > 0 and not beside and self._saves_beside(tab):
            beside = True
        if least and (by := over()) > 0:
            least = least - by if least - by >= LEAST_PREVIEW else 0
            self.signs |= set() if least else {tab}
        if over() > 0 and self.state.questions.is_agreement:
            shown = RowDetail.SHORT  # what is agreed to gives way last
        if over() > 0 and not self.is_review(tab):
            first, last = (1, 2) if self.low else (2, 2)
            keep = max(first, len(question) - over() - last), last
            width = Grid(self.look.width, self.low).room(AT_ASIDE)
            short = parts.folded(question, keep, width - self.low, self.palette)
            question, cut_question = short, len(short) < len(question)
        while over() > 0 and shown < RowDetail.SHORT:
            shown = RowDetail(shown + 1)
        if over() > 0:
            if len(question) > 1:
                width = Grid(self.look.width, self.low).room(AT_ASIDE)
                question, cut_question = parts.cut_lines(question, 1, width), True
            if over() > 0:
                shown = RowDetail.SCROLLED
        left = free - len(question) - recalled - (0 if on_side else least)
        rows = self.middle(tab, shown, beside=beside, preview=preview if on_side else 0)
        blanks = 0 if self.low else max(0, min(BLANKS, left - rows))
        return TabPlan(
            question, cut_question, shown, beside, left - blanks, 0 if on_side else least, recalled, blanks
        )

    def _saves_beside(self, tab: int) -> bool:
        """Whether descriptions take fewer lines beside the labels, with enough room there."""
        facts = self.facts(tab)
        if not facts.column or facts.grid.text - facts.column < LEAST_ABOUT:
            return False
        under, beside = (self.middle(tab, RowDetail.WHOLE, beside=each, preview=0) for each in (False, True))
        return beside < under

    def review_row(self, row: int, *, brief: bool) -> Sequence[Text]:
        state, palette = self.state, self.palette
        width = Grid(max(LEAST_WIDTH, self.look.width), self.low).text

        def texts() -> Sequence[Text]:
            if row == len(state.pages):
                return parts.submit_row(state, width, palette)
            found = parts.review_row(state.pages[row], width, palette)
            if not brief:
                return found
            # Each text takes one line: those behind the first begin with a sign.
            grouped: list[list[Text]] = []
            for line in found:
                if not grouped or line.plain[:2].strip() in ("→", "✎"):
                    grouped.append([])
                grouped[-1].append(line)
            return [parts.cut_lines(group, 1, width)[0] for group in grouped]

        return self.cache.remember(("review", row, brief, self.draft_key(row)), texts)
