"""The store: all tables over one connection."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from ccq_tui.inbox.store.database import Database
from ccq_tui.inbox.store.drafts_table import DraftTable
from ccq_tui.inbox.store.history import HistoryTable
from ccq_tui.inbox.store.id_prefix import IdPrefixes
from ccq_tui.inbox.store.listeners import ListenerTable
from ccq_tui.inbox.store.opening import BUSY_SECONDS
from ccq_tui.inbox.store.orphans import Orphans
from ccq_tui.inbox.store.park_requests import WishTable
from ccq_tui.inbox.store.requests import RequestTable
from ccq_tui.inbox.store.sessions import SessionTable


class Store:
    """The inbox on disk, through one connection, for the thread that made it.

    Several threads and processes may each have one on the same file. A method that writes does all of it or
    nothing.

    Attributes:
        database: The connection.
        requests: The requests and their outcomes.
        orphans: The requests and decisions that can no longer reach an agent.
        drafts: The drafts of requests.
        sessions: The sessions, and the process that runs each.
        wishes: The park requests to other processes.
        listeners: The processes that show requests.
        history: Every change.
        ids: Ids by their prefixes.

    Raises:
        InboxTooNew: A newer program made the database.
        InboxUnavailable: It cannot be opened or written.
    """

    def __init__(
        self,
        path: Path,
        busy_seconds: float = BUSY_SECONDS,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.database = Database(path, busy_seconds, now)
        self.orphans = Orphans(self.database)
        self.requests = RequestTable(self.database, self.orphans)
        self.drafts = DraftTable(self.database)
        self.sessions = SessionTable(self.database)
        self.wishes = WishTable(self.database)
        self.listeners = ListenerTable(self.database)
        self.history = HistoryTable(self.database)
        self.ids = IdPrefixes(self.database)

    def close(self) -> None:
        """End the connection; what was written stays."""
        self.database.close()
