"""The part of the screen that tells how things stand: status line, keys, title, and the desktop elsewhere."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace

from textual import on
from textual.message import Message
from textual.reactive import Reactive
from textual.timer import Timer

from ccq_tui.agent.events import TurnEnded
from ccq_tui.compat.textual.driver import write
from ccq_tui.questions.events import Shown
from ccq_tui.screens.notifying import Bar, has_progress, notification, progress, wanted_protocol
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.session.branch import git_branch
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.footer import SEARCHING, Hints, prompt_hints
from ccq_tui.screens.session.news import Tidings, bar_of, news_of
from ccq_tui.screens.session.panels import Panel
from ccq_tui.screens.terminal import set_title
from ccq_tui.supervisor.events import SessionEvent
from ccq_tui.supervisor.session import SupervisedSession
from ccq_tui.widgets.keys import keymap_for
from ccq_tui.widgets.lifetime import is_live, start_work
from ccq_tui.widgets.search_bar import SearchBar
from ccq_tui.widgets.status_line import StatusLine


class Telling(SessionBase):
    """Keeps status line, keys and title true, and calls who is needed and looks elsewhere."""

    title: Reactive[str | None] = Reactive(None, compute=False, repaint=False)
    """The terminal's; Textual would draw the whole screen for another one, which stands nowhere on it."""

    def __init__(self, session: SupervisedSession) -> None:
        super().__init__(session)
        launch, settings = session.launch, session.launch.settings
        if settings.questions == "adaptive":
            self.view = replace(self.view, most_rounds=settings.max_question_rounds)
        self._environment = {**os.environ, **launch.environment}
        self._protocol = wanted_protocol(settings.notify, self._environment)
        self._has_bar = has_progress(settings.progress, self._environment)
        self._bar = Bar.NONE
        self._news: list[str] = []
        self._seen: tuple[Panel, int] | None = None
        self._second_hand: Timer | None = None
        self._counting = True

    class NewsTold(Message):
        """Something happened in a session that is not on the screen."""

        def __init__(self, screen: SessionBase, news: str) -> None:
            super().__init__()
            self.screen = screen
            self.news = news

    def on_mount(self) -> None:
        """Count the seconds, as long as there is something to count."""
        self._second_hand = self.set_interval(1.0, self._count_second)
        self.watch(self.app, "app_focus", self._focus_changed, init=False)
        self._look_at_branch()
        self.changed()

    def on_unmount(self) -> None:
        """Leave nothing in the task bar."""
        self._show_bar(Bar.NONE)

    def on_screen_suspend(self) -> None:
        """Remember which request was seen in which panel."""
        panel = self.dock.panel
        self._seen = (panel, panel.turn) if panel is not None else None

    def on_screen_resume(self) -> None:
        """Let a panel ignore what was meant for the screen that covered it."""
        self.title = None  # another session may have put its own there
        panel = self.dock.panel if is_live(self) else None
        if panel is not None and (panel, panel.turn) != self._seen:
            panel.dispatch(Shown(self.clock()))
        elif panel is not None:
            self.dock.uncover()
        self.changed()

    def handle(self, event: SessionEvent) -> None:
        """Note what somebody would want to hear of."""
        super().handle(event)
        if isinstance(event, TurnEnded):
            self._look_at_branch()
        news = news_of(event, self.launch.settings.notify_after)
        if news:
            self._news.append(news)

    def changed(self) -> None:
        """Draw status line, keys and title, and tell the news of a burst at once."""
        super().changed()
        if not is_live(self):
            return
        if not self._counting and self._second_hand is not None:
            self._counting = True
            self._second_hand.reset()
        self.query_one(StatusLine).show(self.view.pieces(self.clock()))
        title = self.view.terminal_title(len(self.waiting.items))
        if self.in_front and title != self.title:
            self.title = title
            set_title(self.app, title)
        self.dock.show_keys(self._keys())
        self._tell()
        if self.in_front:
            self._show_bar(Bar.NONE if self.app.app_focus else bar_of(self.view.state))

    def _count_second(self) -> None:
        """Draw what goes on with time; a screen on which nothing does wakes nobody."""
        self.changed()
        if not self.counts_seconds and self._second_hand is not None:
            self._counting = False
            self._second_hand.pause()

    def _keys(self) -> Hints:
        if self.query_one(SearchBar).is_open:
            return SEARCHING
        prompt = self.dock.prompt
        queued = prompt.has_queued and not prompt.field.text
        return prompt_hints(self.view.state, len(self.dock.line.items), keymap_for(self), queued=queued)

    @on(Dock.LineChanged)
    def _line_changed(self) -> None:
        self.changed()

    def _focus_changed(self) -> None:
        self.changed()

    def _tell(self) -> None:
        news, self._news = self._news, []
        if not news:
            return
        tidings = Tidings.of(self.view.name, news)
        if not self.in_front:
            self.post_message(self.NewsTold(self, tidings.body))
        elif self.app.app_focus:
            return
        if self.launch.settings.bell:
            self.app.bell()
        if self.app.app_focus:
            return
        write(self.app, notification(self._protocol, tidings.title, tidings.body, self._environment))

    def _show_bar(self, bar: Bar) -> None:
        if self._has_bar and bar is not self._bar:
            self._bar = bar
            write(self.app, progress(bar, self._environment))

    def _look_at_branch(self) -> None:
        async def look() -> None:
            branch = await asyncio.to_thread(git_branch, self.view.cwd)
            if branch != self.view.branch:
                self.view = replace(self.view, branch=branch)
                self.changed()

        start_work(self, look, name="branch", group="branch", exclusive=True)
