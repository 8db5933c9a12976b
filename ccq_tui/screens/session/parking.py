"""The part of the screen for questions that wait without a process, and for going on with their answers."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual import on

from ccq_tui.agent.events import (
    AgentEvent,
    QuestionAsked,
    RequestParked,
    RequestSettled,
    SessionLost,
    SessionState,
)
from ccq_tui.agent.problems import Problem
from ccq_tui.config import Launch
from ccq_tui.inbox import Settled
from ccq_tui.screens.session.asking import Asking
from ccq_tui.screens.session.commanding import Commanding
from ccq_tui.screens.session.commands import Called
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.drafts import draft_of
from ccq_tui.screens.session.port import SessionFactory
from ccq_tui.screens.session.recovering import Recovering

OVER = frozenset({SessionState.PARKED, SessionState.FAILED, SessionState.ENDED})
PARKED = "Parked: no process waits · your answer starts Claude again"
LEFT = "The question still waits · your answer starts Claude again and goes to it as a message"
OTHERS = "Another ccq-tui runs this session now and has your answer"
BY_MESSAGE = "Asked before the session ended · your answer goes to Claude as a message"


class Parking(Asking, Recovering, Commanding):
    """Parks the session, keeps its questions on the screen, and starts it again with their answers."""

    _offered: frozenset[str] = frozenset()
    """The requests whose answers can be copied because the session's directory is gone."""
    _parking = False
    """Whether questions were parked, and the process is still there: it takes no answer any more."""
    _owes_start = False
    """Whether an answer came meanwhile, which the next process is to have at once."""

    def __init__(
        self, launch: Launch, make_session: SessionFactory, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(launch, make_session, clock=clock)
        self._settled: dict[str, Settled] = {}
        """What was settled elsewhere and the session has said nothing of yet."""

    def handle(self, event: AgentEvent) -> None:
        """Say how an answer will reach the agent, where that is another way than usual."""
        super().handle(event)
        match event:
            case RequestSettled(request_id):
                self._settled.pop(request_id, None)
            case RequestParked(request_id):
                self._parking = True
                if request_id in self._answered or request_id in self._settled:
                    self._take_late(request_id)
            case SessionLost():
                self._over()
            case _:
                pass
        match event:
            case QuestionAsked(by_message=True):
                self.dock.notices.say(BY_MESSAGE, seconds=20.0)
            case RequestParked(request_id, deferred) if request_id in self.waiting:
                self.dock.notices.say(PARKED if deferred else LEFT, seconds=20.0)
            case SessionLost(kind=Problem.RUNS_ELSEWHERE) if self._answered:
                self.dock.notices.say(OTHERS, seconds=20.0)
            case SessionLost(kind=Problem.DIRECTORY_GONE):
                self._offer_answers()
            case _:
                pass

    def _take_late(self, request_id: str) -> None:
        """Take in that an answer came while its question was being parked: nothing waits for it there."""
        self._owes_start = True
        if change := self._settled.pop(request_id, None):
            self._take(RequestSettled(request_id, change.outcome, change.surface))

    def _over(self) -> None:
        owed, self._owes_start, self._parking = self._owes_start, False, False
        self._settled.clear()
        if owed:
            self.wake(answered=True)

    def _offer_answers(self) -> None:
        """Let a person copy what the agent cannot be given where it was to be given; it stays kept."""
        for request_id, answered in self._answered.items():
            if request_id not in self._offered:
                self._offered |= {request_id}
                self._keep_draft(draft_of(answered.waiting))

    def command(self, command: Called) -> None:
        """Do /park."""
        if command.name == "park":
            self.session.park()
        else:
            super().command(command)

    @on(Dock.DraftChanged)
    def _keep_draft_on_disk(self, event: Dock.DraftChanged) -> None:
        self.session.keep_draft(event.waiting.request.id, event.waiting.draft)

    def wake(self, *, answered: bool = False, ended: bool = False) -> None:
        """Start the session again where it waits without a process.

        Args:
            answered: Whether a question of it was answered, which is worth a start after a failure, too.
            ended: Whether one that has ended is started again, too.
        """
        if not self.view.session_id or self.ends:
            return
        self._owes_start |= answered and self._parking
        if self.view.state is SessionState.PARKED or ((answered or ended) and self.view.state in OVER):
            self.reconnect()

    def settled_elsewhere(self, change: Settled) -> None:
        """Take in that a request was answered on another surface while no process waits for it here."""
        request_id = change.request.id
        if request_id not in self.waiting:
            return
        if self.view.state in OVER:
            self._take(RequestSettled(request_id, change.outcome, change.surface))
            self.wake(answered=True)
            return
        self._settled[request_id] = change
        if self._parking:
            self._take_late(request_id)
