"""Events of a supervised session beside those of its agent."""

from dataclasses import dataclass

from ccq_tui.agent.events import AgentEvent
from ccq_tui.runtime.limits import Limit


@dataclass(frozen=True, slots=True)
class Reconnected:
    """A new process runs after the last one was lost."""


@dataclass(frozen=True, slots=True)
class LimitReached:
    """A time limit ended the session's process: it is parked."""

    limit: Limit


@dataclass(frozen=True, slots=True)
class GaveWay:
    """The session's idle process was ended, to make room for one of another session."""


OWN_EVENTS = Reconnected | LimitReached | GaveWay
"""Events of the supervisor and the inbox, not of an agent."""
SessionEvent = AgentEvent | OWN_EVENTS
