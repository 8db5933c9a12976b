"""What is still to be written: newest drafts, and what the disk refused."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.held import write_fact
from ccq_tui.inbox.port import DraftUpdated, SessionFact
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError, InvalidOutcome
from ccq_tui.inbox.waiting_line import Draft

_logger = logging.getLogger(__name__)

RETRY_SECONDS = 1.0
"""How long the disk is left alone after it refused something."""
MOST_BASES = 4
"""Drafts of one request that were read one after the other."""
MOST_OWED = 10_000
"""Refused changes that are tried again; beyond that the oldest are given up, and logged."""


class RetryQueue:
    """Collects in the event loop, writes in the store's thread.

    Args:
        failed: Called in the thread with what went wrong.
    """

    def __init__(self, failed: Callable[[InboxError], None]) -> None:
        self._failed = failed
        self._lock = threading.Lock()
        self._drafts: dict[str, Draft] = {}
        self._actors: dict[str, Actor] = {}
        """Who typed what is not on disk yet."""
        self._heard: dict[str, Draft] = {}
        """What surfaces of other processes changed drafts into."""
        self._shared: dict[str, Actor | None] = {}
        """Drafts that got something of another surface when they were written, and who typed that."""
        self._bases: dict[str, tuple[Draft, ...]] = {}
        """What the surfaces of this process had: the newest draft that was saved, and what was read since."""
        self._facts: dict[str, SessionFact] = {}
        """What the disk refused of sessions; as many changes of one are one."""
        self._refused: deque[Callable[[Store], object]] = deque()
        self._not_before = 0.0

    def draft(self, request_id: str, draft: Draft, actor: Actor) -> None:
        """Keep a draft soon, in the place of an older one."""
        with self._lock:
            self._drafts[request_id], self._actors[request_id] = draft, actor

    def read(self, request_id: str, draft: Draft) -> None:
        """Note a draft that came from the disk: only what is changed in it is written back."""
        with self._lock:
            self._bases[request_id] = (*self._bases.get(request_id, ())[-MOST_BASES:], draft)

    def heard(self, change: DraftUpdated) -> DraftUpdated:
        """Note what another process changed; returns it with what was known of that draft here."""
        name = change.request.id
        with self._lock:
            told = replace(change, written=self._bases.get(name, ()), heard=self._heard.get(name))
            self._heard[name] = change.draft
        return told

    def shared(self) -> dict[str, Actor | None]:
        """Return once which drafts got something of another surface, with who typed that."""
        shared, self._shared = self._shared, {}
        return shared

    def forget(self, request_id: str) -> None:
        """Forget the drafts of a request that is settled."""
        with self._lock:
            for known in (self._bases, self._heard, self._actors):
                known.pop(request_id, None)

    def unsaved(self, request_id: str) -> Draft | None:
        """Return a draft that is not on disk yet, or None."""
        with self._lock:
            return self._drafts.get(request_id)

    def refused(self, change: Callable[[Store], object]) -> None:
        """Try a change again later that the disk refused."""
        with self._lock:
            self._refused.append(change)
            if len(self._refused) > MOST_OWED:
                self._refused.popleft()
                _logger.error("A change of the inbox is given up: the disk refused too many")

    def fact(self, session_id: str, fact: SessionFact) -> SessionFact:
        """Owe what became known of a session until it is written; returns all that is owed of it."""
        with self._lock:
            whole = self._facts.get(session_id, SessionFact()).and_then(fact)
            self._facts[session_id] = whole
        return whole

    def write_fact(self, store: Store, session_id: str, fact: SessionFact) -> SessionFact:
        """Write what became known of a session, after what is owed of it; in the store's thread.

        Returns:
            What was written.

        Raises:
            InboxUnavailable: It stays owed.
        """
        whole = self.fact(session_id, fact)
        write_fact(store, session_id, whole)
        with self._lock:
            del self._facts[session_id]
        return whole

    def newest(self, request_id: str) -> Draft | None:
        """Return the newest draft of a request that was read or written here, or None."""
        with self._lock:
            found = self._bases.get(request_id, ())
            return self._drafts.get(request_id) or (found[-1] if found else None)

    @property
    def anything(self) -> bool:
        """Whether something is not on disk yet."""
        return bool(self._refused or self._facts or self._drafts)

    def write(self, store: Store) -> None:
        """Write what is owed, in the store's thread; what fails stays owed."""
        if time.monotonic() < self._not_before:
            return
        try:
            self._write_refused(store)
            for session_id in tuple(self._facts):
                self.write_fact(store, session_id, SessionFact())
            self._write_drafts(store)
        except InboxError as error:
            self._not_before = time.monotonic() + RETRY_SECONDS
            self._failed(error)

    def _write_refused(self, store: Store) -> None:
        while self._refused:
            try:
                self._refused[0](store)
            except InboxError as error:
                if not isinstance(error, InvalidOutcome):
                    raise
                _logger.exception("An answer is given up")
            except Exception:  # one that can never be written must not keep back all others
                _logger.exception("A change of the inbox is given up")
            with self._lock:
                self._refused.popleft()

    def _write_drafts(self, store: Store) -> None:
        with self._lock:
            drafts, self._drafts = self._drafts, {}
            actors = {name: self._actors[name] for name in drafts if name in self._actors}
            bases = {
                name: (*self._bases.get(name, ()), *([self._heard[name]] if name in self._heard else ()))
                for name in drafts
            }
        if not drafts:
            return
        try:
            self._shared |= store.save_drafts(drafts, bases, actors)
        except InboxError:
            with self._lock:
                self._drafts = drafts | self._drafts
            raise
        with self._lock:
            self._bases |= {name: (draft,) for name, draft in drafts.items()}
