"""The processes that show requests to a person, so that others know whether asking reaches anybody."""

from __future__ import annotations

from ccq_tui.inbox.store.database import Database
from ccq_tui.processes import Owner, alive


class ListenerTable:
    """The table of processes that show requests."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, process: Owner) -> None:
        """Record that a process shows requests, and forget ended ones; raises `InboxUnavailable`."""
        with self._database.writing():
            for one in self._all():
                if not alive(one):
                    self._remove(one)
            self._database.do(
                "INSERT INTO listeners (pid, start) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (process.pid, process.start),
            )

    def remove(self, process: Owner) -> None:
        """Record that a process no longer shows requests; raises `InboxUnavailable`."""
        with self._database.writing():
            self._remove(process)

    def any(self) -> bool:
        """Whether a running process shows requests; raises `InboxUnavailable`."""
        return any(alive(one) for one in self._all())

    def _all(self) -> list[Owner]:
        return [Owner(pid, start) for pid, start in self._database.rows("SELECT pid, start FROM listeners")]

    def _remove(self, process: Owner) -> None:
        self._database.do("DELETE FROM listeners WHERE pid = ? AND start = ?", (process.pid, process.start))
