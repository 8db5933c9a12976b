"""The subscribers that an inbox reports its changes to."""

from __future__ import annotations

import logging
from collections.abc import Callable

from ccq_tui.inbox.port import InboxChange, Listener

_logger = logging.getLogger(__name__)


class Listeners:
    """The subscribers of an inbox, in one event loop."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def add(self, callback: Listener) -> Callable[[], None]:
        """Add a listener; return a function that ends the subscription, and does nothing if called again."""
        self._listeners.append(callback)

        def leave() -> None:
            if callback in self._listeners:
                self._listeners.remove(callback)

        return leave

    def tell(self, change: InboxChange) -> None:
        """Report a change to all listeners."""
        for listener in tuple(self._listeners):
            try:
                listener(change)
            except Exception:
                _logger.exception("A listener of the inbox failed")
