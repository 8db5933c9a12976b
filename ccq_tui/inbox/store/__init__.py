"""The database of requests, drafts, answers, sessions and their history.

Everything here waits for the disk: call it in a thread of its own, as `ccq_tui.inbox.durable` does, or in a
program without an event loop.
"""

from ccq_tui.inbox.store.rows import (
    Change,
    RequestState,
    StoredRequest,
    StoredSession,
    StoredSessionState,
    StoredStanding,
    state_after,
)
from ccq_tui.inbox.store.store import Store

__all__ = [
    "Change",
    "RequestState",
    "Store",
    "StoredRequest",
    "StoredSession",
    "StoredSessionState",
    "StoredStanding",
    "state_after",
]
