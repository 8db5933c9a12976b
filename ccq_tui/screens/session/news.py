"""What of a session is worth a notification, in words for the desktop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from ccq_tui.agent.events import (
    PermissionAsked,
    PlanProposed,
    QuestionAsked,
    SessionLost,
    SessionState,
    TurnEnded,
)
from ccq_tui.screens.notifying import Bar
from ccq_tui.screens.session.view import duration
from ccq_tui.supervisor.events import SessionEvent
from ccq_tui.text import one_line

BARS = {
    SessionState.STARTING: Bar.WORKING,
    SessionState.WORKING: Bar.WORKING,
    SessionState.AWAITING: Bar.WAITING,
    SessionState.FAILED: Bar.FAILED,
}
QUOTED = 100
"""Characters of a question that are told."""


@dataclass(frozen=True, slots=True)
class Tidings:
    """One notification: its title and what it says."""

    title: str
    body: str

    @classmethod
    def of(cls, session: str, news: Sequence[str]) -> Self:
        """Say the news of a burst in one notification.

        Args:
            session: The session's name.
            news: What happened, at least one thing, the oldest first.

        Returns:
            The first of the news, and how many more there are.
        """
        more = f" · and {len(news) - 1} more" if len(news) > 1 else ""
        return cls(f"ccq-tui · {session}", f"{news[0]}{more}")


def news_of(event: SessionEvent, long_turn: float) -> str:
    """Say what happened to somebody who looks elsewhere.

    Args:
        event: What the session told.
        long_turn: How many seconds a turn takes at least for its end to be news.

    Returns:
        A sentence, or "" for what is no news.
    """
    match event:
        case QuestionAsked(request):
            return f"Claude asks: {one_line(request.questions.questions[0].text, QUOTED)}"
        case PermissionAsked(request):
            return f"Claude asks for permission: {one_line(request.tool, QUOTED)}"
        case PlanProposed():
            return "Claude proposes a plan"
        case TurnEnded(is_error=failed, duration=seconds) if seconds >= long_turn:
            return f"{'Stopped' if failed else 'Done'} after {duration(int(seconds))}"
        case SessionLost(expected=False):
            return "The session was lost"
        case _:
            return ""


def bar_of(state: SessionState) -> Bar:
    """Return what the task bar shows of a session."""
    return BARS.get(state, Bar.NONE)
