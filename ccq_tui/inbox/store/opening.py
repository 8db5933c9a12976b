"""Opening the database: its permissions, its way of writing, and the handling of a damaged one."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from ccq_tui.inbox.store.errors import failure, is_busy, is_damage
from ccq_tui.inbox.store.schema import APPLICATION_ID, check_tables, migrate
from ccq_tui.inbox.verdicts import InboxBusy, InboxUnavailable

BUSY_SECONDS = 3.0
"""Most seconds that one statement waits for another process."""
_RETRY_SECONDS = 0.02
_COMPANIONS = ("-wal", "-shm")

Files = Mapping[str, tuple[int, int]]
"""Device and inode of a database, under "", and of its companions, under their suffixes."""


@dataclass(frozen=True, slots=True)
class InboxOpened:
    """An open database.

    Attributes:
        connection: The connection, in autocommit mode, for the thread that opened it.
        notice: A notice for the person, for example where a damaged database went; or "".
        files: The open files.
        is_new: Whether it was empty when it was opened.
    """

    connection: sqlite3.Connection
    notice: str = ""
    files: Files = field(default_factory=dict)
    is_new: bool = False


def open_database(path: Path, busy_seconds: float = BUSY_SECONDS, before: Files | None = None) -> InboxOpened:
    """Open the database, and make or mend it if needed; raises `InboxTooNew` and `InboxUnavailable`."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _alone(path, busy_seconds):
            return _open(path, busy_seconds, before)
    except sqlite3.Error as error:
        raise failure(error, path) from error
    except OSError as error:
        raise InboxUnavailable(f"{path}: {error.strerror or error}") from error


def check_file(path: Path) -> None:
    """Check an open database as it is on disk, not in the memory of its connection.

    Raises `sqlite3.Error`, `OSError` or `InboxTooNew`.
    """
    if not path.stat().st_size:
        raise sqlite3.DatabaseError("it is empty")
    connection = sqlite3.connect(path, timeout=0.0, isolation_level=None)
    try:
        _check(connection)
        if not _owner(connection):
            raise sqlite3.DatabaseError("it is empty")
    finally:
        connection.close()


def identity(found: os.stat_result) -> tuple[int, int]:
    """Return the numbers that distinguish a file from every other existing one."""
    return found.st_dev, found.st_ino


@contextmanager
def _alone(path: Path, seconds: float) -> Iterator[None]:
    """Be the only process that opens, makes or moves the database; the lock ends with its process."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # where there are no such locks, an open file cannot be moved either
        yield
        return
    limit = time.monotonic() + seconds
    handle = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        while True:
            try:
                flock(handle, LOCK_EX | LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() >= limit:
                    raise InboxBusy(f"{path}: another process opens the inbox; try again") from error
                time.sleep(_RETRY_SECONDS)
        yield
    finally:
        os.close(handle)


def _open(path: Path, busy_seconds: float, before: Files | None) -> InboxOpened:
    notice = ""
    for last in (False, True):
        _make_private(path, before)
        found = path.stat()
        try:
            connection = _connect(path, busy_seconds)
        except sqlite3.DatabaseError as error:
            if last or not is_damage(error):
                raise
            if aside := _move_aside(path, identity(found)):
                notice = f"The inbox was damaged and is kept as {aside.name}; this is an empty one."
        else:
            break
    companions = {name: identity(place.stat()) for name, place in _companions(path).items() if place.exists()}
    return InboxOpened(connection, notice, {"": identity(found), **companions}, not found.st_size)


def _make_private(path: Path, before: Files | None) -> None:
    """Make the file if there is none, and give access to its owner alone."""
    try:
        found = path.stat()
    except FileNotFoundError:
        if path.is_symlink():
            raise InboxUnavailable(f"{path}: it is a link to nothing") from None
        # Leftovers of another database must not be read as part of the new one.
        for place in _companions(path).values():
            place.unlink(missing_ok=True)
        # The files beside it get the mode of the database itself.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    else:
        if not stat.S_ISREG(found.st_mode):
            raise InboxUnavailable(f"{path}: it is not a file")
        if before and before[""] != identity(found):
            _remove_companions(path, before)
    files = (path, *_companions(path).values())
    for place, mode in ((path.parent, 0o700), *((file, 0o600) for file in files)):
        with suppress(FileNotFoundError):
            if place.stat().st_mode & 0o777 != mode:
                place.chmod(mode)


def _remove_companions(path: Path, before: Files) -> None:
    """Remove companions of the database that had this path: SQLite would read them as part of the new one."""
    for name, place in _companions(path).items():
        with suppress(FileNotFoundError):
            if identity(place.stat()) == before.get(name):
                place.unlink()


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
    _owner(connection)
    connection.execute("PRAGMA journal_mode = WAL")
    # A confirmed answer must survive the loss of power.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    _check(connection)
    migrate(connection)


def _owner(connection: sqlite3.Connection) -> int:
    """Return the application id in the database; 0 for an empty one."""
    owner = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and owner != APPLICATION_ID:
        raise sqlite3.DatabaseError("not an inbox")
    return owner


def _check(connection: sqlite3.Connection) -> None:
    problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if problem != "ok":
        raise sqlite3.DatabaseError(f"damaged: {problem}")
    check_tables(connection)


def _move_aside(path: Path, found: tuple[int, int]) -> Path | None:
    """Rename a damaged database and its companions; return None if another process has done so already."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    aside = path.with_name(f"{path.name}.damaged-{stamp}-{os.getpid()}")
    try:
        if identity(path.stat()) != found:
            return None
        path.rename(aside)
    except FileNotFoundError:
        return None
    for name, place in _companions(path).items():
        with suppress(FileNotFoundError):
            place.rename(aside.with_name(aside.name + name))
    return aside


def _companions(path: Path) -> dict[str, Path]:
    """Return the paths of a database's companions, which SQLite keeps beside the file, not beside a link."""
    place = path.resolve()
    return {name: place.with_name(place.name + name) for name in _COMPANIONS}
