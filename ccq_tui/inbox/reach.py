"""Ways in which a decision can reach the agent of a session."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple

from ccq_tui.inbox.requests import ENDS_WITH_ASKER, Asker, Origin
from ccq_tui.inbox.store.rows import StoredSession
from ccq_tui.processes import alive
from ccq_tui.text import one_line

OURS = Origin()
MOST_NAME = 40


class Reach(Enum):
    """The means by which a decision reaches an agent, or the reason that it cannot."""

    RUNS = auto()
    """A process runs it."""
    RESTS = auto()
    """It can be resumed."""
    UNKNOWN = auto()
    """Nothing is stored about it."""
    NO_DIRECTORY = auto()
    """It can be resumed only in another directory: its own is gone."""
    NO_RECORD = auto()
    """Claude Code has no record of it: it cannot be resumed."""
    ASKER = auto()
    """No session of ours asked: the asker takes the outcome from the inbox."""


class Look(NamedTuple):
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
        return f"it is typed at the prompt of {name}"
    return f"{name} collects it from the inbox"


def reach_of(session: StoredSession | None, look: Look, origin: Origin = OURS) -> Reach:
    """Return the reach of a session, None for one that is not stored; checks processes and files."""
    if origin.is_foreign:
        return Reach.ASKER
    if session is None:
        return Reach.UNKNOWN
    if alive(session.owner):
        return Reach.RUNS
    listed = look.at is None or session.changed_at < look.at
    if listed and look.recorded is not None and session.id not in look.recorded:
        return Reach.NO_RECORD
    if session.directory and not look.there(Path(session.directory)):
        return Reach.NO_DIRECTORY
    return Reach.RESTS
