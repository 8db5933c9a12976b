"""Every change of state, as it was written."""

from __future__ import annotations

from datetime import datetime

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.store.database import Table, name_key
from ccq_tui.inbox.store.encoding import from_row
from ccq_tui.inbox.store.rows import NOTIFIED, Change, stamp

PAGE = 200
"""Most rows of a list returned at once."""


class HistoryTable(Table):
    """The history: each change of state writes a row, and so does each message to the person."""

    def notify(self, session_id: str, actor: Actor, message: str) -> None:
        """Show the person a message in each process that shows requests; keep only the end of a long one.

        ``session_id`` is the sender's stand-in. Raises `InboxUnavailable`; then nothing was changed.
        """
        with self._database.writing() as at:
            self._database.note(at, name_key(session_id), None, ("", NOTIFIED), message, actor)

    def changes(
        self,
        since: datetime | None = None,
        session_id: str | None = None,
        request_id: str | None = None,
        after: int = 0,
        limit: int = PAGE,
    ) -> list[Change]:
        """Return changes, oldest first."""
        where, values = ["number > ?"], [after]  # type: tuple[list[str], list[object]]
        for condition, value in (
            ("at >= ?", stamp(since) if since else None),
            ("session_id = ?", session_id),
            ("request_id = ?", request_id),
        ):
            if value is not None:
                where.append(condition)
                values.append(value)
        query = f"SELECT * FROM history WHERE {' AND '.join(where)} ORDER BY number LIMIT ?"  # noqa: S608
        return [from_row(Change, row) for row in self._database.rows(query, (*values, limit))]

    def last(self, before: datetime | None = None) -> int:
        """Return the number of the newest change; 0 when there is none."""
        query = "SELECT number FROM history WHERE at < ? ORDER BY number DESC LIMIT 1"
        rows = self._database.rows(query, ("~" if before is None else stamp(before),))
        return int(rows[0][0]) if rows else 0
