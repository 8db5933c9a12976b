"""The changes in the inbox since the last look, made by any process."""

from __future__ import annotations

from ccq_tui.inbox.port import Added, Delivered, DraftUpdated, Notified, SessionNoted, Settled
from ccq_tui.inbox.store.rows import NOTIFIED, Change, RequestState, StoredCommand
from ccq_tui.inbox.store.store import Store

News = Added | Settled | Delivered | DraftUpdated | SessionNoted | Notified | StoredCommand


class ChangeFeed:
    """A reader of the history, which all processes write in the order of events."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen = store.history.last()
        self._commanded = store.commands.last()
        self._drafted = store.drafts.last()
        self._version = (-1, -1)

    def news(self) -> list[News]:
        """Return the changes of requests and sessions, at most a page of them; the rest comes next time.

        Raises `InboxUnavailable`.
        """
        if (version := self._store.database.versions()) == self._version:
            return []
        changes = self._store.history.changes(after=self._seen)
        if not changes:
            self._version = version
            commands = self._store.commands.open(after=self._commanded)
            self._commanded = max((one.number for one in commands), default=self._commanded)
            return [*self._drafts(), *commands]
        news = [told for change in changes if (told := self._told(change)) is not None]
        self._seen = changes[-1].number  # set last: what could not be read is read next time
        return news

    def _drafts(self) -> list[DraftUpdated]:
        news: list[DraftUpdated] = []
        for serial, request_id in self._store.drafts.after(self._drafted):
            self._drafted = serial
            stored = self._store.requests.get(request_id)
            pending = stored is not None and stored.state is RequestState.PENDING
            if stored and pending and (found := self._store.drafts.get(stored.request)):
                news.append(DraftUpdated(stored.request, found.draft, found.actor, found.serial))
        return news

    def _told(self, change: Change) -> News | None:
        pending = RequestState.PENDING
        if not change.request_id:
            if change.became == NOTIFIED:
                return Notified(change.actor.called if change.actor else "", change.cause)
            return SessionNoted(change.session_id)
        if change.became == RequestState.DELIVERED:
            return Delivered(change.request_id)
        if change.became == change.was:
            return None
        stored = self._store.requests.get(change.request_id)
        if stored is None:
            return None
        if change.became == pending:
            return Added(stored.request, again=change.was != "")
        # A request that is pending again is reported by a later row.
        return None if stored.outcome is None else Settled(stored.request, stored.outcome, stored.actor)
