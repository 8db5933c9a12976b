"""Sessions in the inbox: the process that runs each, its facts, and the requests left in it."""

import logging
from collections.abc import Callable
from dataclasses import fields
from typing import Protocol, TypeVar

from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import Claim, ClaimLostError, KnownPast, SessionFact
from ccq_tui.inbox.store.rows import SessionState, StoredSession
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.processes import this_process

_logger = logging.getLogger(__name__)
FACTS = {one.name for one in fields(SessionFact)} & {one.name for one in fields(StoredSession)} - {"state"}
"""The facts that are kept as they are; a state comes with its cause."""
T = TypeVar("T")


class SessionKeeper(Protocol):
    """What the sessions need of the inbox; see `Inbox`."""

    async def run(self, work: Callable[[Store], T]) -> T:
        """Run work in the store's thread."""

    def write_soon(self, work: Callable[[Store], object]) -> None:
        """Run work without waiting."""

    def in_trouble(self, error: InboxError) -> None:
        """Report that the disk refused something."""

    async def open(self, request_id: str) -> OpenRequest | None:
        """Open a request."""

    def keep(self, opened: OpenRequest) -> None:
        """Keep a request open until its outcome has arrived."""


class InboxSessions:
    """The sessions of this process, and what the database knows of others.

    Attributes:
        running: The sessions that this process runs or is about to run.
    """

    def __init__(self, inbox: SessionKeeper) -> None:
        self.running: set[str] = set()
        self._inbox = inbox

    async def left(self, session_id: str) -> list[tuple[OpenRequest, int]]:
        """Open the requests of a session that earlier processes left pending or undelivered.

        Those delivered as a message are included, because the session's record does not show that.

        Returns:
            Each with the number of finished requests of the session from calls with the same id: a model
            server may use an id twice.

        Raises:
            InboxUnavailable: The disk cannot be read.
        """

        def read(store: Store) -> list[tuple[str, int]]:
            requests = store.requests
            left = (*requests.undelivered(session_id), *requests.waiting(session_id))
            left = (*requests.ended_without_result(session_id), *left)
            return [(one.request.id, requests.earlier_calls(one.request)) for one in left]

        found: list[tuple[OpenRequest, int]] = []
        for request_id, earlier in await self._inbox.run(read):
            if (opened := await self._inbox.open(request_id)) is not None:
                self._inbox.keep(opened)
                found.append((opened, earlier))
        return found

    def delivered(self, request_id: str, way: str) -> None:
        """Record, without waiting, that the agent was seen to receive a decision.

        Args:
            request_id: The request's id; one with nothing to deliver is ignored.
            way: "result" of the same call, or "message".
        """
        self._inbox.write_soon(lambda store: store.requests.mark_delivered(request_id, way))

    def give_up(self, request_id: str, reason: str) -> None:
        """Withdraw, without waiting, a decision that no process can take; ``reason`` is for a person."""
        self._inbox.write_soon(lambda store: store.requests.give_up(request_id, reason))

    async def claim(self, session_id: str) -> Claim:
        """Take the right to run a session, in one step that only one of several processes can win.

        If the disk refuses, the session counts as this process's, and is claimed once the disk is back.

        Raises:
            ClaimLostError: Another process, or another session of this one, runs it.
        """
        if session_id in self.running:
            raise ClaimLostError(this_process())
        self.running.add(session_id)
        try:
            other = await self._inbox.run(lambda store: store.sessions.claim(session_id, this_process()))
        except InboxError as error:
            self._inbox.in_trouble(error)
            self._claim_soon(session_id)
            return Claim(session_id)
        except BaseException:
            self.release(session_id)
            raise
        if other is not None:
            self.running.discard(session_id)
            raise ClaimLostError(other)
        return Claim(session_id)

    async def before(self, session_id: str) -> KnownPast:
        """Return what is known of a session that is about to be resumed."""

        def read(store: Store) -> KnownPast:
            known, requests = store.sessions.get(session_id), store.requests
            left = (*requests.undelivered(session_id), *requests.waiting(session_id))
            calls = frozenset(one.request.tool_use_id for one in left)
            return KnownPast(known.launch if known else {}, requests.question_sets(session_id), calls)

        try:
            return await self._inbox.run(read)
        except InboxError as error:
            _logger.warning("It is not known what a session was started with before: %s", error)
            return KnownPast()

    def release(self, session_id: str) -> None:
        """Give back the right to run a session, without waiting; do nothing if it is not held."""
        if session_id in self.running:
            self.running.discard(session_id)

            def release(store: Store) -> None:
                if session_id not in self.running:  # else it was claimed again before this was written
                    store.sessions.release(session_id, this_process())

            self._inbox.write_soon(release)

    def note(self, session_id: str, fact: SessionFact) -> None:
        """Record facts about a session, without waiting; where one is None, the stored value stays.

        Nothing is recorded of a session that this process does not run.
        """
        if fact.runs:
            self.running.add(session_id)
        if session_id not in self.running:
            return
        self._inbox.write_soon(lambda store: write_fact(store, session_id, fact))

    def claim_again(self) -> None:
        """Claim the sessions that this process runs, without waiting."""
        for session_id in self.running:
            self._claim_soon(session_id)

    def _claim_soon(self, session_id: str) -> None:
        def claim(store: Store) -> None:
            if session_id in self.running:
                _claim(store, session_id)

        self._inbox.write_soon(claim)


def write_fact(store: Store, session_id: str, fact: SessionFact) -> None:
    """Write a fact about a session; raises `InboxUnavailable`."""
    store.sessions.upsert(session_id, **{name: getattr(fact, name) for name in FACTS})
    if fact.runs:
        _claim(store, session_id)
    if fact.state is not None:
        store.sessions.set_state(session_id, SessionState(fact.state), fact.cause)


def _claim(store: Store, session_id: str) -> None:
    if (other := store.sessions.claim(session_id, this_process())) is not None:
        _logger.error("A session of this process belongs to process %d already", other.pid)
