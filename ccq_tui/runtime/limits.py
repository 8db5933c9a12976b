"""The time limits of questions: when one ends or its session is parked, decided from given times alone.

No limit ever chooses an option, and none passes while a person types: each is counted from the last key.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from ccq_tui.agent.events import AgentEvent, SessionState
from ccq_tui.config.settings import Settings
from ccq_tui.words import spoken

COUNTDOWN = 60.0
"""Seconds before the end of a limit at which the countdown begins."""


class Due(Enum):
    """The action at the end of a limit."""

    PARK = "park_after"
    """The session continues to wait without a process; nothing is lost, so it needs no countdown."""
    PARK_QUESTION = "question_timeout"
    NO_ANSWER = "no_answer"


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a session for its limits; times are seconds of one clock.

    Attributes:
        state: The session's state.
        touched: The time of a person's last key or other action.
        event: The time of the session's last event.
        question: The id of the question whose turn it is to be shown, or "".
        turn: The time at which that question's turn began.
        parkable: Whether questions wait, and nothing but questions.
        stopped: Whether a key stopped the countdown of that question.
    """

    state: SessionState
    touched: float = float("-inf")
    event: float = 0.0
    question: str = ""
    turn: float = 0.0
    parkable: bool = False
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Limit:
    """The end of a limit.

    Attributes:
        due: The action.
        since: The time from which it counts.
        seconds: Its length.
        question: The question that it limits, or "" for the session.
    """

    due: Due
    since: float
    seconds: float
    question: str = ""

    @property
    def at(self) -> float:
        """The time of its end."""
        return self.since + self.seconds

    @property
    def counts_from(self) -> float:
        """The time at which the countdown begins."""
        return max(self.at - COUNTDOWN, self.since)

    def stopped_by(self, touched: float) -> bool:
        """Return whether a key came during the question's countdown: it then has no limit any more."""
        return bool(self.question) and touched > self.counts_from

    def words(self, now: float) -> str:
        """Return the words of the countdown, and how to stop it; "" before it begins.

        Args:
            now: The time.
        """
        if self.due is Due.PARK or now < self.counts_from:
            return ""
        what = "Pauses" if self.due is Due.PARK_QUESTION else "Ends as “no answer”"
        return f"{what} in {max(0, math.ceil(self.at - now))} s · any key stops it"


class LimitReached(AgentEvent):
    """A time limit ended the session's process: it is parked."""

    limit: Limit


def next_limit(settings: Settings, now: Standing) -> Limit | None:
    """Return the limit that ends first, or None when nothing has one.

    Only a session in which something waits has one.

    Args:
        settings: The settings, with the limits that a person set.
        now: The state of the session.
    """
    if now.state is not SessionState.AWAITING:
        return None
    found = []
    timeout = settings.question_timeout if now.question and not now.stopped else None
    ends = timeout is not None and settings.on_question_timeout == "no_answer"
    if timeout is not None and (ends or now.parkable):
        due = Due.NO_ANSWER if ends else Due.PARK_QUESTION
        found.append(Limit(due, max(now.turn, now.touched), timeout, now.question))
    # Parked, a question would never come to the end that the person asked for.
    if settings.park_after is not None and now.parkable and not ends:
        found.append(Limit(Due.PARK, max(now.event, now.touched), settings.park_after))
    return min(found, key=lambda limit: limit.at, default=None)


def cause(limit: Limit) -> str:
    """Return why a session was parked, for the history.

    Args:
        limit: The limit that passed.
    """
    return f"no answer for {spoken(limit.seconds)} ({limit.due.value})"


@dataclass(frozen=True, slots=True)
class Attention:
    """A person's last action, as known to the surface that shows the session.

    Attributes:
        touched: The time of the last key or other action, in seconds of the session's clock.
        question: The id of the request whose turn it is to be shown, or "".
    """

    touched: float
    question: str = ""


class LimitWatch:
    """Watches the limits of one session; each passes once.

    Args:
        settings: The settings, with the limits that a person set.
        passed: Called with a limit that has passed, to carry it out.
    """

    def __init__(self, settings: Settings, passed: Callable[[Limit], None]) -> None:
        self._settings = settings
        self._on_passed = passed
        self._turn = ("", 0.0)
        """The question whose turn it is, and since when."""
        self._stopped: set[str] = set()
        """Questions whose countdown a key stopped."""
        self.passed: Limit | None = None
        """The limit that passed last: it does not pass again while the session carries it out."""
        self.upcoming: Limit | None = None
        """The limit that passes next, or None."""

    def check(self, now: float, standing: Standing, attention: Callable[[], Attention]) -> str:
        """Check whether a limit has passed or counts down; return the words of the countdown, or "".

        Args:
            now: The time, in seconds of the session's clock.
            standing: The session as it is without a person; no turn of a question began before ``turn``.
            attention: Returns a person's last action; called only if a limit may apply.
        """
        if standing.state is not SessionState.AWAITING:
            self.upcoming = None
            return ""
        seen = attention()
        if self.upcoming is not None and self.upcoming.stopped_by(seen.touched):
            self._stopped.add(self.upcoming.question)
        if seen.question != self._turn[0]:
            self._turn = (seen.question, now)
        limit = self.upcoming = next_limit(
            self._settings,
            replace(
                standing,
                touched=seen.touched,
                question=seen.question,
                turn=max(self._turn[1], standing.turn),
                stopped=seen.question in self._stopped,
            ),
        )
        if limit is None or limit == self.passed:
            return ""
        if now < limit.at:
            return limit.words(now)
        self.passed = limit
        self._on_passed(limit)
        return ""
