"""A person's attention: when they last did something, and the time limits that count from there."""

from __future__ import annotations

from ccq_tui.agent.events import SessionState
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.supervisor.events import GaveWay, LimitReached, SessionEvent
from ccq_tui.supervisor.limits import Attention, spoken

GAVE_WAY = "Closed while idle, to make room for another session · your next prompt resumes it"


class AttentionWatch:
    """Shows the countdown of a limit and what it ended; reports when a person last did something."""

    def __init__(self, ui: SessionUi) -> None:
        self._ui = ui
        self._touched = ui.clock()
        ui.session.attention = self._attention

    def take(self, event: SessionEvent) -> None:
        if isinstance(event, LimitReached):
            self._ui.note(_ended_words(event))
        elif isinstance(event, GaveWay):
            self._ui.note(GAVE_WAY)

    def changed(self) -> None:
        """Show the countdown of a limit that is near."""
        self._ui.dock.count_down(self._ui.session.look())

    def touch(self) -> None:
        """Restart the limits: somebody did something, here or for this session on another screen."""
        self._touched = self._ui.clock()

    def _attention(self) -> Attention:
        """Return when a person last did something, and which question is shown."""
        if not self._ui.live:
            return Attention(self._touched)
        dock = self._ui.dock
        panel, typed = dock.panel, dock.prompt.last_typed
        if panel is not None and panel.touched is not None:
            # Kept, because the panel goes when its question does.
            self._touched = max(self._touched, panel.touched)
        if typed is not None:
            self._touched = max(self._touched, typed)
        items = dock.line.asked.items
        first = items[0].request if items else None
        return Attention(self._touched, first.id if first and kind_of(first).EXPIRES else "")


def _ended_words(event: LimitReached) -> str:
    """Say why a session ended, and what starts it again."""
    after = spoken(event.limit.seconds)
    if event.state is SessionState.PARKED:
        return f"Parked after {after} without an answer · your answer restarts Claude"
    return f"Closed after {after} without activity · your next prompt resumes it"
