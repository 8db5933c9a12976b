"""What happened in the inbox since one last looked, whichever process did it."""

from __future__ import annotations

from ccq_tui.inbox.port import Added, ParkWanted, SessionNoted, Settled
from ccq_tui.inbox.store.rows import Change, RequestState
from ccq_tui.inbox.store.store import Store

News = Added | Settled | SessionNoted | ParkWanted


class Tail:
    """Follows the history: it is written in the order in which things happened, by all processes.

    Args:
        store: The store, up to whose newest change everything is known.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen = store.last_change()
        self._wished = store.last_wish()
        self._version = (-1, -1)

    def news(self) -> list[News]:
        """Return what happened to requests and sessions; at most a page of it, the rest next time.

        Raises:
            InboxUnavailable: The database cannot be read.
        """
        version = self._store.versions()
        if version == self._version:
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
        return [ParkWanted(wish.session_id, wish.number, wish.surface) for wish in wishes]

    def _told(self, change: Change) -> News | None:
        pending = RequestState.PENDING
        if not change.request_id:
            return SessionNoted(change.session_id)
        if change.became in (change.was, RequestState.DELIVERED):
            return None
        stored = self._store.request(change.request_id)
        if stored is None:
            return None
        if change.became == pending:
            return Added(stored.request, again=change.was != "")
        # One that waits again was told as such by a later row.
        return None if stored.outcome is None else Settled(stored.request, stored.outcome, stored.surface)
