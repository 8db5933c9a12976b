"""The data of this process that must be in the database, whichever file has its path."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import UTC, datetime

from ccq_tui.inbox.port import SessionFact, Settled
from ccq_tui.inbox.store.rows import TO_DELIVER, RequestState, StoredRequest, StoredSessionState, state_after
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.waiting_line import Draft
from ccq_tui.processes import this_process

_logger = logging.getLogger(__name__)

_HELD = (RequestState.PENDING, *TO_DELIVER)


class Held:
    """The written data to write again into a file that replaces the database's.

    It has the requests that this process asked, opened or answered, until they are over, and its sessions.
    Only the store's thread uses it.
    """

    def __init__(self) -> None:
        self._requests: dict[str, StoredRequest] = {}
        self._sessions: dict[str, SessionFact] = {}

    def request(self, store: Store, stored: StoredRequest | None) -> None:
        """Remember a request and its session as they are stored."""
        if stored is not None and stored.state in _HELD:
            self._requests[stored.request.id] = stored
            if stored.request.session_id not in self._sessions:
                self.session(store, stored.request.session_id)

    def has(self, request_id: str) -> bool:
        """Whether a request is remembered."""
        return request_id in self._requests

    def deferred(self, request_id: str) -> None:
        """Record that its resumed session asks a request again."""
        if stored := self._requests.get(request_id):
            self._requests[request_id] = replace(stored, deferred=True)

    def settled(self, change: Settled) -> None:
        """Record a stored outcome; forget the request if its outcome goes to no agent."""
        stored, state = self._requests.get(change.request.id), state_after(change.outcome)
        if stored is not None and state in TO_DELIVER:
            self._requests[change.request.id] = replace(
                stored, state=state, outcome=change.outcome, actor=change.actor,
                settled_at=datetime.now(UTC), deferred=False,
            )  # fmt: skip
        elif stored is not None:
            self.over(change.request.id)

    def over(self, request_id: str) -> None:
        """Forget a request: the agent has its outcome, or will never have one."""
        self._requests.pop(request_id, None)

    def session(self, store: Store, session_id: str) -> None:
        """Remember a session as it is stored, except where newer facts are known."""
        if stored := store.sessions.get(session_id):
            known = SessionFact(
                directory=stored.directory, name=stored.name, launch=stored.launch,
                last_line=stored.last_line, cost=stored.cost, state=str(stored.state),
            )  # fmt: skip
            self._sessions[session_id] = known.and_then(self._sessions.get(session_id, SessionFact()))

    def fact(self, session_id: str, fact: SessionFact) -> None:
        """Remember a written fact about a session."""
        self._sessions[session_id] = self._sessions.get(session_id, SessionFact()).and_then(fact)

    def write(
        self, store: Store, running: Collection[str], draft_of: Callable[[str], Draft | None]
    ) -> list[StoredRequest]:
        """Write everything that the database lacks, and return the requests as they are stored now.

        What others wrote stays. Raises `InboxUnavailable`.
        """
        for name in running:  # before its requests, which would have no process otherwise
            if (other := store.sessions.claim(name, this_process())) is not None:
                _logger.error("A session of this process belongs to process %d already", other.pid)
        found = [store.requests.put_back(one) for one in self._requests.values()]
        drafts = {name: draft for name in self._requests if (draft := draft_of(name)) is not None}
        if drafts:
            store.drafts.save_all(drafts)
        for name, fact in self._sessions.items():
            if name in running or store.sessions.get(name) is None:
                write_fact(store, name, replace(fact, runs=False))
        return found


def write_fact(store: Store, session_id: str, fact: SessionFact) -> None:
    """Write a fact about a session; raises `InboxUnavailable`."""
    store.sessions.upsert(
        session_id,
        fact.directory,
        name=fact.name,
        launch=fact.launch,
        last_line=fact.last_line,
        cost=fact.cost,
    )
    if fact.runs and (other := store.sessions.claim(session_id, this_process())) is not None:
        _logger.error("A new session belongs to process %d already", other.pid)
    if fact.state is not None:
        store.sessions.set_state(session_id, StoredSessionState(fact.state), fact.cause)
