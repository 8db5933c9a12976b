"""What is known of a session, as data: told by its events, drawn by the status line and the title."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ccq_tui.agent.events import (
    AgentEvent,
    Connected,
    ContextUsage,
    ConversationReset,
    ModeChanged,
    ModelChanged,
    Retrying,
    SessionLost,
    SessionState,
    StateChanged,
    TurnEnded,
)

SIGNS = {
    SessionState.STARTING: ("◌", "starting"),
    SessionState.WORKING: ("✻", "working"),
    SessionState.AWAITING: ("◆", "waits for you"),
    SessionState.IDLE: ("○", "ready"),
    SessionState.FAILED: ("✖", "failed"),
    SessionState.ENDED: ("■", "ended"),
}
TIMED = frozenset({SessionState.STARTING, SessionState.WORKING, SessionState.AWAITING})
"""States whose duration is worth showing."""


@dataclass(frozen=True, slots=True)
class SessionView:
    """What is known of a session.

    Attributes:
        cwd: The directory the agent works in.
        state: What the session is doing.
        since: When it began to, in seconds of a monotonic clock.
        model: The model, or "".
        mode: The permission mode, or "".
        session_id: The Claude session id, or "".
        context: How full the context is, 0..100, or None.
        cost: US dollars so far, or None.
        retry: What is retried, or "".
    """

    cwd: Path
    state: SessionState = SessionState.STARTING
    since: float = 0.0
    model: str = ""
    mode: str = ""
    session_id: str = ""
    context: float | None = None
    cost: float | None = None
    retry: str = ""

    @property
    def name(self) -> str:
        """What the session is called on panels."""
        return self.cwd.name or str(self.cwd)

    @property
    def busy(self) -> bool:
        """Whether there is a turn to interrupt."""
        return self.state in (SessionState.WORKING, SessionState.AWAITING)

    def words(self, now: float) -> tuple[str, ...]:
        """Return the words of the status line, the most important first."""
        sign, word = SIGNS[self.state]
        seconds = int(now - self.since)
        timed = f" {duration(seconds)}" if self.state in TIMED and seconds >= 1 else ""
        context = f"context {self.context:.0f}%" if self.context is not None else ""
        cost = f"${self.cost:.2f}" if self.cost is not None else ""
        return tuple(
            part
            for part in (
                f"{sign} {word}{timed}",
                self.retry,
                self.model,
                f"{self.mode} mode" if self.mode else "",
                context,
                short_path(self.cwd),
                cost,
            )
            if part
        )

    def title(self, waiting: int) -> str:
        """Return the terminal's title."""
        asked = f" ? {waiting}" if waiting else ""
        return f"{SIGNS[self.state][0]}{asked} {self.name} · ccq-tui"


def noted(view: SessionView, event: AgentEvent, now: float) -> SessionView:
    """Return what is known after an event; the view itself when it tells nothing new."""
    match event:
        case StateChanged(state):
            return view if state is view.state else replace(view, state=state, since=now, retry="")
        case Connected(session_id=session_id, model=model, mode=mode):
            return replace(view, session_id=session_id, model=model or view.model, mode=mode or view.mode)
        case ModeChanged(mode):
            return replace(view, mode=mode)
        case ModelChanged(model):
            return replace(view, model=model)
        case ContextUsage(percentage=percentage):
            return replace(view, context=percentage)
        case Retrying(attempt=attempt, max_attempts=most):
            return replace(view, retry=f"retry {attempt} of {most}")
        case TurnEnded(cost=cost):
            return replace(view, cost=cost if cost is not None else view.cost, retry="")
        case ConversationReset(session_id):
            return replace(view, session_id=session_id, context=None)
        case SessionLost(expected=expected):
            return replace(view, state=SessionState.ENDED if expected else SessionState.FAILED, since=now)
        case _:
            return replace(view, retry="") if view.retry else view


def duration(seconds: int) -> str:
    """Return seconds in the words of a clock: 12s, 3m 05s, 2h 14m."""
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3600:
        return f"{seconds // 60}m {seconds % 60:02}s"
    return f"{seconds // 3600}h {seconds % 3600 // 60:02}m"


def short_path(path: Path) -> str:
    """Return a path with the home directory written as ~."""
    try:
        return str(Path("~") / path.relative_to(Path.home())) if path != Path.home() else "~"
    except ValueError:
        return str(path)
