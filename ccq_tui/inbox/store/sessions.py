"""Sessions: their states, and the processes that run them."""

import sqlite3
from datetime import datetime
from typing import Any

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.store.database import PAGE, Table, name_key
from ccq_tui.inbox.store.encoding import columns_of, from_row, storable
from ccq_tui.inbox.store.rows import SessionState, StoredSession, moment
from ccq_tui.inbox.store.schema import row_of
from ccq_tui.processes import Owner, alive

DONE = "done"
"""The history's word for the state of a session that the person marked as done."""


class SessionTable(Table):
    """The table of sessions."""

    def upsert(self, session_id: str, directory: str | None = None, **changes: Any) -> StoredSession:
        """Record a session, or changes of one, named as the fields of `StoredSession`; None changes nothing.

        Returns the stored session. Raises `InboxUnavailable`.
        """
        key = name_key(session_id)
        with self._database.writing() as at:
            self._insert(at, key)
            for column, value in {"directory": directory, **changes}.items():
                if value is not None:
                    written = columns_of(StoredSession)[column].write(value)
                    self._database.do(f"UPDATE sessions SET {column} = ? WHERE id = ?", (written, key))  # noqa: S608 - ours
            self._database.do("UPDATE sessions SET changed_at = ? WHERE id = ?", (at, key))
        return self._known(key)

    def set_state(self, session_id: str, state: SessionState, cause: str) -> bool:
        """Record the state of a session.

        Returns whether it is a change. Raises `InboxUnavailable`.
        """
        key = name_key(session_id)
        with self._database.writing() as at:
            new = self._insert(at, key)
            was = self._database.rows("SELECT state FROM sessions WHERE id = ?", (key,))[0][0]
            if was == state:
                return new
            # A session that continues is not done, no matter who said so before.
            again = int(state == SessionState.WORKING)
            query = "UPDATE sessions SET state = ?, changed_at = ?, done = done AND NOT ? WHERE id = ?"
            self._database.do(query, (state, at, again, key))
            self._database.note(at, (key, None), (was, state), cause)
        return True

    def claim(self, session_id: str, owner: Owner) -> Owner | None:
        """Make a process a session's owner, unless another one that still runs is.

        Returns None if it is the owner now, else the process that is. Raises `InboxUnavailable`.
        """
        key = name_key(session_id)
        with self._database.writing() as at:
            self._insert(at, key)
            other = self._known(key).owner
            if other is not None and other != owner and alive(other):
                return other
            claimed = "UPDATE sessions SET owner_pid = ?, owner_start = ? WHERE id = ?"
            self._database.do(claimed, (owner.pid, owner.start, key))
        return None

    def release(self, session_id: str, owner: Owner) -> None:
        """Record that a process no longer runs a session; another owner stays; raises `InboxUnavailable`.

        A session known only from its claim is forgotten.
        """
        key = name_key(session_id)
        with self._database.writing():
            released = """UPDATE sessions SET owner_pid = NULL, owner_start = ''
                WHERE id = ? AND owner_pid = ? AND owner_start = ?"""
            self._database.do(released, (key, owner.pid, owner.start))
            unused = """DELETE FROM sessions WHERE id = ? AND owner_pid IS NULL AND directory = ''
                AND state = ? AND NOT EXISTS (SELECT 1 FROM requests r WHERE r.session_id = sessions.id)"""
            self._database.do(unused, (key, SessionState.STARTING))

    def forget(self, session_id: str) -> None:
        """Delete what is known of a session, unless something waits in it; raises `InboxUnavailable`."""
        at_rest = """DELETE FROM sessions WHERE id = ? AND NOT EXISTS
            (SELECT 1 FROM requests WHERE session_id = sessions.id AND state = 'pending')"""
        with self._database.writing():
            self._database.do(at_rest, (name_key(session_id),))

    def get(self, session_id: str) -> StoredSession | None:
        """Return a session by its id, or None."""
        rows = self._database.rows("SELECT * FROM sessions WHERE id = ?", (name_key(session_id),))
        return _session(rows[0]) if rows else None

    def page(self, directory: str | None = None, limit: int = PAGE) -> list[StoredSession]:
        """Return sessions, of all directories or of one, the one that changed last first."""
        where, only = ("", []) if directory is None else ("WHERE directory = ?", [storable(directory)])
        query = f"SELECT * FROM sessions {where} ORDER BY changed_at DESC LIMIT ?"  # noqa: S608 - ours
        return [_session(row) for row in self._database.rows(query, (*only, limit))]

    def since(self, session: StoredSession) -> datetime:
        """Return the time at which the state of a session began."""
        query = """SELECT at FROM history WHERE session_id = ? AND request_id IS NULL AND became = ?
            AND was != 'done' ORDER BY number DESC LIMIT 1"""
        rows = self._database.rows(query, (session.id, session.state))
        return moment(rows[0][0]) if rows else session.changed_at

    def set_done(self, session_id: str, done: bool, actor: Actor) -> bool:
        """Record whether the person is done with a session; the time of its last change stays.

        Returns whether the session is known. Raises `InboxUnavailable`.
        """
        key = name_key(session_id)
        with self._database.writing() as at:
            if self._database.do(
                "UPDATE sessions SET done = NOT done WHERE id = ? AND done != ?", (key, int(done))
            ):
                state = str(self._known(key).state)
                change = (state, DONE) if done else (DONE, state)
                self._database.note(at, (key, None), change, "marked by the person", actor)
            return bool(self._database.rows("SELECT 1 FROM sessions WHERE id = ?", (key,)))

    def _insert(self, at: str, key: str) -> bool:
        session = StoredSession(key, "", "", SessionState.STARTING, None, moment(at), moment(at))
        row = row_of(session, "sessions") | {"owner_start": ""}
        new = self._database.insert("sessions", row, "ON CONFLICT (id) DO NOTHING")
        if new:
            self._database.note(at, (key, None), ("", session.state), "first seen")
        return bool(new)

    def _known(self, key: str) -> StoredSession:
        return _session(self._database.rows("SELECT * FROM sessions WHERE id = ?", (key,))[0])


def _session(row: sqlite3.Row) -> StoredSession:
    pid = row["owner_pid"]
    return from_row(StoredSession, row, owner=None if pid is None else Owner(pid, row["owner_start"]))
