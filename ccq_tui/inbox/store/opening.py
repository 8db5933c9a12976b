"""Opening the database: who may read it, how it writes, and what becomes of one that is damaged."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ccq_tui.inbox.store.failing import failure, is_busy, is_damage
from ccq_tui.inbox.store.schema import APPLICATION_ID, migrate
from ccq_tui.inbox.verdicts import InboxUnavailable

BUSY_SECONDS = 3.0
"""How long one statement waits for another process."""
_RETRY_SECONDS = 0.02
_COMPANIONS = ("", "-wal", "-shm")


@dataclass(frozen=True, slots=True)
class InboxOpened:
    """An open database.

    Attributes:
        connection: The connection, in autocommit mode, for the thread that opened it.
        notice: What a person should know, for example where a damaged database went; or "".
    """

    connection: sqlite3.Connection
    notice: str = ""


def open_database(path: Path, busy_seconds: float = BUSY_SECONDS) -> InboxOpened:
    """Open the database, and make or mend it where that is needed.

    Args:
        path: The file; it and its directory are made, for their owner alone.
        busy_seconds: How long to wait for other processes.

    Returns:
        The connection, and what a person should know.

    Raises:
        InboxTooNew: A newer program made the database.
        InboxUnavailable: It cannot be opened or written.
    """
    try:
        _make_private(path)
        inode = path.stat().st_ino
        try:
            return InboxOpened(_connect(path, busy_seconds))
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
        aside = _move_aside(path, inode)
        _make_private(path)
        notice = f"The inbox was damaged and is kept as {aside.name}; this is an empty one." if aside else ""
        return InboxOpened(_connect(path, busy_seconds), notice)
    except sqlite3.Error as error:
        raise failure(error, path) from error
    except OSError as error:
        raise InboxUnavailable(f"{path}: {error.strerror or error}") from error


def _make_private(path: Path) -> None:
    directory = path.parent
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The files beside it get the mode of the database itself.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    for place, mode in ((directory, 0o700), *((_beside(path, name), 0o600) for name in _COMPANIONS)):
        with suppress(FileNotFoundError):
            if place.stat().st_mode & 0o777 != mode:
                place.chmod(mode)


def _connect(path: Path, busy_seconds: float) -> sqlite3.Connection:
    """Connect, and try again while several processes make the database at once."""
    limit = time.monotonic() + busy_seconds
    while True:
        connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
        try:
            _set_up(connection)
        except BaseException as error:
            connection.close()
            if not is_busy(error) or time.monotonic() >= limit:
                raise
            # Some locks of the change to write-ahead logging are refused at once.
            time.sleep(_RETRY_SECONDS)
        else:
            return connection


def _set_up(connection: sqlite3.Connection) -> None:
    connection.row_factory = sqlite3.Row
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and owner != APPLICATION_ID:
        raise sqlite3.DatabaseError("not an inbox")
    connection.execute("PRAGMA journal_mode = WAL")
    # What a person confirmed must survive the loss of power.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if problem != "ok":
        raise sqlite3.DatabaseError(f"damaged: {problem}")
    migrate(connection)


def _move_aside(path: Path, inode: int) -> Path | None:
    """Rename a damaged database and its companions; None when another process has done so already."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    aside = path.with_name(f"{path.name}.damaged-{stamp}-{os.getpid()}")
    try:
        if path.stat().st_ino != inode:
            return None
        path.rename(aside)
    except FileNotFoundError:
        return None
    for name in _COMPANIONS[1:]:
        with suppress(FileNotFoundError):
            _beside(path, name).rename(_beside(aside, name))
    return aside


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)
