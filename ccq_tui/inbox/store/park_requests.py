"""Park requests from one process to the process that runs a session."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from enum import StrEnum

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.store.database import Database, name_key, storable
from ccq_tui.inbox.store.encoding import actor_from_json, actor_to_json


class WishState(StrEnum):
    """The state of a park request."""

    OPEN = "open"
    TAKEN = "taken"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Wish:
    """A request to park a session.

    Attributes:
        number: Its place in the order of park requests.
        session_id: The session.
        actor: Who asks for it.
        state: Its state.
        why: The reason of a refusal, or "".
    """

    number: int
    session_id: str
    actor: Actor
    state: WishState
    why: str = ""


class WishTable:
    """The table of park requests: each is accepted, refused or withdrawn once."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, session_id: str, actor: Actor) -> int:
        """Ask the process that runs a session to park it; return the number; raises `InboxUnavailable`."""
        with self._database.writing() as at:
            self._database.do(
                "INSERT INTO wishes (session_id, actor, at, state, why) VALUES (?, ?, ?, ?, '')",
                (name_key(session_id), actor_to_json(actor), at, WishState.OPEN),
            )
            return int(self._database.rows("SELECT last_insert_rowid()")[0][0])

    def settle(self, number: int, state: WishState, why: str = "") -> bool:
        """Accept, refuse or withdraw a park request, in one conditional update.

        Returns whether it was open until now. Raises `InboxUnavailable`.
        """
        with self._database.writing():
            query = "UPDATE wishes SET state = ?, why = ? WHERE number = ? AND state = ?"
            return bool(self._database.do(query, (state, storable(why, 500), number, WishState.OPEN)))

    def get(self, number: int) -> Wish | None:
        """Return a park request, or None."""
        rows = self._database.rows("SELECT * FROM wishes WHERE number = ?", (number,))
        return _wish(rows[0]) if rows else None

    def open(self, after: int = 0) -> list[Wish]:
        """Return the open park requests, oldest first."""
        query = "SELECT * FROM wishes WHERE state = ? AND number > ? ORDER BY number"
        return [_wish(row) for row in self._database.rows(query, (WishState.OPEN, after))]

    def last(self) -> int:
        """Return the number of the newest park request; 0 if there is none."""
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
