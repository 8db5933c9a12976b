"""One picture of a question panel: what each of its parts shows."""

from __future__ import annotations

from functools import cached_property

from rich.text import Text

from ccq_tui.questions.keys import hints
from ccq_tui.questions.state import Focus
from ccq_tui.text import one_line
from ccq_tui.widgets.hints import Hints
from ccq_tui.widgets.lines import Flow, Line
from ccq_tui.widgets.question.measures import PREVIEW_RULE, Cache, Measures
from ccq_tui.widgets.question.preview import preview_height, preview_lines

__all__ = ["Cache", "Drawing"]

PREVIEW_MARGIN = 8
SCROLL_HINT = ("Shift+↑↓", "scroll")


class Drawing(Measures):
    """One picture of a panel."""

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
    def lines(self) -> list[Line]:
        """The lines of the tab shown."""
        return self._lines(self.state, self.state.tab, airy=self.airy)

    @cached_property
    def keys(self) -> Hints:
        """The keys worth showing; how to scroll is among the first when not all lines are seen."""
        keys = hints(self.state)
        scrolls = self.state.focus in (Focus.LIST, Focus.REVIEW) and not self.preview_at
        return (*keys[:2], SCROLL_HINT, *keys[2:]) if scrolls and len(self.lines) > self.middle else keys

    @cached_property
    def preview(self) -> Flow | None:
        """The lines of the preview, or None when there is none to draw."""
        if not self.preview_at:
            return None
        large = self.preview_at == "large"
        list_width = self.list_width(self.state.tab) if self.preview_at == "beside" else 0
        width = self.width - list_width - PREVIEW_MARGIN
        key = ("preview", self.state.page.question, self.state.page.cursor, width, large)
        lines = preview_lines(self.state, width, self.palette, large=large)
        return self._remember(key, lambda: Flow(lines))

    @property
    def preview_height(self) -> int:
        """Lines of a preview under the list, its rule included."""
        wanted = preview_height(self.state, self.state.tab) + PREVIEW_RULE
        return min(wanted, max(self.middle - len(self.lines), self.middle // 2))

    @property
    def preview_title(self) -> Text:
        """The label of what is previewed."""
        page = self.state.page
        if page.is_field:
            return Text("Question")
        if page.cursor >= page.other_row:
            return Text("Other")
        return Text(one_line(page.question.options[page.cursor].title, max(4, min(40, self.width - 14))))
