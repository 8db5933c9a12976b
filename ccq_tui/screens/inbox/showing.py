"""The part of the inbox screen that draws it: head, list, what is known of a request, and keys."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import islice

from rich.text import Text
from textual.containers import Vertical
from textual.widgets import Static

from ccq_tui.inbox import PlanRequest
from ccq_tui.screens.inbox.drawing import about, list_lines, plan_lines
from ccq_tui.screens.inbox.hints import key_hints
from ccq_tui.screens.inbox.listing import InboxList, InboxRow
from ccq_tui.screens.inbox.port import InboxHost
from ccq_tui.screens.overlay import Overlay
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.lifetime import after_refresh, is_live, soon
from ccq_tui.widgets.lines import Flow, Line, LineView
from ccq_tui.widgets.notice_line import NoticeLine
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.widgets.panel.field import AnswerField
from ccq_tui.widgets.panel.measures import key_lines
from ccq_tui.widgets.question import QuestionPanel
from ccq_tui.widgets.sight import SightView, more_line
from ccq_tui.widgets.texts import TextLines

AGES_SECONDS = 10.0
"""How often the ages are drawn anew."""
SAID_SECONDS = 20.0
MORE_FRAME = 6
"""Cells beside the row that says how much more of a plan there is."""
Panel = QuestionPanel | DecisionPanel


def undelivered_title(count: int) -> str:
    """Say how many confirmed answers have not reached Claude, and where they are."""
    return f"{count} answer{'s' if count != 1 else ''} not delivered (F5)"


class InboxBody(Vertical):
    """The part of the screen above what is said and the keys."""


class Showing(Overlay[InboxRow | None]):
    """Draws the state of the list, and says what happened.

    Args:
        host: The program around it.
        said: What there is to say at first, or "".
        clock: Returns seconds of a monotonic clock.

    Attributes:
        state: The list as it is looked at.
        answered: The request whose panel is open, or None.
        panel: The panel that is open, or None.
        declining: The request about which it is asked whether to decline it, and since when; or None.
        undelivered: How many confirmed answers wait for their sessions to be resumed.
        finding: Whether letters are what to find although nothing is typed yet.
    """

    def __init__(
        self, host: InboxHost, *, said: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self.host = host
        self.clock = clock
        self.said = said
        self.state = InboxList()
        self.answered: InboxRow | None = None
        self.panel: Panel | None = None
        self.declining: tuple[str, float] | None = None
        self.finding = False
        self.undelivered = 0
        self._drawn: tuple[object, ...] = ()
        self._lines: list[Line] = []
        self._about: tuple[object, ...] = ()
        self._title: Text | None = None
        self._palette: Palette | None = None

    @property
    def field(self) -> AnswerField:
        """The field for what to find; it has the keys of the list."""
        return self.query_one("#filter", AnswerField)

    @property
    def finds(self) -> bool:
        """Whether letters are what to find, and none is a key."""
        return self.finding or bool(self.state.filter)

    @property
    def about_view(self) -> SightView:
        """What is known of the request under the cursor; while a plan is decided on, the plan."""
        return self.query_one("#inbox-about", SightView)

    @property
    def decided_plan(self) -> PlanRequest | None:
        """The plan whose panel is open, or None."""
        request = self.answered.stored.request if self.panel is not None and self.answered else None
        return request if isinstance(request, PlanRequest) else None

    def unseen_of_plan(self) -> tuple[int, bool]:
        """Return how many lines of the plan were never on the screen, and whether there are more."""
        return self.about_view.unseen, self.about_view.goes_on

    def say_more(self) -> None:
        """Say under a plan how much more of it there is."""
        view, more = self.about_view, self.query_one("#inbox-more", TextLines)
        scrolls = self.decided_plan is not None and (view.above or view.below or view.goes_on)
        if scrolls and more.has_class("-off"):
            # The row takes a line of the plan that nobody can have read yet.
            after_refresh(self, view.look_anew)
        more.set_class(not scrolls, "-off")
        if scrolls:
            width = self.app.size.width - MORE_FRAME
            more.show([more_line(view, width, palette_of(view), down="PgDn", up="PgUp")])

    def find(self, on: bool) -> None:
        """Let letters be what to find, or keys again."""
        self.finding = on
        self.draw()

    def forget(self, row: InboxRow) -> None:
        """Take a request out of the list."""
        self.show(self.state.without(row.id))

    def say(self, text: str, seconds: float = SAID_SECONDS) -> None:
        """Say something above the keys for some seconds."""
        if self.is_running and self.is_attached:
            self.query_one(NoticeLine).say(text, seconds)
        else:
            self.host.tell(text)

    def show(self, state: InboxList) -> None:
        """Show another state of the list."""
        if state != self.state:
            self.state = state
            self.draw()

    def panel_changed(self) -> None:
        """Give the list's place to what the agent wrote, and the keys to the panel; or take both back."""
        answering = self.panel is not None
        self.set_class(answering, "-answering")
        self.query_one(HintBar).set_class(answering, "-off")
        if not answering:
            self.set_focus(self.field, scroll_visible=False)
        self.draw()

    def on_resize(self) -> None:
        """Wrap anew."""
        if is_live(self):
            self.draw()

    def draw(self) -> None:
        """Draw everything around the panel."""
        if not self.is_attached or self.query_one_optional(HintBar) is None:
            return
        body, width = self.query_one(InboxBody), self.app.size.width
        palette, now, state = palette_of(body), datetime.now(UTC), self.state
        count, shown = len(state.rows), len(state.shown)
        wait = f"{count} wait{'s' if count == 1 else ''} for you" if count else ""
        words = f"{shown} of {count}" if state.filter else wait
        late = f" · {undelivered_title(self.undelivered)}" if self.undelivered else ""
        title = Text.assemble((" ◆ Inbox", palette.accent), (f" · {words}" if words else "", palette.muted))
        title.append(late, palette.warning)
        if title != self._title or palette != self._palette:
            # Each update lays the whole screen out anew.
            self._title, self._palette = title, palette
            self.query_one("#inbox-title", Static).update(title)
        self.field.styles.height = self.field.styles.min_height = 1 if self.finds else 0
        made_for = (
            state.rows,
            state.filter,
            state.grouped,
            width,
            palette,
            int(now.timestamp() // AGES_SECONDS),
        )
        if made_for != self._drawn:
            self._drawn, self._lines = made_for, list_lines(state, now, width - 1, palette)
        view = self.query_one("#inbox-list", LineView)
        view.show(self._lines, state.cursor if state.shown else None, palette.cursor)
        row = self.answered or state.under
        drawn = (row, width, palette, self.panel is None)
        if drawn != self._about:
            self._about = drawn
            if (plan := self.decided_plan) is not None:
                # All of it, and nothing else that would take its lines.
                self.about_view.show_flow(Flow(plan_lines(plan, width, palette)))
            else:
                lines = about(row, now, width, palette, asked=self.panel is None) if row else iter(())
                self.about_view.show_flow(Flow(islice(lines, 5_000)))
        self.about_view.set_class(row is None, "-off")
        after_refresh(self, self.say_more)
        hints = key_hints(state, self.host.way_back(), finds=self.finds, declining=self.declining is not None)
        self.query_one(HintBar).show(hints, most_lines=key_lines(self.app.size.height))
        notices = self.query_one(NoticeLine)
        notices.leave_room(self.panel is not None)
        notices.stand(self._question() if self.declining else "")

    def _question(self) -> str:
        row = self.state.get(self.declining[0]) if self.declining else None
        return f"Decline “{row.question}”?" if row else ""

    def notify_style_update(self) -> None:
        """Draw anew when the theme changed."""
        super().notify_style_update()
        if is_live(self):
            soon(self, self.draw)
