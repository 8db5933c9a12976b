"""The inside of a panel: the lines that show a question set, and what is under a click."""

from collections.abc import Callable, Iterable

from textual import events
from textual.widget import Widget

from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.questions.events import Clicked, Seen, TabClicked
from ccq_tui.questions.state import PanelState, opened
from ccq_tui.widgets.decision.layout import DecisionLayout
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.lines import LineView
from ccq_tui.widgets.measures import PanelProps
from ccq_tui.widgets.question.layout import PanelLayout, Scrolled
from ccq_tui.widgets.question.parts import TAB_META, wrapped_once
from ccq_tui.widgets.question.tab import Cache

NOTHING = opened(QuestionSet("", (Question("", "", (Option(""),)),)))
"""The state of a panel that asks nothing."""


class PanelForm:
    """The widgets that show the question set of a panel, and what of it is scrolled and seen."""

    def __init__(self) -> None:
        self.body = LineView(id="list")
        self.body.painted = lambda lines: self.drawn.paint(lines) if self.drawn is not None else None
        self.preview = LineView(id="preview", classes="-off")
        self.drawn: PanelLayout | None = None
        """What is drawn, or None."""
        self._cache = Cache()
        self._cached_for: object = None
        self._scrolled = Scrolled()
        self._seen_at: tuple[int, object, bool] | None = None
        self._seen_whole: object = None
        """The set to agree to, once all of it was on the screen."""

    def compose(self) -> Iterable[Widget]:
        return self.body, self.preview

    def forget(self) -> None:
        self._cache, self._cached_for = Cache(), None
        self.drawn = self._seen_at = self._seen_whole = None
        self._scrolled = Scrolled()
        wrapped_once.cache_clear()

    def under(self, event: events.MouseEvent) -> tuple[type[Clicked | TabClicked], int] | None:
        tab = event.style.meta.get(TAB_META)
        if tab is not None:
            return TabClicked, tab
        row = self.body.row_on_screen(event.screen_offset)
        beside = self.drawn is not None and self.drawn.preview is not None
        on_preview = beside and self.preview.region.contains_point(event.screen_offset)
        return None if row is None or on_preview else (Clicked, row)

    def sight(self, state: PanelState, unseen_above: Callable[[], tuple[int, bool]]) -> Seen:
        """Return the rows on the screen, and how much was never there of what a person agrees to."""
        if (drawn := self.drawn) is None:
            return Seen(frozenset())
        above, more = unseen_above() if state.questions.editable and not state.large else (0, False)
        here = (state.questions.id, state.edited)
        unseen, more = drawn.unseen + above, more or drawn.flow.goes_on
        # Without lines of its own, it is the transcript that shows a plan, which may be behind.
        if not (unseen or more) and (drawn.flow.lines or not state.page.question.acts):
            self._seen_whole = here
        return Seen(drawn.in_sight) if self._seen_whole == here else Seen(drawn.in_sight, unseen, more)

    def seek(self) -> None:
        self._scrolled.loose = False

    def scroll(self, by: int, *, pages: bool = False) -> bool:
        """Scroll the preview, or a list that has none; return whether there is anything to scroll."""
        drawn = self.drawn
        if drawn is None or not (drawn.scrolls_lines or drawn.scrolls_rows):
            return False
        by *= drawn.page_lines if pages else 1
        if drawn.scrolls_lines:
            self._scrolled.lines += by
        else:
            self._scrolled.top, self._scrolled.loose = self._scrolled.top + by, True
        return True

    def draw(self, state: PanelState, props: PanelProps, hints: HintBar) -> PanelLayout:
        made_for = (props.width, props.screen_height, props.palette, state.questions)
        if self._cached_for != made_for:
            self._cached_for, self._cache = made_for, Cache()
        page, decides = state.page, bool(state.page.question.acts)
        row = state.edited if decides else state.review_row if state.in_review else page.cursor
        seen_at = (state.tab, row, state.large)
        if self._seen_at != seen_at:
            top = self._scrolled.top if self._seen_at and self._seen_at[0] == state.tab else 0
            self._seen_at, self._scrolled = seen_at, Scrolled(top)
        layout = DecisionLayout if decides else PanelLayout
        self.drawn = drawn = layout(state, props, self._scrolled, self._cache)
        self.body.styles.height = len(drawn.lines)
        # Equal lines are the same ones: then a move draws two rows.
        lines = self.body.lines if drawn.lines == self.body.lines else drawn.lines
        self.body.show(lines, drawn.cursor)
        self.preview.set_class(drawn.preview is None, "-off")
        if drawn.preview is not None:
            place, lines = drawn.preview
            self.preview.styles.offset = place.offset
            self.preview.styles.width, self.preview.styles.height = place.size
            self.preview.show(lines)
        hints.show(drawn.keys)
        return drawn
