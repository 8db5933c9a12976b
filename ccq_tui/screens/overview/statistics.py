"""The statistics over the overview: how long agents waited for a person."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from ccq_tui.inbox import InboxError
from ccq_tui.inbox.durable import DurableInbox
from ccq_tui.inbox.store import Store
from ccq_tui.inbox.wait_charts import chart_lines, charts, summary_lines
from ccq_tui.inbox.wait_statistics import (
    WaitPage,
    WaitStatistics,
    first_day,
    projects_of,
    wait_statistics,
    waits_of,
)
from ccq_tui.key_uses import KeyUse, by_key
from ccq_tui.screens.overlay import Overlay
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.keys import keymap_for
from ccq_tui.widgets.lifetime import start_work
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.worktrees.model import checkout_of

STATISTICS = "Statistics"
STATISTICS_KEYS = (
    KeyUse(("up", "k", "shift+up"), "up", "Scroll up a line"),
    KeyUse(("down", "j", "shift+down"), "down", "Scroll down a line"),
    KeyUse(("pageup",), "page_up", "Scroll up a page"),
    KeyUse(("pagedown", "space"), "page_down", "Scroll down a page"),
    KeyUse(("home",), "first", "Go to the top"),
    KeyUse(("end",), "last", "Go to the end"),
    KeyUse(("left", "h"), "shorter", "Show a shorter period"),
    KeyUse(("right", "l"), "longer", "Show a longer period"),
    KeyUse(("escape", "s", "f5"), "leave", "Leave"),
)
STATISTICS_ACTIONS = by_key(STATISTICS_KEYS)

SPANS = ((1, "today"), (7, "7 days"), (14, "14 days"), (28, "28 days"), (365, "a year"))
"""The spans to choose from, in days, and their words."""
FIRST_SPAN = 2


class StatisticsBody(Vertical):
    """The part of the screen above the keys."""


class StatisticsScreen(Overlay[None]):
    """Shows charts of how long agents waited for a person."""

    DEFAULT_CSS = """
    StatisticsScreen {
        background: $background;
        & > StatisticsBody {
            background: $surface;
            & > #statistics-title { height: 1; }
            & > VerticalScroll { height: 1fr; scrollbar-size-vertical: 1; }
            & > VerticalScroll > Static { height: auto; padding: 0 1; }
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = []
    help_place = STATISTICS
    makes_way = True

    def __init__(
        self, inbox: DurableInbox, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        super().__init__()
        self._inbox = inbox
        self._now = now
        self._span = FIRST_SPAN
        self._made: WaitStatistics | None = None
        self._problem = ""

    def compose(self) -> ComposeResult:
        with StatisticsBody():
            yield Static("", id="statistics-title", markup=False)
            with VerticalScroll(can_focus=False):
                yield Static("", id="statistics-charts", markup=False)
            yield HintBar()

    def on_mount(self) -> None:
        self.draw()
        self._read_anew()

    def on_resize(self) -> None:
        self.draw()

    # -- keys ---------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Scroll, choose another span, or leave."""
        if self.passes_on(event):
            event.stop()
            return
        for key in keymap_for(self).list_keys(letters=True).get(event.key, (event.key,)):
            if action := STATISTICS_ACTIONS.get(key):
                event.stop()
                self._do(action)

    def _do(self, action: str) -> None:
        scroll = self.query_one(VerticalScroll)
        page = max(1, scroll.size.height - 1)
        match action:
            case "leave":
                self.dismiss(None)
            case "shorter":
                self._look_at(self._span - 1)
            case "longer":
                self._look_at(self._span + 1)
            case "first":
                scroll.scroll_home(animate=False, force=True)
            case "last":
                scroll.scroll_end(animate=False, force=True)
            case _:
                lines = {"up": -1, "down": 1, "page_up": -page, "page_down": page}[action]
                scroll.scroll_relative(y=lines, animate=False, force=True)

    def _look_at(self, span: int) -> None:
        if 0 <= span < len(SPANS) and span != self._span:
            self._span = span
            self.query_one(VerticalScroll).scroll_home(animate=False, force=True)
            self.draw()
            self._read_anew()

    # -- reading ------------------------------------------------------------------------------------------

    def _read_anew(self) -> None:
        start_work(self, partial(self._read, self._span), name="statistics", group="statistics")

    async def _read(self, span: int) -> None:
        until = self._now()
        since = first_day(until, SPANS[span][0])
        try:
            projects = await self._inbox.run(lambda store: projects_of(store, checkout_of))
            pages = [WaitPage()]
            while not pages[-1].last and span == self._span:
                # A page at a time, so that requests and answers meanwhile need not wait for all of them.
                pages.append(await self._inbox.run(partial(_next_page, pages[-1], since)))
        except InboxError as error:
            self._problem = f"The inbox cannot be read: {error} · Esc, then s tries again"
            self.draw()
            return
        made = await asyncio.to_thread(_added_up, pages, projects, since, until)
        if span == self._span:
            self._made = made
            self.draw()

    # -- drawing ------------------------------------------------------------------------------------------

    def draw(self) -> None:
        if not self.has_parts:
            return
        palette = palette_of(self.query_one(StatisticsBody))
        title = Text.assemble(
            (" ◆ ", palette.accent),
            ("Agents waited for you", palette.strong),
            (f" · {SPANS[self._span][1]}", palette.muted),
        )
        self.query_one("#statistics-title", Static).update(title)
        if self._problem:
            words = Text(self._problem, palette.plain)
        elif self._made is None:
            words = Text("Reading …", palette.muted)
        else:
            words = drawn(self._made, self.app.size.width - 3, palette)
        self.query_one("#statistics-charts", Static).update(words)
        self.query_one(HintBar).show((("Esc", "back"), ("← →", "another period"), ("↑↓ PgUp PgDn", "scroll")))


def drawn(made: WaitStatistics, width: int, palette: Palette) -> Text:
    """Return statistics as drawn in ``width`` cells."""
    lines = [Text(line, palette.plain) for line in summary_lines(made)]
    for chart in charts(made):
        lines += [Text(), Text(chart.title, palette.accent)]
        for name, bar, words in chart_lines(chart, width):
            lines.append(
                Text.assemble(
                    "  ", (name, palette.plain), "  ", (bar, palette.accent), "  ", (words, palette.muted)
                )
            )
    return Text("\n").join(lines)


def _next_page(page: WaitPage, since: datetime, store: Store) -> WaitPage:
    return page.next(store, since)


def _added_up(
    pages: list[WaitPage], projects: Mapping[str, str], since: datetime, until: datetime
) -> WaitStatistics:
    return wait_statistics(waits_of(pages, projects), since, until)
