"""What happened in the inbox since one last looked, whichever process did it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ccq_tui.inbox.port import Added, ParkWanted, SessionNoted, Settled
from ccq_tui.inbox.store.rows import PUT_BACK, Change, RequestState
from ccq_tui.inbox.store.store import Store

LATE = timedelta(seconds=2)
"""How much later than its time a change may have been written."""


@dataclass(frozen=True, slots=True)
class Over:
    """The agent was seen to have an outcome, or what it was asked for was given up."""

    request_id: str


News = Added | Settled | SessionNoted | ParkWanted | Over


class Tail:
    """Follows the history: it is written in the order in which things happened, by all processes.

    Args:
        store: The store, up to whose newest change everything is known.
        before: What followed the database that had this one's place until now: what happened in this one
            since it last looked is not known. None where there was none.
    """

    def __init__(self, store: Store, before: Tail | None = None) -> None:
        self._store = store
        self._looked = datetime.now(UTC)
        self._seen = store.last_change() if before is None else before.known_of(store)
        self._wished = store.last_wish()
        self._version = (-1, -1)

    def known_of(self, store: Store) -> int:
        """Return the newest change that is known of a database, this one or another."""
        if store.follows(self._store):
            return self._seen
        return store.last_change(self._looked - LATE)

    def news(self) -> list[News]:
        """Return what happened to requests and sessions; at most a page of it, the rest next time.

        Raises:
            InboxUnavailable: The database cannot be read.
        """
        looked, version = datetime.now(UTC), self._store.versions()
        if version == self._version:
            self._looked = looked
            return []
        changes = self._store.history(after=self._seen)
        if not changes:
            self._version = version
            return self._wishes()
        news = [told for change in changes if (told := self._told(change)) is not None]
        self._seen = changes[-1].number  # only now: what could not be read is read next time
        return news

    def _wishes(self) -> list[News]:
        wishes = self._store.open_wishes(after=self._wished)
        self._wished = max((wish.number for wish in wishes), default=self._wished)
        return [ParkWanted(wish.session_id, wish.number, wish.actor) for wish in wishes]

    def _told(self, change: Change) -> News | None:
        pending = RequestState.PENDING
        if not change.request_id:
            return SessionNoted(change.session_id)
        if change.became == RequestState.DELIVERED:
            return Over(change.request_id)
        if change.became == change.was:
            if change.cause != PUT_BACK:
                return None
            if change.became != pending:  # its outcome was reported when it was settled
                return SessionNoted(change.session_id)
        stored = self._store.request(change.request_id)
        if stored is None:
            return None
        if change.became == pending:
            return Added(stored.request, again=change.was != "")
        # One that waits again was told as such by a later row.
        return None if stored.outcome is None else Settled(stored.request, stored.outcome, stored.actor)
