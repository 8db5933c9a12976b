"""The news of a session for a person who looks elsewhere."""

import os
from collections.abc import Sequence

from ccq_tui.agent import events as ev
from ccq_tui.compat.textual.driver import write
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import Added, RequestChange
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.screens.terminal import Bar, has_progress, notification, progress, wanted_protocol
from ccq_tui.words import on_clock

LOST = "The session was lost"
BARS = {
    ev.SessionState.STARTING: Bar.WORKING,
    ev.SessionState.WORKING: Bar.WORKING,
    ev.SessionState.AWAITING: Bar.WAITING,
    ev.SessionState.FAILED: Bar.FAILED,
}


def notification_of(session: str, news: Sequence[str]) -> tuple[str, str]:
    """Return title and text of one notification for a burst of news, at least one."""
    more = f" · and {len(news) - 1} more" if len(news) > 1 else ""
    return f"ccq-tui · {session}", f"{news[0]}{more}"


def news_of(event: ev.AgentEvent, long_turn: float) -> str:
    """Return a sentence for a person who looks elsewhere, or "" for no news; short turns end without any."""
    match event:
        case ev.TurnEnded(is_error=failed, duration=seconds) if seconds >= long_turn:
            return f"{'Stopped' if failed else 'Done'} after {on_clock(int(seconds))}"
        case ev.SessionLost(expected=False):
            return LOST
        case _:
            return ""


class Notifications:
    """Calls a person who looks elsewhere: a notification, the bell, the terminal's progress bar."""

    def __init__(self, ui: SessionUi) -> None:
        self._ui = ui
        self._settings = ui.launch.settings
        self._environment = {**os.environ, **ui.launch.program.environment}
        self._protocol = wanted_protocol(self._settings.notify, self._environment)
        self._has_bar = has_progress(self._settings.progress, self._environment)
        self._bar = Bar.NONE
        self._news: list[str] = []
        ui.session.follow(self._request_changed)

    def _request_changed(self, opened: OpenRequest, change: RequestChange) -> None:
        """Note that a request waits; the dock shows it, and what has changed."""
        if isinstance(change, Added) and opened.is_pending:
            self._news.append(kind_of(opened.request).news(opened.request))

    def take(self, event: ev.AgentEvent) -> None:
        """Note the news of an event."""
        if news := news_of(event, self._settings.notify_after):
            self._news.append(news)

    def changed(self) -> None:
        """Notify once for the news of a burst, and show in the task bar the state of the session."""
        self._tell()
        if self._ui.in_front:
            self.show_bar(Bar.NONE if self._ui.app.app_focus else BARS.get(self._ui.view.state, Bar.NONE))

    def _tell(self) -> None:
        news, self._news = self._news, []
        if not news:
            return
        title, text = notification_of(self._ui.view.name, news)
        if not self._ui.in_front:
            self._ui.act("news", self._ui.session, text)
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
