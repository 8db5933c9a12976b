"""The sessions that other processes run."""

from __future__ import annotations

from ccq_tui.inbox.store.rows import StoredSession
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import Owner, alive, this_process


def run_elsewhere(store: Store, session_id: str, directory: str) -> dict[str, Owner]:
    """Return the other processes that run sessions, by session id; raises `InboxUnavailable`."""
    one = store.sessions.get(session_id) if session_id else None
    meant = [one] if one is not None else [] if session_id else store.sessions.page(directory)
    return {session.id: owner for session in meant if (owner := _other(session)) is not None}


def _other(session: StoredSession) -> Owner | None:
    owner = session.owner
    return owner if owner is not None and owner != this_process() and alive(owner) else None
