"""The part of the screen for questions that wait without a process, and for going on with their answers."""

from __future__ import annotations

from textual import on

from ccq_tui.agent.events import (
    QuestionAsked,
    RequestParked,
    SessionLost,
    SessionState,
    StateChanged,
)
from ccq_tui.agent.problems import Problem
from ccq_tui.screens.session.asking import Asking
from ccq_tui.screens.session.commanding import Commanding
from ccq_tui.screens.session.commands import Called
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.drafts import draft_of
from ccq_tui.screens.session.recovering import Recovering
from ccq_tui.supervisor.events import SessionEvent

PARKED = "Parked: no process waits · your answer starts Claude again"
LEFT = "The question still waits · your answer starts Claude again and goes to it as a message"
OTHERS = "Another ccq-tui runs this session now and has your answer"
BY_MESSAGE = "Asked before the session ended · your answer goes to Claude as a message"


class Parking(Asking, Recovering, Commanding):
    """Parks the session, keeps its questions on the screen, and starts it again with their answers."""

    _offered: frozenset[str] = frozenset()
    """The requests whose answers can be copied because the session's directory is gone."""

    def handle(self, event: SessionEvent) -> None:
        """Say how an answer will reach the agent, where that is another way than usual."""
        super().handle(event)
        match event:
            case QuestionAsked(by_message=True):
                self.dock.notices.say(BY_MESSAGE, seconds=20.0)
            case RequestParked(request_id, deferred) if request_id in self.waiting:
                self.dock.notices.say(PARKED if deferred else LEFT, seconds=20.0)
            case SessionLost(kind=Problem.RUNS_ELSEWHERE) if self._answered:
                self.dock.notices.say(OTHERS, seconds=20.0)
            case SessionLost(kind=Problem.DIRECTORY_GONE):
                self._offer_answers()
            case StateChanged(SessionState.STARTING):
                if any(words in self.dock.notices.text for words in (PARKED, LEFT)):
                    self.dock.notices.hush()  # a process waits again
            case _:
                pass

    def _offer_answers(self) -> None:
        """Let a person copy what the agent cannot be given where it was to be given; it stays kept."""
        for request_id, answered in self._answered.items():
            if request_id not in self._offered:
                self._offered |= {request_id}
                self._keep_draft(draft_of(answered.waiting))

    def command(self, command: Called) -> None:
        """Do /park."""
        if command.name == "park":
            self.session.agent.park()
        else:
            super().command(command)

    @on(Dock.DraftChanged)
    def _keep_draft_on_disk(self, event: Dock.DraftChanged) -> None:
        self.session.agent.keep_draft(event.waiting.request.id, event.waiting.draft)
