"""Who is told what happens in an inbox."""

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
        """Tell a listener from now on.

        Returns A function that ends the subscription; calling it again does nothing.
        """
        self._listeners.append(callback)

        def leave() -> None:
            if callback in self._listeners:
                self._listeners.remove(callback)

        return leave

    def tell(self, change: InboxChange) -> None:
        """Tell everybody."""
        for listener in tuple(self._listeners):
            try:
                listener(change)
            except Exception:
                _logger.exception("A listener of the inbox failed")
