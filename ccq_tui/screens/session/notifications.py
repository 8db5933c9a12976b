"""Notifications: the news of a session, and how it reaches a person who looks elsewhere."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ccq_tui.agent.events import (
    ElicitationAsked,
    PermissionAsked,
    PlanProposed,
    QuestionAsked,
    SessionLost,
    SessionState,
    TurnEnded,
)
from ccq_tui.compat.textual.driver import write
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.screens.desktop_notifications import Bar, has_progress, notification, progress, wanted_protocol
from ccq_tui.screens.session.messages import SessionNews
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.screens.session.view import duration
from ccq_tui.supervisor.events import SessionEvent

LOST = "The session was lost"
BARS = {
    SessionState.STARTING: Bar.WORKING,
    SessionState.WORKING: Bar.WORKING,
    SessionState.AWAITING: Bar.WAITING,
    SessionState.FAILED: Bar.FAILED,
}


def notification_of(session: str, news: Sequence[str]) -> tuple[str, str]:
    """Return title and text of one notification for a burst of news, at least one."""
    more = f" · and {len(news) - 1} more" if len(news) > 1 else ""
    return f"ccq-tui · {session}", f"{news[0]}{more}"


def news_of(event: SessionEvent, long_turn: float) -> str:
    """Return a sentence for somebody who looks elsewhere, or "" for no news; short turns end without any."""
    match event:
        case (
            QuestionAsked(request)
            | PermissionAsked(request)
            | PlanProposed(request)
            | ElicitationAsked(request)
        ):
            return kind_of(request).news(request)
        case TurnEnded(is_error=failed, duration=seconds) if seconds >= long_turn:
            return f"{'Stopped' if failed else 'Done'} after {duration(int(seconds))}"
        case SessionLost(expected=False):
            return LOST
        case _:
            return ""


def bar_of(state: SessionState) -> Bar:
    """Return the state of the task bar for a session."""
    return BARS.get(state, Bar.NONE)


class Notifications:
    """Calls a person who looks elsewhere: a notification, the bell, the terminal's progress bar."""

    def __init__(self, ui: SessionUi) -> None:
        self._ui = ui
        self._settings = ui.launch.settings
        self._environment = {**os.environ, **ui.launch.environment}
        self._protocol = wanted_protocol(self._settings.notify, self._environment)
        self._has_bar = has_progress(self._settings.progress, self._environment)
        self._bar = Bar.NONE
        self._news: list[str] = []

    def take(self, event: SessionEvent) -> None:
        """Note the news of an event."""
        if news := news_of(event, self._settings.notify_after):
            self._news.append(news)

    def changed(self) -> None:
        """Notify once for the news of a burst, and show in the task bar the state of the session."""
        self._tell()
        if self._ui.in_front:
            self.show_bar(Bar.NONE if self._ui.app.app_focus else bar_of(self._ui.view.state))

    def _tell(self) -> None:
        news, self._news = self._news, []
        if not news:
            return
        title, text = notification_of(self._ui.view.name, news)
        if not self._ui.in_front:
            self._ui.post_message(SessionNews(self._ui.session, text))
        elif self._ui.app.app_focus:
            return
        self.call(title, text)

    def call(self, title: str, text: str) -> None:
        """Ring, and notify a person who looks elsewhere."""
        app = self._ui.app
        if self._settings.bell:
            app.bell()
        if not app.app_focus:
            write(app, notification(self._protocol, title, text, self._environment))

    def show_bar(self, bar: Bar) -> None:
        """Show a state in the task bar, or clear it."""
        if self._has_bar and bar is not self._bar:
            self._bar = bar
            write(self._ui.app, progress(bar, self._environment))
