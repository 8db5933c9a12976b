"""The phases of a supervised session: a pure table of what happens to it and what follows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum, auto

from ccq_tui.agent.events import SessionState


class Phase(Enum):
    """Where a session stands between its start and its end for good."""

    NEW = auto()
    """Not started yet."""
    QUEUED = auto()
    """It waits for room for its process."""
    STARTING = auto()
    RUNNING = auto()
    STOPPING = auto()
    """Its process is being ended."""
    PARKING = auto()
    """Its questions are put off: its process is being ended, and takes no answer any more."""
    OWED = auto()
    """Parking, and one of its questions was answered: the next process must get the answer at once."""
    PARKED = auto()
    """It waits for a person without a process, or another process has it."""
    RESTING = auto()
    """It has no process, and only what a person does starts one."""
    CLOSED = auto()
    """Ended for good."""


class Reason(IntEnum):
    """Why a process ends or has ended, the strongest reason first."""

    QUIT = auto()
    RESTART = auto()
    """It is ended only to be started again."""
    ASKED = auto()
    """A person parked it."""
    LIMIT = auto()
    ROOM = auto()
    """Another session needed its process."""
    LOST = auto()
    FAILED = auto()


class Input(Enum):
    """What happens to a session beside the states that its agent reports, and beside reasons to stop."""

    START = auto()
    """A person wants it to run."""
    PROMPT = auto()
    ANSWER = auto()
    """One of its questions was answered."""
    QUESTION = auto()
    """Another question came: the turn goes on."""
    PUT_OFF = auto()
    """A question was put off until the next process."""
    GONE = auto()
    """Its process is gone."""


@dataclass(frozen=True, slots=True)
class Status:
    """The phase of a session, and the reason of a stop or of a rest."""

    phase: Phase = Phase.NEW
    reason: Reason | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing starts the session again."""
        return self.phase is Phase.CLOSED or self.reason is Reason.QUIT

    @property
    def has_process(self) -> bool:
        """Whether its process has begun to work and is not known to be gone."""
        return self.phase in _AT_WORK


_AT_WORK = frozenset({Phase.RUNNING, Phase.STOPPING, Phase.PARKING, Phase.OWED})
_AT_REST = (Phase.PARKED, Phase.RESTING)
_ENDED = frozenset({SessionState.PARKED, SessionState.ENDED, SessionState.FAILED})
_ROUSED = frozenset({Reason.LIMIT, Reason.ROOM})
"""Reasons of a rest that a prompt ends."""


def step(status: Status, happened: Input | Reason | SessionState) -> Status:
    """Return the status after an input, a reason to stop, or a state that the agent reports.

    A process is to be started exactly where the phase becomes `Phase.STARTING` from one other than
    `Phase.QUEUED`.
    """
    if status.phase is Phase.CLOSED:
        return status
    if isinstance(happened, Reason):
        return _stopped(status, happened)
    if isinstance(happened, SessionState):
        return _reported(status, happened)
    phase = status.phase
    match happened:
        case Input.GONE:
            return _gone(status)
        case Input.QUESTION:
            return _continued(status)
        case Input.PUT_OFF if phase in (Phase.STARTING, Phase.RUNNING, Phase.STOPPING):
            return Status(Phase.PARKING, status.reason or Reason.ASKED)
        case Input.ANSWER if phase is Phase.PARKING:
            return Status(Phase.OWED, status.reason)
        case _:
            return Status(Phase.STARTING) if _is_roused(status, happened) else status


def _is_roused(status: Status, by: Input) -> bool:
    if by is Input.START:
        return status.phase in (Phase.NEW, *_AT_REST)
    wakes = by is Input.ANSWER or status.phase is Phase.PARKED or status.reason in _ROUSED
    return status.phase in _AT_REST and by in (Input.ANSWER, Input.PROMPT) and wakes


def _stopped(status: Status, reason: Reason) -> Status:
    match status.phase:
        case Phase.STARTING | Phase.RUNNING:
            return Status(Phase.STOPPING, reason)
        case Phase.STOPPING | Phase.PARKING | Phase.OWED:
            return Status(status.phase, min(reason, status.reason or reason))
        case _:
            return Status(Phase.CLOSED, reason) if reason is Reason.QUIT else status


def _reported(status: Status, state: SessionState) -> Status:
    if state in _ENDED:
        return _rested(status, state)
    match state, status.phase:
        case SessionState.QUEUED, Phase.STARTING:
            return Status(Phase.QUEUED)
        case SessionState.STARTING, Phase.QUEUED:
            return Status(Phase.STARTING)
        case ((SessionState.QUEUED | SessionState.STARTING), _):
            return status
        case SessionState.IDLE, Phase.STOPPING:
            return _continued(status)
        case _, phase:
            return status if phase in _AT_WORK else Status(Phase.RUNNING)


def _continued(status: Status) -> Status:
    """Return the status of a session that a limit was to stop, and that goes on."""
    return Status(Phase.RUNNING) if status == Status(Phase.STOPPING, Reason.LIMIT) else status


def _starts_next(status: Status) -> bool:
    return status.phase is Phase.OWED or (status.phase in _AT_WORK and status.reason is Reason.RESTART)


def _rested(status: Status, state: SessionState) -> Status:
    reason = status.reason
    if reason is Reason.QUIT:
        return Status(Phase.CLOSED, reason)
    if _starts_next(status):
        return status  # once its process is gone
    if state is SessionState.FAILED:
        return Status(Phase.RESTING, Reason.FAILED)
    if state is SessionState.PARKED:
        return Status(Phase.PARKED, reason if reason is Reason.LIMIT else Reason.ASKED)
    return Status(Phase.RESTING, reason if reason in _ROUSED else Reason.LOST)


def _gone(status: Status) -> Status:
    if status.phase in _AT_REST:
        return status
    if status.reason is Reason.QUIT:
        return Status(Phase.CLOSED, status.reason)
    return Status(Phase.STARTING) if _starts_next(status) else Status(Phase.RESTING, Reason.FAILED)
