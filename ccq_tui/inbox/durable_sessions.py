"""Sessions in the inbox on disk: the process that runs each, and the requests left in it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any, Protocol, TypeVar

from ccq_tui.inbox.held import Held
from ccq_tui.inbox.port import Claim, ClaimLostError, Left, SessionFact
from ccq_tui.inbox.requests import Request
from ccq_tui.inbox.retry_queue import RetryQueue
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxClosed, InboxError
from ccq_tui.processes import Owner, this_process
from ccq_tui.questions.recalled import Recalled

_logger = logging.getLogger(__name__)
T = TypeVar("T")


class Runs(Protocol):
    """A function that runs work on the store, as `DurableInbox.run` does."""

    async def __call__(self, work: Callable[[Store], T], /) -> T:
        """Run ``work``, and return its result."""


class DurableSessions:
    """`ccq_tui.inbox.port.InboxSessions` in the inbox's database.

    Attributes:
        running: The sessions that this process runs or is about to run.
    """

    def __init__(
        self,
        run: Runs,
        submit: Callable[[Callable[[Store], object]], Future[object]],
        in_trouble: Callable[[InboxError], None],
        retries: RetryQueue,
        held: Held,
        recall: Callable[[Store, Request], tuple[Recalled | None, ...]],
    ) -> None:
        self.running: set[str] = set()
        self._run, self._submit, self._in_trouble = run, submit, in_trouble
        self._retries, self._held, self._recall = retries, held, recall

    async def left(self, session_id: str) -> tuple[Left, ...]:
        """Return requests left by earlier processes: pending, undelivered, or ended without a result.

        Raises `InboxUnavailable`.
        """

        def read(store: Store) -> tuple[Left, ...]:
            requests = store.requests
            left = (*requests.undelivered(session_id), *requests.waiting(session_id))
            found = (*requests.ended_without_result(session_id), *left)
            for one in found:
                self._held.request(store, one)
            return tuple(self._left(one, store) for one in found)

        found = await self._run(read)
        for one in found:
            if one.draft is not None:
                self._retries.read(one.request.id, one.draft)
        return found

    def delivered(self, request_id: str, way: str) -> None:
        """Record, without waiting, that the agent was seen to receive a decision."""
        self._soon(lambda store: store.requests.mark_delivered(request_id, way))

    def give_up(self, request_id: str, reason: str) -> None:
        """Withdraw, without waiting, a decision that no process can take any more."""
        self._soon(lambda store: store.orphans.give_up(request_id, reason))

    async def claim(self, session_id: str) -> Claim:
        """Take the right to run a session, in one conditional update.

        If the disk refuses, the session counts as this process's, and is claimed once the disk is back.

        Raises `ClaimLostError`.
        """
        if session_id in self.running:
            raise ClaimLostError(this_process())
        self.running.add(session_id)

        def claimed(store: Store) -> Owner | None:
            other = store.sessions.claim(session_id, this_process())
            if other is None:
                self._held.session(store, session_id)
            return other

        def claimed_late(store: Store) -> None:
            if session_id in self.running and (other := claimed(store)) is not None:
                _logger.error("A session of this process belongs to process %d already", other.pid)

        try:
            other = await self._run(claimed)
        except InboxError as error:
            _logger.warning("It is not known whether another process runs a session: %s", error)
            self._retries.refused(claimed_late)
        except BaseException:
            self.release(session_id)  # the store finishes this even when the caller is cancelled
            raise
        else:
            if other is not None:
                self.running.discard(session_id)
                raise ClaimLostError(other)
        return Claim(session_id)

    async def launch(self, session_id: str) -> Mapping[str, Any]:
        """Return the last launch options of a session; empty if the disk cannot be read."""

        def read(store: Store) -> Mapping[str, Any]:
            known = store.sessions.get(session_id)
            return known.launch if known is not None else {}

        try:
            return await self._run(read)
        except InboxError as error:
            _logger.warning("It is not known what a session was started with before: %s", error)
            return {}

    def release(self, session_id: str) -> None:
        """Give back the right to run a session, without waiting; do nothing if it is not held."""
        if session_id in self.running:
            self.running.discard(session_id)

            def released(store: Store) -> None:
                if session_id not in self.running:  # else it was claimed again before this was written
                    store.sessions.release(session_id, this_process())

            self._soon(released)

    def note(self, session_id: str, fact: SessionFact) -> None:
        """Record a fact about a session, without waiting."""
        if fact.runs:
            self.running.add(session_id)

        def written(store: Store) -> None:
            self._held.fact(session_id, self._retries.write_fact(store, session_id, fact))

        self._soon(written, lambda: self._retries.fact(session_id, fact))

    def _soon(self, work: Callable[[Store], object], owe: Callable[[], object] | None = None) -> None:
        def done(future: Future[object]) -> None:
            error = future.exception()
            if isinstance(error, InboxClosed):
                _logger.warning("Something was not kept: %s", error)
            elif isinstance(error, InboxError):
                (owe or partial(self._retries.refused, work))()
                self._in_trouble(error)
            elif error is not None:
                _logger.error("Something was not kept", exc_info=error)

        self._submit(work).add_done_callback(done)

    def _left(self, stored: StoredRequest, store: Store) -> Left:
        earlier = store.requests.earlier_calls(stored.request)
        if stored.outcome is not None:
            delivered = stored.state is RequestState.DELIVERED
            return Left(stored.request, stored.outcome, delivered=delivered, earlier=earlier)
        draft = store.drafts.load(stored.request) if stored.has_draft else None
        recalled = self._recall(store, stored.request)
        return Left(stored.request, draft=draft, recalled=recalled, earlier=earlier)
