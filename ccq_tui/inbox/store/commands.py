"""Commands from any process to a session, for the process that runs or opens it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.store.database import Table, name_key
from ccq_tui.inbox.store.encoding import from_row, storable
from ccq_tui.inbox.store.rows import CommandKind, CommandState, StoredCommand
from ccq_tui.inbox.store.schema import row_of
from ccq_tui.processes import Owner


class CommandTable(Table):
    """The table of commands: one process takes each, and finishes it, or it is withdrawn."""

    def add(
        self, kind: CommandKind, session_id: str, actor: Actor, body: Mapping[str, Any] | None = None
    ) -> int:
        """Give a command, and return its number; raises `InboxUnavailable`."""
        with self._database.writing() as at:
            command = StoredCommand(0, kind, name_key(session_id), actor, CommandState.OPEN, body or {})
            self._database.insert("commands", row_of(command, "commands") | {"at": at})
            return int(self._database.rows("SELECT last_insert_rowid()")[0][0])

    def take(self, number: int, taker: Owner) -> bool:
        """Take an open command, in one conditional update that only one of several processes can win.

        Returns whether it was open until now. Raises `InboxUnavailable`.
        """
        with self._database.writing():
            taken = "UPDATE commands SET state = 'taken', taken_pid = ?, taken_start = ?"
            query = f"{taken} WHERE number = ? AND state = 'open'"
            return bool(self._database.do(query, (taker.pid, taker.start, number)))

    def finish(self, number: int, state: CommandState, words: str = "") -> bool:
        """Record that an open or taken command is done or refused.

        Returns whether it was not finished before. Raises `InboxUnavailable`.
        """
        return self._settle(number, state, words, "state IN ('open', 'taken')")

    def withdraw(self, number: int) -> bool:
        """Withdraw a command, and return whether nobody had taken it yet; raises `InboxUnavailable`."""
        return self._settle(number, CommandState.WITHDRAWN, "", "state = 'open'")

    def _settle(self, number: int, state: CommandState, words: str, before: str) -> bool:
        with self._database.writing():
            query = f"UPDATE commands SET state = ?, words = ? WHERE number = ? AND {before}"  # noqa: S608 - ours
            return bool(self._database.do(query, (state, storable(words, 500), number)))

    def get(self, number: int) -> StoredCommand | None:
        """Return a command, or None."""
        rows = self._database.rows("SELECT * FROM commands WHERE number = ?", (number,))
        return next(_read(rows), None)

    def open(self, after: int = 0) -> list[StoredCommand]:
        """Return the open commands of known kinds, oldest first."""
        query = "SELECT * FROM commands WHERE state = 'open' AND number > ? ORDER BY number"
        return list(_read(self._database.rows(query, (after,))))

    def last(self) -> int:
        """Return the number of the newest command; 0 if there is none."""
        return int(self._database.rows("SELECT coalesce(max(number), 0) FROM commands")[0][0])


def _read(rows: Iterable[sqlite3.Row]) -> Iterator[StoredCommand]:
    """Read commands, and skip those that only another version understands."""
    for row in rows:
        with suppress(ValueError):
            pid = row["taken_pid"]
            taker = None if pid is None else Owner(pid, row["taken_start"])
            yield from_row(StoredCommand, row, taker=taker)
