"""One connection, and the operations that all tables share."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.store import opening
from ccq_tui.inbox.store.encoding import actor_to_json, storable
from ccq_tui.inbox.store.rows import stamp
from ccq_tui.inbox.store.schema import transaction
from ccq_tui.inbox.verdicts import InboxUnavailable

MOST_NAME, MOST_CALL = 500, 2000
"""Most characters kept of the ids of a session and of a call."""
PAGE = 200
"""Most rows of a list returned at once."""

Subject = tuple[str, str | None]
"""A session, and its request of which something is said, or None for the session itself."""
States = tuple[str, str]
"""The state before a change and the one after it."""


def name_key(session_id: str) -> str:
    """Return the id of a session as the database takes it."""
    return storable(session_id, MOST_NAME)


def call_key(tool_use_id: str) -> str:
    """Return the id of a call as the database takes it."""
    return storable(tool_use_id, MOST_CALL)


def request_key(request_id: str) -> str:
    """Return the id of a request as the database takes it."""
    return storable(request_id, MOST_CALL + 1 + MOST_NAME)


class Database:
    """A database, for the thread that opens it; arguments and errors are those of `Store`.

    Attributes:
        notice: A notice for the person about the opening, or "".
        files: The open files.
    """

    def __init__(self, path: Path, busy_seconds: float, now: Callable[[], datetime]) -> None:
        self.path = path
        opened = opening.open_database(path, busy_seconds)
        self.notice, self.files = opened.notice, opened.files
        self._connection = opened.connection
        self._now = now

    def close(self) -> None:
        """End the connection; what was written stays, also in a file that lost its path or its log."""
        with suppress(OSError):
            self._finish(opening.files_of(self.path))
        self._connection.close()

    def versions(self) -> tuple[int, int]:
        """Return numbers that change when another connection has written, and when this one has.

        Raises `InboxUnavailable`.
        """
        return int(self.rows("PRAGMA data_version")[0][0]), self._connection.total_changes

    def is_current(self) -> bool:
        """Whether the path still has the files that are open, the log among them."""
        try:
            return opening.files_of(self.path) == self.files
        except OSError:
            return False

    def _finish(self, here: opening.Files) -> None:
        is_moved = here.get("") != self.files[""]
        if is_moved or opening.LOG not in here:  # beside another log, another process may write into the file
            self.complete()
        for name, place in opening.companions(self.path).items() if is_moved else ():
            if here.get(name) == self.files.get(name):  # SQLite would read it as part of the next file
                place.unlink(missing_ok=True)

    def complete(self) -> None:
        """Write the log into the file, as far as others and the disk allow, without waiting for them."""
        with suppress(sqlite3.Error):  # the log keeps what the file does not get
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def copy_to(self, target: Path) -> None:
        """Copy the whole database into a new file that only its owner reads; raises `InboxUnavailable`."""
        part = target.with_name(f"{target.name}.part-{os.getpid()}")
        with opening.translated(target):
            try:
                os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
                self._connection.execute("VACUUM INTO ?", (str(part),))
                part.replace(target)
            finally:
                part.unlink(missing_ok=True)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if opening.is_damage(error) and (notice := opening.mend_database(self.path)):
                raise InboxUnavailable(f"{notice} Try again.") from error
            raise opening.failure(error, self.path) from error

    def _require_path(self) -> None:
        """Refuse to write where nobody would read it."""
        if not self.is_current():
            raise InboxUnavailable(f"{self.path}: it was moved, deleted or replaced; try again")

    @contextmanager
    def writing(self) -> Iterator[str]:
        """Do everything inside or nothing, alone among all processes; yield the time of the change.

        Raises `InboxUnavailable`.
        """
        self._require_path()
        with self._translated(), transaction(self._connection):
            yield stamp(self._now())
        self._require_path()

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Return the rows of a query; raises `InboxUnavailable`."""
        with self._translated():
            return self._connection.execute(query, values).fetchall()

    def do(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Change rows inside `writing`, and return their number."""
        return self._connection.execute(statement, values).rowcount

    def note(self, at: str, of: Subject, change: States, cause: str, actor: Actor | None = None) -> None:
        """Write a row of history inside `writing`."""
        row = {"at": at, "session_id": of[0], "request_id": of[1], "was": change[0], "became": change[1]}
        self.insert("history", row | {"cause": storable(cause, 2000), "actor": actor_to_json(actor)})

    def insert(self, table: str, row: Mapping[str, object], conflict: str = "") -> int:
        """Add a row inside `writing`, and return the number of rows added; ``conflict`` is SQL's clause."""
        columns, marks = ", ".join(row), ", ".join("?" * len(row))
        return self.do(f"INSERT INTO {table} ({columns}) VALUES ({marks}) {conflict}", list(row.values()))  # noqa: S608 - ours


class Table:
    """A part of a store that reads and writes one table, or some."""

    def __init__(self, database: Database) -> None:
        self._database = database
