"""The inbox screen above its keys: head, filter, list, and what is known of a request."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from ccq_tui.inbox import PlanRequest
from ccq_tui.screens.inbox.inbox_lines import about, list_lines, plan_lines
from ccq_tui.screens.inbox.inbox_list import InboxList, InboxRow
from ccq_tui.screens.overlay import ListField
from ccq_tui.widgets.lifetime import after_refresh
from ccq_tui.widgets.lines import DrawnLine, Flow, LineView, TextLines
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.widgets.sight import SightView, more_line

AGES_SECONDS = 10.0
"""How often the ages are drawn anew."""
MORE_FRAME = 6
"""Cells beside the row that says how much more of a plan there is."""
MOST_LINES = 5_000


class InboxBody(Vertical):
    """Draws the list, and what changed of it alone.

    Args:
        field: What finds, and has the keys of the list.
    """

    def __init__(self, field: ListField) -> None:
        super().__init__()
        self.field = field
        self._answered: InboxRow | None = None
        self._drawn: tuple[object, ...] = ()
        self._lines: list[DrawnLine] = []
        self._about: tuple[object, ...] = ()
        self._title: Text | None = None
        self._palette: Palette | None = None

    def compose(self) -> ComposeResult:
        """Build head, filter, list, and what is known of the request under the cursor."""
        yield Static("", id="inbox-title", markup=False)
        yield self.field
        yield LineView(id="inbox-list")
        yield SightView(id="inbox-about")
        yield TextLines(id="inbox-more", classes="-off")

    @property
    def list_view(self) -> LineView:
        """The list."""
        return self.query_one("#inbox-list", LineView)

    @property
    def about_view(self) -> SightView:
        """What is known of the request under the cursor; while a plan is decided on, the plan."""
        return self.query_one("#inbox-about", SightView)

    def unseen_of_plan(self) -> tuple[int, bool]:
        """Return how many lines of the plan were never on the screen, and whether there are more."""
        return self.about_view.unseen, self.about_view.goes_on

    @property
    def _plan(self) -> PlanRequest | None:
        """The plan that is decided on, or None."""
        request = self._answered.stored.request if self._answered else None
        return request if isinstance(request, PlanRequest) else None

    def draw(self, state: InboxList, answered: InboxRow | None, *, undelivered: int, finds: bool) -> None:
        """Draw the list as it is looked at.

        Args:
            state: The list.
            answered: The request whose panel is open, or None.
            undelivered: How many confirmed answers wait for their sessions to be resumed.
            finds: Whether letters are what to find.
        """
        self._answered = answered
        palette, now, width = palette_of(self), datetime.now(UTC), self.app.size.width
        self._draw_title(state, undelivered, palette)
        self.field.styles.height = self.field.styles.min_height = 1 if finds else 0
        age = int(now.timestamp() // AGES_SECONDS)
        made_for = (state.rows, state.filter, state.grouped, width, palette, age)
        if made_for != self._drawn:
            self._drawn, self._lines = made_for, list_lines(state, now, width - 1, palette)
        self.list_view.show(self._lines, state.cursor if state.shown else None, palette.cursor)
        row = answered or state.under
        drawn = (row, width, palette, answered is None)
        if drawn != self._about:
            self._about = drawn
            if (plan := self._plan) is not None:
                # All of it, and nothing else that would take its lines.
                self.about_view.show_flow(Flow(plan_lines(plan, width, palette)))
            else:
                lines = about(row, now, width, palette, asked=answered is None) if row else iter(())
                self.about_view.show_flow(Flow(islice(lines, MOST_LINES)))
        self.about_view.set_class(row is None, "-off")
        after_refresh(self, self.say_more)

    def _draw_title(self, state: InboxList, undelivered: int, palette: Palette) -> None:
        count = len(state.rows)
        wait = f"{count} wait{'s' if count == 1 else ''} for you" if count else ""
        words = f"{len(state.shown)} of {count}" if state.filter else wait
        title = Text.assemble((" ◆ Inbox", palette.accent), (f" · {words}" if words else "", palette.muted))
        if undelivered:
            answers = "1 answer" if undelivered == 1 else f"{undelivered} answers"
            title.append(f" · {answers} not delivered (F5)", palette.warning)
        if title != self._title or palette != self._palette:
            # Each update lays the whole screen out anew.
            self._title, self._palette = title, palette
            self.query_one("#inbox-title", Static).update(title)

    def say_more(self) -> None:
        """Say under a plan how much more of it there is."""
        view, more = self.about_view, self.query_one("#inbox-more", TextLines)
        scrolls = self._plan is not None and (view.above or view.below or view.goes_on)
        if scrolls and more.has_class("-off"):
            # The row takes a line of the plan that nobody can have read yet.
            after_refresh(self, view.look_anew)
        more.set_class(not scrolls, "-off")
        if scrolls:
            width = self.app.size.width - MORE_FRAME
            more.show([more_line(view, width, palette_of(view), down="PgDn", up="PgUp")])
