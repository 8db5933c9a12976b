"""The part of the screen that keeps the time limits a person set."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual import on

from ccq_tui.agent.events import AgentEvent, SessionState, StateChanged
from ccq_tui.config import Launch
from ccq_tui.inbox import QuestionRequest
from ccq_tui.questions import Expired
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.port import SessionFactory
from ccq_tui.screens.session.timeouts import Due, Limit, Limits, Standing, cause, next_limit, spoken
from ccq_tui.widgets.lifetime import is_live

SURFACE = "timeout"
TIMED = frozenset({SessionState.AWAITING, SessionState.IDLE})
"""States that a limit can end."""


class Timing(SessionBase):
    """Counts down, parks, ends questions without an answer, and closes what nobody uses."""

    def __init__(
        self, launch: Launch, make_session: SessionFactory, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(launch, make_session, clock=clock)
        self._limits = Limits.of(launch.settings)
        self._touched = self._heard = clock()
        self._turn = ("", 0.0)
        """The question whose turn it is, and since when."""
        self._stopped: set[str] = set()
        """Questions whose countdown a key stopped."""
        self._upcoming: Limit | None = None
        self._passed: Limit | None = None
        """The limit that ended last: it does not end again while the session takes its time."""
        self._why: Limit | None = None
        """The limit for which the session is being ended."""

        self._ran_out = False
        """Whether the session was closed because nothing happened in it."""

    def handle(self, event: AgentEvent) -> None:
        """Count from whatever the session tells, and say why it ended."""
        super().handle(event)
        self._heard = self.clock()
        match event:
            case StateChanged(state) if self._why is not None and state is not SessionState.AWAITING:
                self._say_why(self._why, state)
                self._why = None
            case StateChanged(SessionState.STARTING):
                self._ran_out = False
            case _:
                pass

    @property
    def counts_seconds(self) -> bool:
        """Whether a limit comes nearer, too."""
        return super().counts_seconds or self._upcoming is not None

    def changed(self) -> None:
        """Look whether a limit has ended or is to be counted down."""
        super().changed()
        if not is_live(self) or self.query_one_optional(Dock) is None:
            return
        if self.view.state not in TIMED:
            self._count_down("")
            self._upcoming = None
            return
        now, touched = self.clock(), self._last_touch()
        if self._upcoming is not None and self._upcoming.stopped_by(touched):
            self._stopped.add(self._upcoming.question)
        limit = self._upcoming = next_limit(self._limits, self._standing(now, touched))
        if limit is None or limit == self._passed:
            self._count_down("")
        elif now >= limit.at:
            self._count_down("")
            self._passed = limit
            self._end_of(limit)
        else:
            self._count_down(limit.words(now))

    def wake(self, *, answered: bool = False, ended: bool = False) -> None:
        """Start the session again also where it was closed only because nothing happened in it."""
        super().wake(answered=answered, ended=ended or self._ran_out)

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

    def _last_touch(self) -> float:
        panel, typed = self.dock.panel, self.dock.prompt.last_typed
        if panel is not None and panel.touched is not None:
            # Kept, because the panel goes when its question does.
            self._touched = max(self._touched, panel.touched)
        if typed is not None:
            self._touched = max(self._touched, typed)
        return self._touched

    def _standing(self, now: float, touched: float) -> Standing:
        items = self.waiting.items
        first = items[0].request if items else None
        question = first.id if isinstance(first, QuestionRequest) else ""
        if question != self._turn[0]:
            self._turn = (question, now)
        return Standing(
            state=self.view.state,
            touched=touched,
            heard=max(self._heard, self.view.since),
            question=question,
            turn=max(self._turn[1], self.view.since),
            parkable=bool(items) and all(isinstance(item.request, QuestionRequest) for item in items),
            stopped=question in self._stopped,
        )

    def _count_down(self, words: str) -> None:
        self.dock.count_down(words)

    def _end_of(self, limit: Limit) -> None:
        """Do what a limit is for; it never chooses an option."""
        match limit.due:
            case Due.NO_ANSWER:
                self.session.answer(limit.question, Expired(), SURFACE)
            case Due.PARK | Due.PARK_QUESTION:
                self._why = limit
                self.session.park(cause(limit))
            case Due.END_SESSION:
                self._why = limit
                self.session.close(cause(limit))

    def _say_why(self, limit: Limit, state: SessionState) -> None:
        after = spoken(limit.seconds)
        if state is SessionState.PARKED:
            said = f"Parked after {after} without an answer · your answer starts Claude again"
        elif state is SessionState.ENDED:
            self._ran_out = True
            said = f"Closed after {after} in which nothing happened · your next prompt goes on with it"
        else:
            return
        self.transcript.add_notice(said)
