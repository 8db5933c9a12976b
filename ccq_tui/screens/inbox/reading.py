"""Rows of the inbox out of the store; called in the store's thread."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from ccq_tui.inbox.reach import Look, Reach, reach_of
from ccq_tui.inbox.requests import Asker
from ccq_tui.inbox.store import Store
from ccq_tui.inbox.store.rows import RequestState, StoredRequest, StoredSession
from ccq_tui.processes import this_process
from ccq_tui.screens.inbox.listing import InboxRow, Place, row_of
from ccq_tui.worktrees.model import can_be_there

PLACES = {
    Reach.RUNS: Place.OTHER,
    Reach.RESTS: Place.RESTS,
    Reach.NO_DIRECTORY: Place.GONE,
    Reach.NO_RECORD: Place.GONE,
    Reach.UNKNOWN: Place.GONE,
}
SHORT_ID = 8
PAGE = 50
"""Requests of a page: more than are seen at once, and few enough that the first are seen soon."""


def read_page(store: Store, after: int, recorded: Collection[str] | None = None) -> list[InboxRow]:
    """Return a page of what waits, oldest first.

    Args:
        store: The store.
        after: The number of the last request of the page before, or 0.
        recorded: The sessions that Claude Code keeps, or None where that is not known.

    Raises:
        InboxUnavailable: The disk cannot be read.
    """
    known: dict[str, tuple[StoredSession | None, Place]] = {}
    look = Look(cache(can_be_there), recorded)
    return [_row(store, stored, known, look) for stored in store.waiting(after=after, limit=PAGE)]


def held_rows(requests: Iterable[StoredRequest]) -> list[InboxRow]:
    """Return the rows of requests that are in memory alone; their sessions are open in this terminal.

    Args:
        requests: The requests.
    """
    return [row_of(one, one.request.session_id[:SHORT_ID], "", Place.RESTS) for one in requests]


def read_row(store: Store, request_id: str) -> InboxRow | None:
    """Return the row of a request that waits, or None; who asks now, or is parked now, is not deleted.

    Args:
        store: The store.
        request_id: The request's id.

    Raises:
        InboxUnavailable: The disk cannot be read.
    """
    stored = store.request(request_id)
    return (
        _row(store, stored, {}, Look(can_be_there))
        if stored is not None and stored.state is RequestState.PENDING
        else None
    )


def placed(rows: Iterable[InboxRow], here: Mapping[str, str]) -> list[InboxRow]:
    """Say of rows whose session is open in this terminal.

    Args:
        rows: The rows.
        here: The names of these sessions, or "", by Claude session id.
    """
    return [
        row_of(row.stored, here[row.session_id] or row.session, row.directory, Place.HERE)
        if row.session_id in here
        else row
        if row.place is not Place.HERE
        else replace(row, place=Place.RESTS)
        for row in rows
    ]


def _row(
    store: Store,
    stored: StoredRequest,
    known: dict[str, tuple[StoredSession | None, Place]],
    look: Look,
) -> InboxRow:
    name, origin = stored.request.session_id, stored.request.origin
    if origin.asker is not Asker.SESSION:
        return row_of(stored, origin.name or str(origin.asker), "", Place.ASKER)
    if name not in known:
        session = store.session(name)
        known[name] = (session, _place(session, look))
    session, place = known[name]
    directory = session.directory if session else ""
    called = session.name if session else ""
    return row_of(stored, called or Path(directory).name or name[:SHORT_ID], directory, place)


def _place(session: StoredSession | None, look: Look) -> Place:
    if session is not None and not session.directory:
        return Place.GONE
    if session is not None and session.owner == this_process():
        return Place.RESTS  # `placed` knows which of this process's sessions are open
    return PLACES[reach_of(session, look)]
