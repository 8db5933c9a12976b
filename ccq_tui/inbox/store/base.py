"""One connection, and what every concern does with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ccq_tui.inbox.store.failing import failure
from ccq_tui.inbox.store.opening import BUSY_SECONDS, open_database
from ccq_tui.inbox.store.rows import stamp

MOST_WORDS = 100_000
"""Characters of a text beside a request that are kept."""
MOST_NAME, MOST_CALL = 500, 2000
"""Characters of the ids of a session and of a call that are kept."""


def storable(text: str, most: int = MOST_WORDS) -> str:
    """Return text as the database takes it: halves of characters replaced, the end of it when it is long."""
    return text[-most:].encode("utf-8", "replace").decode("utf-8")


def name_key(session_id: str) -> str:
    """Return the id of a session as the database takes it."""
    return storable(session_id, MOST_NAME)


def call_key(tool_use_id: str) -> str:
    """Return the id of a call as the database takes it."""
    return storable(tool_use_id, MOST_CALL)


def request_key(request_id: str) -> str:
    """Return the id of a request as the database takes it."""
    return storable(request_id, MOST_CALL + 1 + MOST_NAME)


class Connected:
    """A database, for the thread that opens it.

    Args:
        path: The file.
        busy_seconds: How long to wait for other processes.
        now: Gives the time.

    Attributes:
        notice: What a person should know of the opening, or "".

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
        self.path = path
        opened = open_database(path, busy_seconds)
        self.notice = opened.notice
        self._connection = opened.connection
        self._now = now

    def close(self) -> None:
        """End the connection; what was written stays."""
        self._connection.close()

    def versions(self) -> tuple[int, int]:
        """Return numbers that change when another connection has written, and when this one has.

        Raises:
            InboxUnavailable: The database cannot be read.
        """
        return int(self._rows("PRAGMA data_version")[0][0]), self._connection.total_changes

    @contextmanager
    def _writing(self) -> Iterator[str]:
        """Do everything inside or nothing, alone among all processes; gives the time of it.

        Raises:
            InboxUnavailable: It was not done.
        """
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield stamp(self._now())
                self._connection.execute("COMMIT")
            except BaseException:
                # A failed commit may have ended the transaction already.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise failure(error, self.path) from error

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise failure(error, self.path) from error

    def _do(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Change rows inside `_writing`; returns how many."""
        return self._connection.execute(statement, values).rowcount

    def _note(
        self,
        at: str,
        session_id: str,
        request_id: str | None,
        change: tuple[str, str],
        cause: str,
        surface: str = "",
    ) -> None:
        """Write a row of history inside `_writing`."""
        self._do(
            "INSERT INTO history (at, session_id, request_id, was, became, cause, surface)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (at, session_id, request_id, *change, storable(cause, 2000), storable(surface, 200)),
        )
