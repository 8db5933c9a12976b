"""The phases of a supervised session: a pure table of what happens to it and what follows."""

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
    ANSWERED = auto()
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
    ENDED = auto()
    """Its process is gone."""


@dataclass(frozen=True, slots=True)
class Stage:
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


_AT_WORK = frozenset({Phase.RUNNING, Phase.STOPPING, Phase.PARKING, Phase.ANSWERED})
_AT_REST = (Phase.PARKED, Phase.RESTING)

_ROUSED = frozenset({Reason.LIMIT, Reason.ROOM})
"""Reasons of a rest that a prompt ends."""


def step(stage: Stage, happened: Input | Reason | SessionState) -> Stage:
    """Return the stage after an input, a reason to stop, or a state that the agent reports.

    A process is to be started exactly where the phase becomes `Phase.STARTING` from one other than
    `Phase.QUEUED`.
    """
    if stage.phase is Phase.CLOSED:
        return stage
    if isinstance(happened, Reason):
        return _stopped(stage, happened)
    if isinstance(happened, SessionState):
        return _reported(stage, happened)
    phase = stage.phase
    match happened:
        case Input.ENDED:
            return _ended(stage)
        case Input.QUESTION:
            return _continued(stage)
        case Input.PUT_OFF if phase in (Phase.STARTING, Phase.RUNNING, Phase.STOPPING):
            return Stage(Phase.PARKING, stage.reason or Reason.ASKED)
        case Input.ANSWER if phase is Phase.PARKING:
            return Stage(Phase.ANSWERED, stage.reason)
        case _:
            return Stage(Phase.STARTING) if _is_roused(stage, happened) else stage


def _is_roused(stage: Stage, by: Input) -> bool:
    if by is Input.START:
        return stage.phase in (Phase.NEW, *_AT_REST)
    wakes = by is Input.ANSWER or stage.phase is Phase.PARKED or stage.reason in _ROUSED
    return stage.phase in _AT_REST and by in (Input.ANSWER, Input.PROMPT) and wakes


def _stopped(stage: Stage, reason: Reason) -> Stage:
    match stage.phase:
        case Phase.STARTING | Phase.RUNNING:
            return Stage(Phase.STOPPING, reason)
        case Phase.STOPPING | Phase.PARKING | Phase.ANSWERED:
            return Stage(stage.phase, min(reason, stage.reason or reason))
        case _:
            return Stage(Phase.CLOSED, reason) if reason is Reason.QUIT else stage


def _reported(stage: Stage, state: SessionState) -> Stage:
    if state in {SessionState.PARKED, SessionState.ENDED, SessionState.FAILED}:
        return _rested(stage, state)
    match state, stage.phase:
        case SessionState.QUEUED, Phase.STARTING:
            return Stage(Phase.QUEUED)
        case SessionState.STARTING, Phase.QUEUED:
            return Stage(Phase.STARTING)
        case ((SessionState.QUEUED | SessionState.STARTING), _):
            return stage
        case SessionState.IDLE, Phase.STOPPING:
            return _continued(stage)
        case _, phase:
            return stage if phase in _AT_WORK else Stage(Phase.RUNNING)


def _continued(stage: Stage) -> Stage:
    """Return the stage of a session that a limit was to stop, and that goes on."""
    return Stage(Phase.RUNNING) if stage == Stage(Phase.STOPPING, Reason.LIMIT) else stage


def _starts_next(stage: Stage) -> bool:
    return stage.phase is Phase.ANSWERED or (stage.phase in _AT_WORK and stage.reason is Reason.RESTART)


def _rested(stage: Stage, state: SessionState) -> Stage:
    reason = stage.reason
    if reason is Reason.QUIT:
        return Stage(Phase.CLOSED, reason)
    if _starts_next(stage):
        return stage  # once its process is gone
    if state is SessionState.FAILED:
        return Stage(Phase.RESTING, Reason.FAILED)
    if state is SessionState.PARKED:
        return Stage(Phase.PARKED, reason if reason is Reason.LIMIT else Reason.ASKED)
    return Stage(Phase.RESTING, reason if reason in _ROUSED else Reason.LOST)


def _ended(stage: Stage) -> Stage:
    if stage.phase in _AT_REST:
        return stage
    if stage.reason is Reason.QUIT:
        return Stage(Phase.CLOSED, stage.reason)
    return Stage(Phase.STARTING) if _starts_next(stage) else Stage(Phase.RESTING, Reason.FAILED)
