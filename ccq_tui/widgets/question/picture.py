"""One picture of a question panel: the content of each part, and one height that suits all tabs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar, cast

from rich.text import Text

from ccq_tui.questions.keys import has_preview, hints
from ccq_tui.questions.model import CLAUDE
from ccq_tui.questions.prose import shown_label
from ccq_tui.questions.state import TEXT_FOCUSES, Focus, PanelState, resting_focus
from ccq_tui.text import one_line
from ccq_tui.widgets.hints import NARROW, HintLines, Hints
from ccq_tui.widgets.lines import DrawnLine, Flow
from ccq_tui.widgets.panel.measures import (
    FIELD_LINES,
    PanelLook,
    field_height,
    head_line,
    is_low,
    most_lines,
)
from ccq_tui.widgets.question.captions import (
    cut_from_head,
    label_lines,
    tabs,
    who_asks,
)
from ccq_tui.widgets.question.pages import (
    MARKS,
    PREVIEW_SIGN,
    page_lines,
    preview_height,
    preview_lines,
    review_lines,
)

BESIDE_FROM = 100
"""Width in cells from which the preview is beside the list."""
LIST_PERCENT = 45
"""Percentage of the width that the list keeps beside a preview."""
FIELD_AT = 3
FEWEST_UNDER = 7
"""Fewest lines of the middle for a preview under the list: with fewer, the list would be too small."""
PREVIEW_RULE = 1
PREVIEW_FRAME = 2
PREVIEW_MARGIN = 8
SCROLL = "Shift+↑↓"
FEWEST_ROWS = 1
MOST_REMEMBERED = 64

Made = TypeVar("Made")
Cache = dict[object, object]
"""Earlier layouts, by everything they depend on; valid for one width and one palette."""


@dataclass
class Picture:
    """Content and height of a panel.

    Attributes:
        state: The state to draw.
        look: Everything else to draw it with.
        cache: Layouts from earlier pictures of the same width and palette.
    """

    state: PanelState
    look: PanelLook
    cache: Cache

    @cached_property
    def head(self) -> list[Text]:
        state, look = self.state, self.look
        who = who_asks(state) if look.width >= NARROW or state.asker != CLAUDE else ""
        arriving = state.arriving is not None and not state.arriving.whole
        front = state.tab + (arriving and state.in_review)
        return [head_line(who, tabs(state, look.palette), front, look, arriving=arriving)]

    @cached_property
    def label(self) -> list[Text]:
        """The lines above the text field, or the question whether to decline."""
        lines = label_lines(self.state, self.look.width, self.look.palette, low=self._low)
        return lines[: max(1, self._most - self._around - FEWEST_ROWS)]

    @property
    def field_most(self) -> int:
        """Most lines of the text field: some of the list stays in sight with it."""
        return max(1, min(FIELD_LINES, self._most - self._around - len(self.label) - FEWEST_ROWS))

    @property
    def key_lines(self) -> int:
        """Most lines of the keys."""
        return 1

    @cached_property
    def preview_at(self) -> str:
        """Place of the preview: "beside" the list, "under" it, "large" instead of it, or "" for nowhere."""
        if self.state.large and has_preview(self.state) and not self.state.in_review:
            return "large"
        where = self._preview_at(self.state.tab)
        return "" if where == "under" and self._typing_without_preview else where

    @property
    def _typing_without_preview(self) -> bool:
        """Whether the person types about a row without a preview: the question needs the place more."""
        page = self.state.page
        options = page.question.options
        return self.state.focus in TEXT_FOCUSES and not (
            page.cursor < len(options) and options[page.cursor].preview
        )

    # -- heights -------------------------------------------------------------------------------------------

    @cached_property
    def height(self) -> int:
        """Lines of the panel: the same for all tabs of one set."""
        return self._most if self.preview_at == "large" else min(self._most, self._wanted(airy=self.airy))

    @cached_property
    def airy(self) -> bool:
        """Whether there is room for blank lines between the parts."""
        return not self._low and self._wanted(airy=True, beside=False) <= self._most

    @cached_property
    def middle(self) -> int:
        """Lines between the head and what is above the keys."""
        return self.height - self._around - self._typed(self.state.tab) - self.airy

    def _wanted(self, *, airy: bool, beside: bool = True) -> int:
        tabs = range(len(self.state.pages) + self.state.needs_review)
        return self._around + airy + max(self._needs(tab, airy=airy, beside=beside) for tab in tabs)

    def _needs(self, tab: int, *, airy: bool, beside: bool) -> int:
        """Return the lines that a tab needs between head and keys, with or without a preview beside it."""
        lines = len(self._lines(self.state, tab, airy=airy))
        if tab < len(self.state.pages) and (self.state.pages[tab].filter or self.state.focus is Focus.FILTER):
            # A filter does not make the panel smaller: it would jump with every key.
            lines = max(lines, 1 + len(self._lines(self._unfiltered, tab, airy=airy)))
        preview = preview_height(self.state, tab) if tab < len(self.state.pages) else 0
        match self._preview_at(tab):
            case "beside" if beside:
                lines = max(lines, preview + PREVIEW_FRAME)
            case "under":
                lines += preview + PREVIEW_RULE
        return lines + self._typed(tab)

    def _typed(self, tab: int) -> int:
        """Return the lines of the text field of a tab and its label, as the tab is or would be shown."""
        if tab == self.state.tab:
            typing = self.state.focus in TEXT_FOCUSES
            field = (
                field_height(self.state.text, self.look.width - FIELD_AT - 1, self.field_most)
                if typing
                else 0
            )
            return len(self.label) + field
        if tab == len(self.state.pages) or not self.state.pages[tab].is_field:
            return 0
        return (not self._low) + field_height(
            self.state.pages[tab].draft.other, self.look.width - FIELD_AT - 1
        )

    @property
    def _unfiltered(self) -> PanelState:
        pages = tuple(replace(page, filter="") for page in self.state.pages)
        return replace(self.state, pages=pages, focus=Focus.LIST)

    @property
    def _low(self) -> bool:
        """Whether to save lines: one line of keys, the question in place of a title, no label."""
        return is_low(self.look.screen_height)

    @property
    def _most(self) -> int:
        return most_lines(self.look.screen_height)

    @cached_property
    def _around(self) -> int:
        """Lines of everything but the middle and the field; the keys as in the tab that has most of them."""
        states = [self.state, *self._resting(on_other=False), *self._resting(on_other=True)]
        look = self.look
        keys = max(HintLines(hints(s), "", self.key_lines, look.last_key).height(look.width) for s in states)
        return len(self.head) + keys

    def _resting(self, *, on_other: bool) -> list[PanelState]:
        """Return the state of each tab on arrival there: the keys differ, and the height must not."""
        pages = self.state.pages
        at = tuple(replace(page, cursor=page.other_row if on_other else 0) for page in pages)
        return [
            replace(self.state, pages=at, tab=tab, focus=resting_focus(pages, tab), large=False)
            for tab in range(len(pages) + self.state.needs_review)
        ]

    def _preview_at(self, tab: int) -> str:
        pages = self.state.pages
        if tab == len(pages) or not any(option.preview for option in pages[tab].question.options):
            return ""
        if self.look.width >= BESIDE_FROM:
            return "beside"
        return "under" if self._most - self._around - self._typed(tab) >= FEWEST_UNDER else ""

    # -- lines ---------------------------------------------------------------------------------------------

    def list_width(self, tab: int) -> int:
        """Return the cells that the list of a tab may fill."""
        beside = self._preview_at(tab) == "beside"
        return (self.look.width * LIST_PERCENT // 100 if beside else self.look.width) - 1

    def _lines(self, state: PanelState, tab: int, *, airy: bool) -> list[DrawnLine]:
        """Return the lines of a tab; neither they nor their key depend on where its cursor is."""
        width = self.list_width(tab)
        if tab == len(state.pages):
            drafts = tuple(page.draft for page in state.pages)
            return self._remember(
                ("review", width, airy, drafts),
                lambda: review_lines(state, width, self.look.palette, headed=not self._low, airy=airy),
            )
        page, signed = state.pages[tab], self._signs_previews(tab)
        above = cut_from_head(state, page.question, self.look.width, titled=not self._low)
        asked = False
        here = state.focus if tab == state.tab and state.focus in TEXT_FOCUSES else None
        return self._remember(
            (tab, width, airy, asked, signed, *above, here, page.draft, page.filter, state.before_on(tab)),
            lambda: page_lines(
                state,
                tab,
                width,
                self.look.palette,
                above=above,
                asked=asked,
                airy=airy,
                signed=signed,
                low=self._low,
            ),
        )

    def _remember(self, key: object, make: Callable[[], Made]) -> Made:
        found = self.cache.get(key)
        if found is None:
            if len(self.cache) > MOST_REMEMBERED:
                self.cache.clear()
            found = self.cache[key] = make()
        return cast("Made", found)

    # -- the parts -----------------------------------------------------------------------------------------

    @property
    def cursor(self) -> int | None:
        """The row under the cursor, or None where keys do not act on rows."""
        if self.state.focus is Focus.DECLINE:
            return None
        if self.state.in_review:
            return self.state.review_row
        if self.state.page.is_field:
            return 0 if self.state.focus is Focus.LIST else None
        return self.state.page.cursor

    @cached_property
    def lines(self) -> list[DrawnLine]:
        """The lines of the tab shown."""
        return self._lines(self.state, self.state.tab, airy=self.airy)

    @cached_property
    def keys(self) -> Hints:
        """The keys worth showing, with those that depend on what is in sight."""
        keys = hints(self.state)
        if self.state.focus not in (Focus.LIST, Focus.REVIEW):
            return keys
        if self.preview_at in ("beside", "under"):
            return (*keys, (SCROLL, "scroll preview"))
        if self.signs_previews:
            keys = (*keys[:2], ("p", PREVIEW_SIGN), *(key for key in keys[2:] if key[0] != "p"))
        scrolls = not self.preview_at and len(self.lines) > self.middle
        return (*keys[:3], (SCROLL, "scroll"), *keys[3:]) if scrolls else keys

    @property
    def signs_previews(self) -> bool:
        """Whether rows of the tab have previews that are not on the screen."""
        return not self.state.in_review and self._signs_previews(self.state.tab)

    def _signs_previews(self, tab: int) -> bool:
        options = self.state.pages[tab].question.options
        return not self._preview_at(tab) and any(option.preview for option in options)

    @cached_property
    def preview(self) -> Flow | None:
        """The lines of the preview, or None when there is none to draw."""
        if not self.preview_at:
            return None
        large = self.preview_at == "large"
        list_width = self.list_width(self.state.tab) if self.preview_at == "beside" else 0
        width = self.look.width - list_width - PREVIEW_MARGIN
        key = ("preview", self.state.page.question, self.state.page.cursor, width, large)
        lines = preview_lines(self.state, width, self.look.palette, large=large)
        return self._remember(key, lambda: Flow(lines))

    @property
    def preview_height(self) -> int:
        """Lines of a preview under the list, its rule included."""
        wanted = preview_height(self.state, self.state.tab) + PREVIEW_RULE
        return min(wanted, max(self.middle - len(self.lines), self.middle // 2))

    @property
    def preview_title(self) -> Text:
        """The label of the previewed row."""
        page = self.state.page
        if page.is_field:
            return Text("Question")
        if page.cursor >= page.other_row and page.question.closed:
            return Text("Question")
        if page.cursor >= page.other_row:
            return Text(f"{MARKS[page.question.multi_select][page.draft.other_on]} Other")
        option = page.question.options[page.cursor]
        label = one_line(shown_label(option.title), max(4, min(40, self.look.width - 16)))
        on = page.cursor in page.draft.selected
        return Text(f"{MARKS[page.question.multi_select][on]} {label}")
