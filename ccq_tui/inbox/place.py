"""Where a session is, which decides how an answer gets there, and what it needs of a person."""

from collections.abc import Callable, Collection
from datetime import datetime
from enum import Enum, StrEnum
from pathlib import Path
from typing import NamedTuple

from ccq_tui.inbox.requests import ENDS_WITH_ASKER, Asker, Origin
from ccq_tui.inbox.store.rows import SessionState, StoredSession
from ccq_tui.processes import alive, this_process
from ccq_tui.text import one_line

OURS = Origin()
MOST_NAME = 40


class Place(Enum):
    """The place of a session or of another asker, in words for people."""

    HERE = "here"
    """This process has it, or is about to."""
    ELSEWHERE = "in another ccq-tui"
    RESTS = "no process"
    """It can be resumed."""
    NO_DIRECTORY = "gone: its directory is missing"
    """It can be resumed only in another directory."""
    NO_RECORD = "gone: Claude Code has no record of it"
    """It cannot be resumed."""
    UNKNOWN = "gone: nothing is known of it"
    FOREIGN = "it collects your answer itself"
    """No session of ours asked."""
    NATIVE = "in Claude Code’s own screen"
    """It asks there alone, without a hook."""

    @property
    def is_lost(self) -> bool:
        """Whether no agent can get an answer from here."""
        return self in (Place.NO_DIRECTORY, Place.NO_RECORD, Place.UNKNOWN)


class ResumeChecks(NamedTuple):
    """The means to find out whether a session can be resumed.

    Attributes:
        there: Returns whether a directory is there, or can be made again.
        recorded: The sessions that Claude Code keeps, or None if unknown.
        at: The time at which these were listed: what changed later may have a record since then.
    """

    there: Callable[[Path], bool]
    recorded: Collection[str] | None = None
    at: datetime | None = None


NO_RECORD_WORDS = "Claude Code has no record of its session, so no agent can get it"


def taking_words(origin: Origin) -> str:
    """Say how an asker other than a session of ours gets the outcome; checks whether its process runs."""
    name = one_line(origin.called, MOST_NAME)
    if origin.process is not None and not alive(origin.process):
        if origin.asker in ENDS_WITH_ASKER:
            return f"{name} has ended and does not get it"
        return f"{name} has ended; it gets the answer when it asks the same again"
    if origin.asker is Asker.TERMINAL:
        return f"{name} gets it typed at its prompt"
    return f"{name} collects it from the inbox"


def place_of(session: StoredSession | None, checks: ResumeChecks, origin: Origin = OURS) -> Place:
    """Return the place of a session, None for one that is not stored; checks processes and files."""
    if origin.is_foreign:
        return Place.FOREIGN
    if session is None:
        return Place.UNKNOWN
    if alive(session.owner):
        return Place.HERE if session.owner == this_process() else Place.ELSEWHERE
    listed = checks.at is None or session.changed_at < checks.at
    if listed and checks.recorded is not None and session.id not in checks.recorded:
        return Place.NO_RECORD
    if session.directory and not checks.there(Path(session.directory)):
        return Place.NO_DIRECTORY
    return Place.RESTS


class Group(StrEnum):
    """What a session needs, in the order of every list."""

    NEEDS = "needs you"
    WORKING = "working"
    QUEUED = "queued"
    """It waits for a free process."""
    PARKED = "parked"
    IDLE = "idle"
    FAILED = "failed"
    DONE = "done"


_AT_WORK = frozenset({SessionState.STARTING, SessionState.WORKING})


def group_of(state: str, waiting: int, *, runs: bool, done: bool) -> Group:
    """Return the group of a session.

    A session that waits for a person or works is never hidden among those that are done.
    """
    if runs and (waiting or state == SessionState.AWAITING):
        return Group.NEEDS
    if runs and state in (SessionState.QUEUED, *_AT_WORK):
        return Group.QUEUED if state == SessionState.QUEUED else Group.WORKING
    if state == SessionState.FAILED:
        return Group.DONE if done and not waiting else Group.FAILED
    if waiting:
        return Group.PARKED
    if done:
        return Group.DONE
    if state in _AT_WORK:
        return Group.FAILED  # its process was killed in the middle of a turn
    return Group.PARKED if state in (SessionState.AWAITING, SessionState.PARKED) else Group.IDLE


def stored_group(session: StoredSession, waiting: int) -> Group:
    """Return the group of a stored session; checks whether its process runs."""
    return group_of(session.state, waiting, runs=alive(session.owner), done=session.done)
