"""The part of the screen that shows the time limits a person set, and tells the session of their hands."""

from __future__ import annotations

from textual import on

from ccq_tui.agent.events import SessionState
from ccq_tui.inbox import QuestionRequest
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.session.dock import Dock
from ccq_tui.supervisor.events import LimitReached, SessionEvent
from ccq_tui.supervisor.limits import Attention, spoken
from ccq_tui.supervisor.session import SupervisedSession
from ccq_tui.widgets.lifetime import is_live


class Timing(SessionBase):
    """Shows the countdown of a limit and what it ended; says when a person last did something."""

    def __init__(self, session: SupervisedSession) -> None:
        super().__init__(session)
        self._touched = session.clock()
        session.attention = self._attention

    def handle(self, event: SessionEvent) -> None:
        """Say why the session ended."""
        super().handle(event)
        if isinstance(event, LimitReached):
            self.transcript.add_notice(_ended_words(event))

    @property
    def counts_seconds(self) -> bool:
        """Whether a limit comes nearer, too."""
        return super().counts_seconds or self.session.limited

    def changed(self) -> None:
        """Count down where a limit comes near."""
        super().changed()
        if is_live(self) and self.query_one_optional(Dock) is not None:
            self.dock.count_down(self.session.look())

    def touch(self) -> None:
        """Count anew for somebody who answers it on another screen."""
        self._touched = self.clock()

    def on_key(self) -> None:
        """Count anew from a key that nobody took."""
        self._touched = self.clock()

    def on_screen_suspend(self) -> None:
        """Take a list that is opened, or a look at another session, for somebody's hands."""
        self._touched = self.clock()

    def on_screen_resume(self) -> None:
        """Count anew for whoever comes back to this session."""
        self._touched = self.clock()

    @on(Dock.DraftChanged)
    def _draft_changed(self) -> None:
        self._touched = self.clock()

    def _attention(self) -> Attention:
        """Say when a person last did something, and which question is shown."""
        if not is_live(self) or self.query_one_optional(Dock) is None:
            return Attention(self._touched)
        panel, typed = self.dock.panel, self.dock.prompt.last_typed
        if panel is not None and panel.touched is not None:
            # Kept, because the panel goes when its question does.
            self._touched = max(self._touched, panel.touched)
        if typed is not None:
            self._touched = max(self._touched, typed)
        items = self.waiting.items
        first = items[0].request if items else None
        return Attention(self._touched, first.id if isinstance(first, QuestionRequest) else "")


def _ended_words(event: LimitReached) -> str:
    """Say why a session ended, and what starts it again."""
    after = spoken(event.limit.seconds)
    if event.state is SessionState.PARKED:
        return f"Parked after {after} without an answer · your answer starts Claude again"
    return f"Closed after {after} without activity · your next prompt resumes it"
