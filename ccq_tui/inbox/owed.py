"""What is still to be written: newest drafts, and what the disk refused."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable

from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.inbox.waiting import Draft

_logger = logging.getLogger(__name__)

RETRY_SECONDS = 1.0
"""How long the disk is left alone after it refused something."""
MOST_BASES = 4
"""Drafts of one request that were read one after the other."""
MOST_OWED = 10_000
"""Refused changes that are tried again; beyond that the oldest are given up, and logged."""


class Owed:
    """Collects in the event loop, writes in the store's thread.

    Args:
        failed: Called in the thread with what went wrong.
    """

    def __init__(self, failed: Callable[[InboxError], None]) -> None:
        self._failed = failed
        self._lock = threading.Lock()
        self._drafts: dict[str, Draft] = {}
        self._bases: dict[str, tuple[Draft, ...]] = {}
        """What the surfaces of this process had: the newest draft that was saved, and what was read since."""
        self._refused: deque[Callable[[Store], object]] = deque()
        self._not_before = 0.0

    def draft(self, request_id: str, draft: Draft) -> None:
        """Keep a draft soon, in the place of an older one."""
        with self._lock:
            self._drafts[request_id] = draft

    def read(self, request_id: str, draft: Draft) -> None:
        """Note a draft that came from the disk: only what is changed in it is written back."""
        with self._lock:
            self._bases[request_id] = (*self._bases.get(request_id, ())[-MOST_BASES:], draft)

    def forget(self, request_id: str) -> None:
        """Forget the drafts of a request that is settled."""
        with self._lock:
            self._bases.pop(request_id, None)

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

    def write(self, store: Store) -> None:
        """Write what is owed, in the store's thread; what fails stays owed."""
        if time.monotonic() < self._not_before:
            return
        try:
            self._write_refused(store)
            self._write_drafts(store)
        except InboxError as error:
            self._not_before = time.monotonic() + RETRY_SECONDS
            self._failed(error)

    def _write_refused(self, store: Store) -> None:
        while self._refused:
            self._refused[0](store)
            with self._lock:
                self._refused.popleft()

    def _write_drafts(self, store: Store) -> None:
        with self._lock:
            drafts, self._drafts = self._drafts, {}
            bases = {name: self._bases.get(name, ()) for name in drafts}
        if not drafts:
            return
        try:
            store.save_drafts(drafts, bases)
        except InboxError:
            with self._lock:
                self._drafts = drafts | self._drafts
            raise
        with self._lock:
            self._bases |= {name: (draft,) for name, draft in drafts.items()}
