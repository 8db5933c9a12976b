"""The tables, made of the records in `rows`.

A database that lacks a table or a column, as a new one or an older one does, gets it when it is opened.
"""

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ccq_tui.inbox.store.encoding import NUMBER, TEXT, columns_of
from ccq_tui.inbox.store.rows import FOUND, OF_ANSWER, Change, StoredCommand, StoredRequest, StoredSession

APPLICATION_ID = 0x43435149
"""Marks a database as an inbox ("CCQI"), so that nobody else's file is taken for one."""
VERSION = 8
"""The only version that is known; earlier ones were never released."""


def _columns(record: type, *, without: Collection[str] = ()) -> dict[str, str]:
    return {name: one.declared for name, one in columns_of(record).items() if name not in without}


_NUMBER = {"number": "INTEGER PRIMARY KEY AUTOINCREMENT"}
_OWNER = {"owner_pid": "INTEGER", "owner_start": TEXT}
# The primary key is a second lock behind the conditional update: no request has two outcomes.
_OF_REQUEST = {"request_id": "TEXT PRIMARY KEY REFERENCES requests (id) ON UPDATE CASCADE"}
# What the history, lists and the ids of requests call the asker: no session has the same as another asker,
# though Claude Code's hooks ask under the ids of its sessions.
_NAME = "CASE asker WHEN 'session' THEN asker_id ELSE asker || ':' || asker_id END"
TABLES: Mapping[str, Mapping[str, str]] = {
    "sessions": _columns(StoredSession) | {"id": "TEXT PRIMARY KEY"} | _OWNER,
    "requests": {
        **_columns(StoredRequest, without=OF_ANSWER | FOUND),
        **_NUMBER,
        "id": "TEXT NOT NULL UNIQUE",
        **dict.fromkeys(("call", "asker", "asker_id", "kind", "body"), TEXT),
        "session_id": f"TEXT GENERATED ALWAYS AS ({_NAME})",
    },
    "drafts": {
        **_OF_REQUEST,
        **dict.fromkeys(("body", "saved_at"), TEXT),
        "actor": f"{TEXT} DEFAULT ''",
        "serial": f"{NUMBER} DEFAULT 0",
    },
    "answers": _OF_REQUEST | _columns(StoredRequest, without=columns_of(StoredRequest).keys() - OF_ANSWER),
    "history": _columns(Change) | _NUMBER | {"request_id": "TEXT"},
    "commands": {
        **_columns(StoredCommand),
        **_NUMBER,
        "at": TEXT,
        "taken_pid": "INTEGER",
        "taken_start": f"{TEXT} DEFAULT ''",
    },
    "listeners": {"pid": NUMBER, "start": TEXT, "focused": "INTEGER", "proven_at": "REAL"},
    "prompts": {
        **_NUMBER,
        **dict.fromkeys(("kept_for", "unbegun", "body", "keeper", "saved_at"), TEXT),
        **_OWNER,
    },
}
"""The columns of each table, with what is declared of them."""
_INDEXES = (
    "INDEX IF NOT EXISTS sessions_changed ON sessions (changed_at)",
    "INDEX IF NOT EXISTS requests_pending ON requests (number) WHERE state = 'pending'",
    "UNIQUE INDEX IF NOT EXISTS requests_call ON requests (call, asker_id, asker)",
    "INDEX IF NOT EXISTS requests_session ON requests (session_id, state)",
    "INDEX IF NOT EXISTS drafts_serial ON drafts (serial)",
    "INDEX IF NOT EXISTS history_session ON history (session_id, number)",
    "INDEX IF NOT EXISTS history_request ON history (request_id, number)",
    "INDEX IF NOT EXISTS commands_open ON commands (number) WHERE state = 'open'",
    "UNIQUE INDEX IF NOT EXISTS listeners_process ON listeners (pid, start)",
    "INDEX IF NOT EXISTS prompts_kept_for ON prompts (kept_for)",
)


def row_of(record: Any, table: str) -> dict[str, object]:
    """Return the columns of a table that a record has, as they are written; the database numbers its rows."""
    written, names = columns_of(record.__class__).items(), TABLES[table].keys() - _NUMBER.keys()
    return {name: one.write(getattr(record, name)) for name, one in written if name in names}


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of a database's tables; 0 if it has none."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def is_current(connection: sqlite3.Connection) -> bool:
    """Whether a database has this version, and lacks nothing."""
    return version_of(connection) == VERSION and not _lacking(connection)


def bring_forward(connection: sqlite3.Connection) -> None:
    """Give a database all that it lacks, in one transaction: everything is done or nothing."""
    with transaction(connection):
        for table, columns in TABLES.items():
            declared = ", ".join(f"{name} {rest}" for name, rest in columns.items())
            connection.execute(f"CREATE TABLE IF NOT EXISTS {table} ({declared})")
        for table, name in _lacking(connection):
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {name} {TABLES[table][name]}")
        for index in _INDEXES:
            connection.execute(f"CREATE {index}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Do everything inside or nothing, alone among all processes."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk, or a commit that failed, may have ended it already; its own error gives the reason.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _lacking(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    """Return each column that is not there, with its table."""
    query = "SELECT t.name, c.name FROM sqlite_master t, pragma_table_xinfo(t.name) c WHERE t.type = 'table'"
    found = {(table, column) for table, column in connection.execute(query)}
    return {(table, name) for table, columns in TABLES.items() for name in columns} - found
