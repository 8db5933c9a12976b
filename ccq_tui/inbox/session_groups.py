"""The groups of sessions that the overview and `ccq-tui sessions` show."""

from __future__ import annotations

from enum import StrEnum

from ccq_tui.inbox.store.rows import StoredSession, StoredSessionState
from ccq_tui.processes import alive


class Group(StrEnum):
    """The groups, the one that needs a person most first; failed ones last, apart from all others."""

    NEEDS = "needs you"
    WORKING = "working"
    PARKED = "parked"
    IDLE = "idle"
    DONE = "done"
    FAILED = "failed"


_AT_WORK = frozenset({"queued", StoredSessionState.STARTING, StoredSessionState.WORKING})
_WAITS = frozenset({StoredSessionState.AWAITING, StoredSessionState.PARKED})


def group_of(state: str, waiting: int, *, runs: bool, done: bool) -> Group:
    """Return the group of a session.

    A session that waits for a person or works is never hidden among those that are done.
    """
    if runs and (waiting or state == StoredSessionState.AWAITING):
        return Group.NEEDS
    if runs and state in _AT_WORK:
        return Group.WORKING
    if state == StoredSessionState.FAILED:
        return Group.DONE if done and not waiting else Group.FAILED
    if waiting:
        return Group.PARKED
    if done:
        return Group.DONE
    if state in _AT_WORK:
        return Group.FAILED  # its process was killed in the middle of a turn
    return Group.PARKED if state in _WAITS else Group.IDLE


def stored_group(session: StoredSession, waiting: int) -> Group:
    """Return the group of a stored session; checks whether its process runs."""
    return group_of(session.state, waiting, runs=alive(session.owner), done=session.done)
