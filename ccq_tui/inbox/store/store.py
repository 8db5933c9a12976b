"""The store: all tables over one connection, with the small ones: drafts, listeners, history, ids."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from typing import Any

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.requests import Request
from ccq_tui.inbox.store import encoding, rows
from ccq_tui.inbox.store.database import BUSY_SECONDS, PAGE, Database, Table, call_key, name_key, request_key
from ccq_tui.inbox.store.requests import RequestTable
from ccq_tui.inbox.store.rows import Change, CommandKind, CommandState, Presence, StoredCommand, StoredDraft
from ccq_tui.inbox.store.schema import row_of
from ccq_tui.inbox.store.sessions import SessionTable
from ccq_tui.inbox.verdicts import InboxUnavailable
from ccq_tui.processes import Owner, alive, this_process
from ccq_tui.prompts.unread import PromptDraft, joined

MOST_NAMES = 200_000
"""Most ids returned at once."""


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
                key, serial = request_key(one.request.id), serial + 1
                found = self._database.rows("SELECT serial FROM drafts WHERE request_id = ?", (key,))
                if found and 0 <= one.serial < found[0][0] != self._own.get(key):
                    continue
                self._database.do(
                    "INSERT OR REPLACE INTO drafts (request_id, body, saved_at, actor, serial)"
                    " SELECT id, ?, ?, ?, ? FROM requests WHERE id = ?",
                    (draft_to_json(one.draft), at, encoding.actor_to_json(one.actor), serial, key),
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
        return StoredDraft(request, with_draft(request, body), encoding.actor_from_json(actor), serial)

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

    def add(self, process: Owner, person: Presence | None = None) -> None:
        """Record that a process shows requests, and what it knows of its person; forget ended ones.

        Raises `InboxUnavailable`.
        """
        with self._database.writing():
            for one in self._all():
                if not alive(one):
                    self._remove(one)
            focused, at = person or (None, None)
            row = {"pid": process.pid, "start": process.start, "focused": focused, "proven_at": at}
            newer = "focused = excluded.focused, proven_at = excluded.proven_at"
            self._database.insert("listeners", row, f"ON CONFLICT (pid, start) DO UPDATE SET {newer}")

    def remove(self, process: Owner) -> None:
        """Record that a process no longer shows requests; raises `InboxUnavailable`."""
        with self._database.writing():
            self._remove(process)

    def any(self) -> bool:
        """Whether a running process shows requests; raises `InboxUnavailable`."""
        return bool(self.running())

    def running(self) -> list[Owner]:
        """Return the running processes that show requests; raises `InboxUnavailable`."""
        return [one for one in self._all() if alive(one)]

    def presences(self) -> list[Presence]:
        """Return what each running process knows of its person, of which it has a proof."""
        query = "SELECT pid, start, focused, proven_at FROM listeners WHERE proven_at IS NOT NULL"
        return [
            Presence(None if focused is None else bool(focused), at)
            for pid, start, focused, at in self._database.rows(query)
            if alive(Owner(pid, start))
        ]

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
            self._database.note(at, (name_key(session_id), None), ("", rows.NOTIFIED), message, actor)

    def changes(
        self, since: datetime | None = None, session_id: str | None = None, after: int = 0, limit: int = PAGE
    ) -> list[Change]:
        """Return changes, oldest first."""
        query = """SELECT * FROM history WHERE number > ? AND at >= ? AND session_id = coalesce(?, session_id)
            ORDER BY number LIMIT ?"""
        values = (after, rows.stamp(since) if since else "", session_id, limit)
        return [encoding.from_row(Change, row) for row in self._database.rows(query, values)]

    def last(self) -> int:
        """Return the number of the newest change; 0 when there is none."""
        return int(self._database.rows("SELECT coalesce(max(number), 0) FROM history")[0][0])


class IdPrefixes(Table):
    """A reader of ids alone."""

    def requests(self, prefix: str = "", limit: int = MOST_NAMES) -> list[str]:
        """Return ids of requests, sorted."""
        return self._beginning("SELECT id FROM requests", prefix, limit)

    def requests_of(self, tool_use_id: str) -> list[str]:
        """Return the ids of the requests of a call: its own, and those of its copies in copied sessions."""
        query = "SELECT id FROM requests WHERE call = ? ORDER BY id"
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
            return bool(self._database.do(query, (state, encoding.storable(words, 500), number)))

    def get(self, number: int) -> StoredCommand | None:
        """Return a command, or None."""
        rows = self._database.rows("SELECT * FROM commands WHERE number = ?", (number,))
        return next(_commands_of(rows), None)

    def open(self, after: int = 0) -> list[StoredCommand]:
        """Return the open commands of known kinds, oldest first."""
        query = "SELECT * FROM commands WHERE state = 'open' AND number > ? ORDER BY number"
        return list(_commands_of(self._database.rows(query, (after,))))

    def last(self) -> int:
        """Return the number of the newest command; 0 if there is none."""
        return int(self._database.rows("SELECT coalesce(max(number), 0) FROM commands")[0][0])


def _commands_of(rows: Iterable[sqlite3.Row]) -> Iterator[StoredCommand]:
    """Read commands, and skip those that only another version understands."""
    for row in rows:
        with suppress(ValueError):
            pid = row["taken_pid"]
            taker = None if pid is None else Owner(pid, row["taken_start"])
            yield encoding.from_row(StoredCommand, row, taker=taker)


MOST_CHARACTERS = 4_000_000
"""Most characters of a draft that is kept, as it is written."""
MOST_KEPT = 200
"""Most drafts kept; beyond that, the oldest are deleted."""


class PromptTable(Table):
    """The table of prompts, each kept for a session or a directory.

    Several keepers, in one process or in several, may keep something for the same session or directory. What
    a keeper has is its own until it releases it, or its process ends.
    """

    def save(self, keeper: str, kept_for: str, draft: PromptDraft) -> None:
        """Keep a draft in the place of all that this keeper has; an empty one leaves nothing.

        Raises `InboxUnavailable`; then what was kept before stays.
        """
        with self._database.writing() as at:
            self._database.do("DELETE FROM prompts WHERE keeper = ?", (keeper,))
            self._insert(at, kept_for, draft, keeper)

    def take(self, keeper: str, *kept_for: str) -> PromptDraft | None:
        """Take over the free drafts of the first of some sessions or directories that has any, as one.

        Raises `InboxUnavailable`.
        """
        with self._database.writing():
            # What this keeper wrote itself is in its field already.
            found = next(filter(None, (self._free(one, "") for one in kept_for)), ())
            for number, _ in found:
                self._own(number, keeper)
        return reduce(joined, (draft for _, draft in found)) if found else None

    def leave(self, kept_for: str, draft: PromptDraft, keeper: str = "") -> None:
        """Add a draft to what this keeper has, or else to a free one, and release it.

        Raises `InboxUnavailable`.
        """
        with self._database.writing() as at:
            for number, before in self._free(kept_for, keeper)[:1]:
                draft = joined(before, draft)
                self._database.do("DELETE FROM prompts WHERE number = ?", (number,))
            self._insert(at, kept_for, draft)

    def release(self, keeper: str) -> None:
        """Leave what a keeper has to the next one; raises `InboxUnavailable`."""
        with self._database.writing():
            self._database.do("UPDATE prompts SET owner_pid = NULL WHERE keeper = ?", (keeper,))

    def _free(self, kept_for: str, keeper: str) -> Sequence[tuple[int, PromptDraft]]:
        """Return the drafts that no other keeper has, the keeper's own first."""
        query = "SELECT * FROM prompts WHERE kept_for = ? ORDER BY keeper = ? DESC, number"
        rows = self._database.rows(query, (name_key(kept_for), keeper))
        free = [row for row in rows if not _is_taken(row, keeper)]
        read = ((row["number"], encoding.prompts_from_json(row["body"])) for row in free)
        return [(number, draft) for number, draft in read if draft is not None]

    def _own(self, number: int, keeper: str) -> None:
        here = this_process()
        query = "UPDATE prompts SET keeper = ?, owner_pid = ?, owner_start = ? WHERE number = ?"
        self._database.do(query, (keeper, here.pid, here.start, number))

    def _insert(self, at: str, kept_for: str, draft: PromptDraft, keeper: str = "") -> None:
        if not draft:
            return
        body = encoding.prompts_to_json(draft)
        if len(body) > MOST_CHARACTERS:
            raise InboxUnavailable(f"a prompt takes more than {MOST_CHARACTERS:,} characters")
        pid, start = (this_process().pid, this_process().start) if keeper else (None, "")
        owner = {"keeper": keeper, "owner_pid": pid, "owner_start": start}
        row = {"kept_for": name_key(kept_for), "unbegun": "", "body": body}
        self._database.insert("prompts", row | owner | {"saved_at": at})
        newest = "SELECT number FROM prompts ORDER BY saved_at DESC LIMIT ?"
        self._database.do(f"DELETE FROM prompts WHERE number NOT IN ({newest})", (MOST_KEPT,))  # noqa: S608 - ours


def _is_taken(row: sqlite3.Row, keeper: str) -> bool:
    """Whether another keeper, of this process or another one, has a draft."""
    if row["owner_pid"] is None:
        return False
    owner = Owner(row["owner_pid"], row["owner_start"])
    return row["keeper"] != keeper if owner == this_process() else alive(owner)


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
