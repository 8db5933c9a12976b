"""The tables, and the migration of databases of older versions."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import cache

from ccq_tui.inbox.verdicts import InboxTooNew

APPLICATION_ID = 0x43435149
"""Marks a database as an inbox ("CCQI"), so that nobody else's file is taken for one."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE sessions (
            id TEXT PRIMARY KEY,
            directory TEXT NOT NULL,
            name TEXT NOT NULL,
            state TEXT NOT NULL,
            owner_pid INTEGER,
            owner_start TEXT NOT NULL,
            started_at TEXT NOT NULL,
            changed_at TEXT NOT NULL,
            launch TEXT NOT NULL,
            last_line TEXT NOT NULL,
            cost REAL NOT NULL,
            done INTEGER NOT NULL
        )
        """,
        "CREATE INDEX sessions_changed ON sessions (changed_at)",
        """
        CREATE TABLE requests (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            session_id TEXT NOT NULL,
            kind TEXT NOT NULL,
            body TEXT NOT NULL,
            context TEXT NOT NULL,
            state TEXT NOT NULL,
            asked_at TEXT NOT NULL,
            deferred INTEGER NOT NULL
        )
        """,
        "CREATE INDEX requests_pending ON requests (number) WHERE state = 'pending'",
        "CREATE INDEX requests_session ON requests (session_id, state)",
        """
        CREATE TABLE drafts (
            request_id TEXT PRIMARY KEY REFERENCES requests (id) ON UPDATE CASCADE,
            body TEXT NOT NULL,
            saved_at TEXT NOT NULL
        )
        """,
        # The primary key is a second lock behind the conditional update: no request has two outcomes.
        """
        CREATE TABLE answers (
            request_id TEXT PRIMARY KEY REFERENCES requests (id) ON UPDATE CASCADE,
            outcome TEXT NOT NULL,
            surface TEXT NOT NULL,
            settled_at TEXT NOT NULL,
            delivered_at TEXT,
            way TEXT NOT NULL
        )
        """,
        """
        CREATE TABLE history (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            at TEXT NOT NULL,
            session_id TEXT NOT NULL,
            request_id TEXT,
            was TEXT NOT NULL,
            became TEXT NOT NULL,
            cause TEXT NOT NULL,
            surface TEXT NOT NULL
        )
        """,
        "CREATE INDEX history_session ON history (session_id, number)",
        "CREATE INDEX history_request ON history (request_id, number)",
    ),
    (
        """
        CREATE TABLE wishes (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            session_id TEXT NOT NULL,
            surface TEXT NOT NULL,
            at TEXT NOT NULL,
            state TEXT NOT NULL,
            why TEXT NOT NULL
        )
        """,
        "CREATE INDEX wishes_open ON wishes (number) WHERE state = 'open'",
    ),
    # Until this step a request was named by its call alone, so a copy of a session took it from its original.
    (
        """
        UPDATE history SET request_id = coalesce(
            (SELECT r.id || '@' || r.session_id FROM requests r WHERE r.id = history.request_id), request_id
        ) WHERE request_id IS NOT NULL
        """,
        "ALTER TABLE requests ADD COLUMN tool_use_id TEXT NOT NULL DEFAULT ''",
        # In two steps: a new id may be another request's old one.
        "UPDATE requests SET tool_use_id = id, id = '@' || number",
        "UPDATE requests SET id = tool_use_id || '@' || session_id",
        "CREATE UNIQUE INDEX requests_call ON requests (tool_use_id, session_id)",
    ),
    # Until this step an actor was one text.
    tuple(
        statement
        for table in ("answers", "history", "wishes")
        for statement in (
            f"ALTER TABLE {table} RENAME COLUMN surface TO actor",
            f"""
            UPDATE {table} SET actor = CASE
                WHEN actor IN ('panel', 'inbox', 'overview') THEN json_object('v', 1, 'surface', actor)
                WHEN actor IN ('session', 'withdrawn') THEN json_object('v', 1, 'surface', 'session')
                WHEN actor = 'timeout' THEN json_object('v', 1, 'surface', 'limit')
                WHEN actor LIKE 'ccq-tui %' THEN json_object('v', 1, 'surface', 'command', 'name', actor)
                ELSE json_object('v', 1, 'surface', 'program', 'name', actor)
            END WHERE actor != ''
            """,  # noqa: S608 - ours
        )
    ),
    # Until this step only sessions asked.
    ("ALTER TABLE requests ADD COLUMN origin TEXT NOT NULL DEFAULT 'session'",),
    # Until this step a draft that another surface changed was not reported.
    (
        "ALTER TABLE drafts ADD COLUMN actor TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE drafts ADD COLUMN serial INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX drafts_serial ON drafts (serial)",
    ),
    # Until this step only programs with a screen asked, so nobody had to know whether there is one.
    ("CREATE TABLE listeners (pid INTEGER NOT NULL, start TEXT NOT NULL, PRIMARY KEY (pid, start))",),
    # Until this step another asker than a session was a prefix of the session's id, a process could only ask
    # another one to park a session, and prompts were in files.
    (
        "DROP INDEX requests_call",
        "DROP INDEX requests_session",
        "ALTER TABLE requests RENAME COLUMN tool_use_id TO call",
        "ALTER TABLE requests RENAME COLUMN origin TO asker",
        "ALTER TABLE requests RENAME COLUMN session_id TO asker_id",
        """
        UPDATE requests SET asker_id = substr(asker_id, length(asker) + 2)
        WHERE asker != 'session' AND substr(asker_id, 1, length(asker) + 1) = asker || ':'
        """,
        """
        UPDATE requests SET body = json_insert(
            json_remove(body, '$.session_id'), '$.asker_id', asker_id, '$.tool_use_id', call
        ) WHERE json_valid(body)
        """,
        # What the history, lists and the ids of requests call the asker: no session has the same as another
        # asker, though Claude Code's hooks ask under the ids of its sessions.
        """
        ALTER TABLE requests ADD COLUMN session_id TEXT GENERATED ALWAYS AS (
            CASE asker WHEN 'session' THEN asker_id ELSE asker || ':' || asker_id END
        )
        """,
        "CREATE UNIQUE INDEX requests_call ON requests (call, asker_id, asker)",
        "CREATE INDEX requests_session ON requests (session_id, state)",
        "DROP INDEX wishes_open",
        "ALTER TABLE wishes RENAME TO commands",
        "ALTER TABLE commands RENAME COLUMN why TO words",
        "ALTER TABLE commands ADD COLUMN kind TEXT NOT NULL DEFAULT 'park'",
        "ALTER TABLE commands ADD COLUMN body TEXT NOT NULL DEFAULT '{}'",
        "ALTER TABLE commands ADD COLUMN taken_pid INTEGER",
        "ALTER TABLE commands ADD COLUMN taken_start TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE commands ADD COLUMN settled_at TEXT",
        "UPDATE commands SET state = 'done' WHERE state = 'taken'",
        "CREATE INDEX commands_open ON commands (number) WHERE state = 'open'",
        "ALTER TABLE sessions ADD COLUMN labels TEXT NOT NULL DEFAULT '{}'",
        "ALTER TABLE listeners ADD COLUMN opens INTEGER NOT NULL DEFAULT 0",
        """
        CREATE TABLE prompts (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            kept_for TEXT NOT NULL,
            unbegun TEXT NOT NULL,
            body TEXT NOT NULL,
            keeper TEXT NOT NULL,
            owner_pid INTEGER,
            owner_start TEXT NOT NULL,
            saved_at TEXT NOT NULL
        )
        """,
        "CREATE INDEX prompts_kept_for ON prompts (kept_for)",
    ),
)
"""Steps from each version to the next; a released step is never changed, only followed by another."""


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of a database's tables; 0 if it has none."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, migrations: Sequence[Sequence[str]] = MIGRATIONS) -> None:
    """Bring a database forward to this version, in one transaction: all steps are done or none.

    Raises `InboxTooNew`.
    """
    _refuse_newer(connection, migrations)
    if version_of(connection) == len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been faster.
        _refuse_newer(connection, migrations)
        for step in migrations[version_of(connection) :]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise


def _roll_back(connection: sqlite3.Connection) -> None:
    """Roll back, unless the failure did so itself: a full disk does, and its own error gives the reason."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def check_tables(connection: sqlite3.Connection) -> None:
    """Check that a database has the tables of its version, and none of a later one; raises `InboxTooNew`."""
    connection.execute("BEGIN")  # read version and tables at the same moment
    try:
        _refuse_newer(connection, MIGRATIONS)
        found, expected = _columns(connection), _columns_of(version_of(connection))
        later = _columns_of(len(MIGRATIONS)) - expected
        if expected - found or later & found:
            raise sqlite3.DatabaseError("its tables are not those of its version")
    finally:
        _roll_back(connection)


@cache
def _columns_of(version: int) -> frozenset[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for step in MIGRATIONS[:version]:
            for statement in step:
                connection.execute(statement)
        return _columns(connection)


def _columns(connection: sqlite3.Connection) -> frozenset[tuple[str, str]]:
    """Return each column with its table."""
    query = "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'"
    return frozenset((table, column) for table, column in connection.execute(query))


def _refuse_newer(connection: sqlite3.Connection, migrations: Sequence[Sequence[str]]) -> None:
    found = version_of(connection)
    if found > len(migrations):
        raise InboxTooNew(
            f"the inbox has version {found}, and this program knows version {len(migrations)}: "
            "update ccq-tui, or give it another state directory"
        )
