"""Ids by their prefixes, for a person who types them."""

from __future__ import annotations

from ccq_tui.inbox.requests import Request
from ccq_tui.inbox.store.database import Database, call_key

MOST_NAMES = 200_000
"""Most ids returned at once."""


class IdPrefixes:
    """A reader of ids alone."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def requests(self, prefix: str = "", limit: int = MOST_NAMES) -> list[str]:
        """Return ids of requests, sorted."""
        return self._beginning("SELECT id FROM requests", prefix, limit)

    def requests_of(self, tool_use_id: str) -> list[str]:
        """Return the ids of the requests of a call: its own, and those of its copies in copied sessions."""
        query = "SELECT id FROM requests WHERE tool_use_id = ? ORDER BY id"
        return [str(row[0]) for row in self._database.rows(query, (call_key(tool_use_id),))]

    def name_of(self, request: Request) -> str:
        """Return a request's name for a person: its call alone, unless another session made that call too."""
        return request.tool_use_id if len(self.requests_of(request.tool_use_id)) == 1 else request.id

    def sessions(self, prefix: str = "", limit: int = MOST_NAMES) -> list[str]:
        """Return ids of sessions, sorted, including sessions known only from their requests."""
        both = "SELECT id FROM sessions UNION SELECT session_id FROM requests"
        return self._beginning(both, prefix, limit)

    def _beginning(self, ids: str, prefix: str, limit: int) -> list[str]:
        # Not LIKE, which would read "_" and "%" as wildcards.
        query = f"SELECT id FROM ({ids}) WHERE substr(id, 1, ?) = ? ORDER BY id LIMIT ?"  # noqa: S608 - ours
        prefix = prefix.encode("utf-8", "replace").decode("utf-8")
        return [str(row[0]) for row in self._database.rows(query, (len(prefix), prefix, limit))]
