"""Remembers recent ids."""

from __future__ import annotations

from collections import OrderedDict


class RecentIds:
    """A set of the newest ids, bounded so that a session of weeks does not grow without end."""

    def __init__(self, limit: int = 50_000) -> None:
        self._limit = limit
        self._ids: OrderedDict[str, None] = OrderedDict()

    def add(self, item: str) -> bool:
        """Remember an id; returns whether it is new."""
        if item in self._ids:
            return False
        self._ids[item] = None
        if len(self._ids) > self._limit:
            self._ids.popitem(last=False)
        return True
