"""Measures and lays out a question panel: which lines, how high, and where the preview goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

from rich.text import Text

from ccq_tui.questions.keys import has_preview, hints
from ccq_tui.questions.state import TEXT_FOCUSES, PanelState
from ccq_tui.text import one_line
from ccq_tui.widgets.hints import hint_text
from ccq_tui.widgets.lines import Line
from ccq_tui.widgets.palette import Palette
from ccq_tui.widgets.question.header import tab_lines, title_line
from ccq_tui.widgets.question.preview import preview_height, preview_lines
from ccq_tui.widgets.question.review import review_lines
from ccq_tui.widgets.question.rows import page_lines

MOST_OF_SCREEN = 0.6
LARGE_PART = 0.85
"""The part of the screen's height that a panel takes at most, and with its preview large."""
BESIDE_FROM = 100
"""From this width the preview stands beside the list."""
LOW_SCREEN = 18
"""Below this height the panel saves lines: one line of keys, no title above the tabs."""
FEWEST_UNDER = 9
"""Lines of middle below which a preview under the list would leave the list too small."""
RULE = 1
FIELD_LINES = 5
FRAME = 2
FEWEST = 6
MOST_REMEMBERED = 64


def is_low(screen_height: int) -> bool:
    """Whether a screen is so low that a panel saves lines."""
    return screen_height < LOW_SCREEN


Cache = dict[object, list[Line]]
"""Lines laid out before, by everything they depend on; good for one width and one palette."""


@dataclass
class Drawing:
    """One picture of a panel.

    Attributes:
        state: What to draw.
        width: Cells of the panel.
        screen_height: Lines of the whole screen, of which the panel takes a part.
        palette: The styles.
        session: The session's name.
        place: Which of how many waiting requests this is.
        cache: Lines of earlier pictures of the same width and palette.
    """

    state: PanelState
    width: int
    screen_height: int
    palette: Palette
    session: str
    place: tuple[int, int]
    cache: Cache

    @property
    def cursor(self) -> int | None:
        """The row under the cursor, or None where there is none."""
        if self.state.in_review:
            return self.state.review_row
        return None if self.state.page.is_field else self.state.page.cursor

    @property
    def hint_lines(self) -> int:
        """How many lines the keys may take."""
        return 1 if self._low else 2

    @property
    def right(self) -> str:
        """The word at the right end of the keys: which tab of how many."""
        return f"{self.state.tab + 1}/{len(self.state.pages) + 1}" if self.state.needs_review else ""

    @cached_property
    def head(self) -> list[Text]:
        """The title and the tabs."""
        tabs = tab_lines(self.state, self.width, self.palette)
        if tabs and self._low and self.place[1] == 1:
            return tabs
        return [title_line(self.state, self.width, self.session, self.place, self.palette), *tabs]

    @cached_property
    def preview_at(self) -> str:
        """Where the preview is: "beside" the list, "under" it, "large" instead of it, or "" for nowhere."""
        if self.state.large and has_preview(self.state):
            return "large"
        if self.state.in_review or not any(o.preview for o in self.state.page.question.options):
            return ""
        if self.width >= BESIDE_FROM:
            return "beside"
        return "under" if self._most - self._around >= FEWEST_UNDER else ""

    @property
    def preview_height(self) -> int:
        """Lines of a preview under the list, its frame included."""
        return min(preview_height(self.state.page) + FRAME, (self._most - self._around) // 2)

    @cached_property
    def lines(self) -> list[Line]:
        """The lines of the tab shown."""
        return self._tab(self.state.tab)

    @cached_property
    def preview(self) -> list[Line]:
        """The lines of the preview."""
        if not self.preview_at:
            return []
        page, large = self.state.page, self.preview_at == "large"
        width = self.width - (self._list_width if self.preview_at == "beside" else 0) - 8
        key = ("preview", page.question, page.cursor, width, large)
        return self._remember(key, lambda: preview_lines(page, width, self.palette, large=large))

    @property
    def preview_title(self) -> Text:
        """The label of what is previewed."""
        page = self.state.page
        if page.cursor >= page.other_row:
            return Text("Other")
        return Text(one_line(page.question.options[page.cursor].title, 40))

    @cached_property
    def height(self) -> int:
        """Lines of the panel: the same for all tabs of one set."""
        if self.preview_at == "large":
            return int(self.screen_height * LARGE_PART)
        tabs = range(len(self.state.pages) + self.state.needs_review)
        middle = max(len(self._tab(tab)) + self._under(tab) for tab in tabs)
        if self.preview_at == "beside":
            middle = max(middle, *(preview_height(page) + FRAME for page in self.state.pages))
        return min(self._around + middle, self._most)

    @property
    def _low(self) -> bool:
        return is_low(self.screen_height)

    @property
    def _most(self) -> int:
        return max(FEWEST, int(self.screen_height * MOST_OF_SCREEN))

    @cached_property
    def _around(self) -> int:
        keys = hint_text(hints(self.state), self.right, self.width, self.hint_lines, self.palette)
        return RULE + len(self.head) + self._field_height + keys.plain.count("\n") + 1

    @property
    def _field_height(self) -> int:
        if self.state.focus not in TEXT_FOCUSES:
            return 0
        text = self.state.text
        return (not self._low) + min(FIELD_LINES, text.count("\n") + 1 + len(text) // max(1, self.width - 8))

    @property
    def _list_width(self) -> int:
        return self.width * 45 // 100 - 1 if self.preview_at == "beside" else self.width - 1

    def _tab(self, tab: int) -> list[Line]:
        state, width, pages = self.state, self._list_width, self.state.pages
        # All that the lines of a tab depend on; those of the other tabs do not depend on the focus.
        here = (state.focus, state.notice, state.review_row) if tab == state.tab else None
        key = (tab, width, here, pages if tab == len(pages) else pages[tab])
        draw = review_lines if tab == len(pages) else partial(page_lines, tab=tab, airy=not self._low)
        return self._remember(key, lambda: draw(state, width=width, palette=self.palette))

    def _under(self, tab: int) -> int:
        if self.preview_at == "beside" or tab == len(self.state.pages):
            return 0
        height = preview_height(self.state.pages[tab])
        return height + FRAME if height else 0

    def _remember(self, key: object, make: Callable[[], list[Line]]) -> list[Line]:
        if key not in self.cache:
            if len(self.cache) > MOST_REMEMBERED:
                self.cache.clear()
            self.cache[key] = make()
        return self.cache[key]
