"""What one process wants of the process that runs a session."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from enum import StrEnum

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.store.database import Database, name_key, storable
from ccq_tui.inbox.store.encoding import actor_from_json, actor_to_json


class WishState(StrEnum):
    """What became of a wish."""

    OPEN = "open"
    TAKEN = "taken"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Wish:
    """That a session be parked.

    Attributes:
        number: Its place in the order of wishing.
        session_id: The session.
        actor: Who wishes it.
        state: What became of it.
        why: Why it was refused, or "".
    """

    number: int
    session_id: str
    actor: Actor
    state: WishState
    why: str = ""


class WishTable:
    """Reads and writes wishes that a session be parked: each is taken on, refused or taken back once."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, session_id: str, actor: Actor) -> int:
        """Wish that the process that runs a session parks it.

        Returns the wish's number. Raises `InboxUnavailable`.
        """
        with self._database.writing() as at:
            self._database.do(
                "INSERT INTO wishes (session_id, actor, at, state, why) VALUES (?, ?, ?, ?, '')",
                (name_key(session_id), actor_to_json(actor), at, WishState.OPEN),
            )
            return int(self._database.rows("SELECT last_insert_rowid()")[0][0])

    def settle(self, number: int, state: WishState, why: str = "") -> bool:
        """Take on, refuse or take back a wish, in one conditional update.

        Returns whether it was open until now. Raises `InboxUnavailable`.
        """
        with self._database.writing():
            query = "UPDATE wishes SET state = ?, why = ? WHERE number = ? AND state = ?"
            return bool(self._database.do(query, (state, storable(why, 500), number, WishState.OPEN)))

    def get(self, number: int) -> Wish | None:
        """Return a wish, or None."""
        rows = self._database.rows("SELECT * FROM wishes WHERE number = ?", (number,))
        return _wish(rows[0]) if rows else None

    def open(self, after: int = 0) -> list[Wish]:
        """Return wishes that nobody has taken on, oldest first."""
        query = "SELECT * FROM wishes WHERE state = ? AND number > ? ORDER BY number"
        return [_wish(row) for row in self._database.rows(query, (WishState.OPEN, after))]

    def last(self) -> int:
        """Return the number of the newest wish; 0 when there is none."""
        return int(self._database.rows("SELECT coalesce(max(number), 0) FROM wishes")[0][0])


def _wish(row: sqlite3.Row) -> Wish:
    state = row["state"]
    known = WishState(state) if state in tuple(WishState) else WishState.WITHDRAWN
    return Wish(
        row["number"],
        row["session_id"],
        actor_from_json(row["actor"]) or Actor(Surface.PROGRAM),
        known,
        row["why"],
    )
