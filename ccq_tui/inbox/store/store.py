"""The store: all tables over one connection, with the small ones: drafts, listeners, history, ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.requests import Request
from ccq_tui.inbox.store.commands import CommandTable
from ccq_tui.inbox.store.database import PAGE, Database, Table, call_key, name_key, request_key
from ccq_tui.inbox.store.encoding import actor_from_json, actor_to_json, from_row
from ccq_tui.inbox.store.opening import BUSY_SECONDS
from ccq_tui.inbox.store.prompts import PromptTable
from ccq_tui.inbox.store.requests import RequestTable
from ccq_tui.inbox.store.rows import NOTIFIED, Change, stamp
from ccq_tui.inbox.store.sessions import SessionTable
from ccq_tui.processes import Owner, alive

if TYPE_CHECKING:
    from ccq_tui.inbox.draft import Draft

MOST_NAMES = 200_000
"""Most ids returned at once."""
_ASKED = "FROM requests WHERE state != 'interview'"
"""The requests that a person may name."""


@dataclass(frozen=True, slots=True)
class StoredDraft:
    """A draft on disk.

    Attributes:
        serial: Its place in the order of saving; of one to be saved, that of the draft it began from, or
            -1 to save it whatever is there.
        request_id: Its request.
        actor: Who wrote it last, or None.
        draft: The draft.
    """

    serial: int
    request_id: str
    actor: Actor | None
    draft: Draft


class DraftTable:
    """The table of drafts."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._own: dict[str, int] = {}
        """The serial of the last draft of each request that was saved through this table."""

    def save_all(self, drafts: Iterable[StoredDraft]) -> None:
        """Save drafts; skip those of unknown requests, and where a newer one was saved elsewhere.

        A draft is saved even if its request was settled meanwhile: typed text is never lost. Raises
        `InboxUnavailable`.
        """
        from ccq_tui.inbox.store.drafts import draft_to_json

        with self._database.writing() as at:
            serial = self.last()
            for one in drafts:
                key, serial = request_key(one.request_id), serial + 1
                found = self._database.rows("SELECT serial FROM drafts WHERE request_id = ?", (key,))
                if found and 0 <= one.serial < found[0][0] != self._own.get(key):
                    continue
                self._database.do(
                    "INSERT OR REPLACE INTO drafts (request_id, body, saved_at, actor, serial)"
                    " SELECT id, ?, ?, ?, ? FROM requests WHERE id = ?",
                    (draft_to_json(one.draft), at, actor_to_json(one.actor), serial, key),
                )
                self._own[key] = serial

    def get(self, request: Request) -> StoredDraft | None:
        """Return the draft of a request as the state in which it opens, or None when none is kept."""
        query = "SELECT serial, actor, body FROM drafts WHERE request_id = ?"
        rows = self._database.rows(query, (request_key(request.id),))
        if not rows:
            return None
        from ccq_tui.inbox.store.drafts import with_draft

        serial, actor, body = rows[0]
        return StoredDraft(serial, request.id, actor_from_json(actor), with_draft(request, body))

    def after(self, serial: int) -> list[tuple[int, str]]:
        """Return serial and request of the drafts saved elsewhere after one, in the order of saving."""
        query = "SELECT serial, request_id FROM drafts WHERE serial > ? ORDER BY serial"
        rows = self._database.rows(query, (serial,))
        return [(row[0], row[1]) for row in rows if self._own.get(row[1]) != row[0]]

    def last(self) -> int:
        """Return the serial of the draft that was saved last; 0 if there is none."""
        return int(self._database.rows("SELECT coalesce(max(serial), 0) FROM drafts")[0][0])


class ListenerTable(Table):
    """The table of processes that show requests."""

    def add(self, process: Owner) -> None:
        """Record that a process shows requests, and forget ended ones; raises `InboxUnavailable`."""
        with self._database.writing():
            for one in self._all():
                if not alive(one):
                    self._remove(one)
            row = {"pid": process.pid, "start": process.start}
            self._database.insert("listeners", row, "ON CONFLICT DO NOTHING")

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


class HistoryTable(Table):
    """The history: each change of state writes a row, and so does each message to the person."""

    def notify(self, session_id: str, actor: Actor, message: str) -> None:
        """Show the person a message in each process that shows requests; keep only the end of a long one.

        ``session_id`` is the sender's stand-in. Raises `InboxUnavailable`; then nothing was changed.
        """
        with self._database.writing() as at:
            self._database.note(at, (name_key(session_id), None), ("", NOTIFIED), message, actor)

    def changes(
        self,
        since: datetime | None = None,
        session_id: str | None = None,
        request_id: str | None = None,
        after: int = 0,
        limit: int = PAGE,
    ) -> list[Change]:
        """Return changes, oldest first."""
        query = """SELECT * FROM history WHERE number > ? AND at >= ? AND session_id = coalesce(?, session_id)
            AND coalesce(request_id, '') = coalesce(?, request_id, '') ORDER BY number LIMIT ?"""
        values = (after, stamp(since) if since else "", session_id, request_id, limit)
        return [from_row(Change, row) for row in self._database.rows(query, values)]

    def last(self) -> int:
        """Return the number of the newest change; 0 when there is none."""
        return int(self._database.rows("SELECT coalesce(max(number), 0) FROM history")[0][0])


class IdPrefixes(Table):
    """A reader of ids alone."""

    def requests(self, prefix: str = "", limit: int = MOST_NAMES) -> list[str]:
        """Return ids of requests, sorted."""
        return self._beginning(f"SELECT id {_ASKED}", prefix, limit)

    def requests_of(self, tool_use_id: str) -> list[str]:
        """Return the ids of the requests of a call: its own, and those of its copies in copied sessions."""
        query = "SELECT id FROM requests WHERE call = ? ORDER BY id"
        return [str(row[0]) for row in self._database.rows(query, (call_key(tool_use_id),))]

    def name_of(self, request: Request) -> str:
        """Return a request's name for a person: its call alone, unless another session made that call too."""
        return request.tool_use_id if len(self.requests_of(request.tool_use_id)) == 1 else request.id

    def sessions(self, prefix: str = "", limit: int = MOST_NAMES) -> list[str]:
        """Return ids of sessions, sorted, including sessions known only from their requests."""
        both = f"SELECT id FROM sessions UNION SELECT session_id {_ASKED}"  # noqa: S608 - ours
        return self._beginning(both, prefix, limit)

    def _beginning(self, ids: str, prefix: str, limit: int) -> list[str]:
        # Not LIKE, which would read "_" and "%" as wildcards.
        query = f"SELECT id FROM ({ids}) WHERE substr(id, 1, ?) = ? ORDER BY id LIMIT ?"  # noqa: S608 - ours
        prefix = prefix.encode("utf-8", "replace").decode("utf-8")
        return [str(row[0]) for row in self._database.rows(query, (len(prefix), prefix, limit))]


class Store:
    """The inbox on disk, through one connection, for the thread that made it.

    Several threads and processes may each have one on the same file. A method that writes does all of it or
    nothing.

    Attributes:
        database: The connection.
        requests: The requests and their outcomes.
        drafts: The drafts of requests.
        sessions: The sessions, and the process that runs each.
        commands: The commands to the processes of sessions.
        prompts: The prompts that Claude has not read.
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
        self.requests = RequestTable(self.database)
        self.drafts = DraftTable(self.database)
        self.sessions = SessionTable(self.database)
        self.commands = CommandTable(self.database)
        self.prompts = PromptTable(self.database)
        self.listeners = ListenerTable(self.database)
        self.history = HistoryTable(self.database)
        self.ids = IdPrefixes(self.database)

    def close(self) -> None:
        """End the connection; what was written stays."""
        self.database.close()
