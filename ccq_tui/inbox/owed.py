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
        self._refused: deque[Callable[[Store], object]] = deque()
        self._not_before = 0.0

    def draft(self, request_id: str, draft: Draft) -> None:
        """Keep a draft soon, in the place of an older one."""
        with self._lock:
            self._drafts[request_id] = draft

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
        if not drafts:
            return
        try:
            store.save_drafts(drafts)
        except InboxError:
            with self._lock:
                self._drafts = drafts | self._drafts
            raise
