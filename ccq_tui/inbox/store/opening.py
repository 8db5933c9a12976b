"""Opening the database: its permissions, its way of writing, and the handling of a damaged one.

Most openings share a lock and read little. Making and checking a database needs the lock alone.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from ccq_tui.inbox.store.schema import APPLICATION_ID, VERSION, bring_forward, is_current, version_of
from ccq_tui.inbox.verdicts import InboxBusy, InboxTooNew, InboxUnavailable
from ccq_tui.stored import locked, private_dir

LOG = "-wal"
BUSY_SECONDS = 3.0
"""Most seconds that one statement waits for another process."""
PATIENT_SECONDS = 600.0
"""The same for what nobody waits for, and what must not be lost."""
DAMAGED = "The inbox was damaged and is kept as {}; this is an empty one."

Files = Mapping[str, tuple[int, int]]
"""Device and inode of a database, under "", and of its companions, under their suffixes."""

_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_WORDS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it may not be written",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_PERM: "it may not be read",
    sqlite3.SQLITE_IOERR: "the disk does not read or write it",
    sqlite3.SQLITE_CORRUPT: "it is damaged",
    sqlite3.SQLITE_NOTADB: "it is damaged",
}


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is at fault; our own checks raise errors without a code."""
    return _code(error) in _DAMAGE or type(error) is sqlite3.DatabaseError


def failure(error: sqlite3.Error, path: Path) -> InboxUnavailable:
    """Return an error of SQLite as one for a person."""
    if _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return InboxBusy(f"{path}: another process holds the inbox; try again")
    return InboxUnavailable(f"{path}: {_WORDS.get(_code(error), str(error))}")


def _code(error: sqlite3.Error) -> int:
    """Return the primary code; the extended ones have it in their lowest byte."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


@dataclass(frozen=True, slots=True)
class InboxOpened:
    """An open database.

    Attributes:
        connection: The connection, in autocommit mode, for the thread that opened it.
        notice: A notice for the person, for example where a damaged database went; or "".
        files: The open files.
    """

    connection: sqlite3.Connection
    notice: str = ""
    files: Files = field(default_factory=dict)


def open_database(path: Path, busy_seconds: float = BUSY_SECONDS) -> InboxOpened:
    """Open the database, and make or mend it if needed; raises `InboxTooNew` and `InboxUnavailable`."""
    with translated(path):
        private_dir(path.parent)
        with _locked(path, busy_seconds, shared=True):
            if path.is_file() and path.stat().st_size:
                try:
                    return _opened(path, busy_seconds, _require_current)
                except sqlite3.DatabaseError as error:
                    if not is_damage(error):
                        raise
        with _locked(path, busy_seconds):
            return _mended(path, busy_seconds)


def mend_database(path: Path) -> str:
    """Check all of a database after an error, and put an empty one in the place of a damaged one.

    Returns the notice for the person, or "" if it is whole. Raises `InboxTooNew` and `InboxUnavailable`.
    """
    with translated(path), _locked(path, BUSY_SECONDS):
        opened = _mended(path, BUSY_SECONDS)
        opened.connection.close()
    return opened.notice


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise the errors of SQLite and of the system as `InboxUnavailable`."""
    try:
        yield
    except sqlite3.Error as error:
        raise failure(error, path) from error
    except OSError as error:
        raise InboxUnavailable(f"{path}: {error.strerror or error}") from error


def _identity(found: os.stat_result) -> tuple[int, int]:
    """Return the numbers that distinguish a file from every other existing one."""
    return found.st_dev, found.st_ino


def files_of(path: Path) -> Files:
    """Return the files that are a database at a path now."""
    places = {"": path, **companions(path)}
    return {name: _identity(place.stat()) for name, place in places.items() if place.exists()}


@contextmanager
def _locked(path: Path, seconds: float, *, shared: bool = False) -> Iterator[None]:
    """Keep other processes from making or moving the database, and from opening it unless ``shared``."""
    with locked(path.parent, seconds, shared=shared) as done:
        if not done:
            raise InboxBusy(f"{path}: another process opens the inbox; try again")
        yield


def _mended(path: Path, busy_seconds: float) -> InboxOpened:
    """Open a database, and make, mend or replace it first if needed; nobody else opens it meanwhile."""
    try:
        return _opened(path, busy_seconds, _mend)
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
    return _opened(path, busy_seconds, _mend, DAMAGED.format(_move_aside(path).name))


def _opened(
    path: Path, busy_seconds: float, prepare: Callable[[sqlite3.Connection], None], notice: str = ""
) -> InboxOpened:
    _make_private(path)
    found = path.stat()
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
    try:
        connection.row_factory = sqlite3.Row
        _require_inbox(path, connection)
        connection.execute("PRAGMA journal_mode = WAL")
        # A confirmed answer must survive the loss of power.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        prepare(connection)
        return InboxOpened(connection, notice, {**files_of(path), "": _identity(found)})
    except BaseException:
        connection.close()
        raise


def _make_private(path: Path) -> None:
    """Make the file if there is none, and give access to its owner alone."""
    if not path.exists():
        if path.is_symlink():
            raise InboxUnavailable(f"{path}: it is a link to nothing")
        # Leftovers of another database must not be read as part of the new one.
        for place in companions(path).values():
            place.unlink(missing_ok=True)
        # The files beside it get the mode of the database itself.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    elif not path.is_file():
        raise InboxUnavailable(f"{path}: it is not a file")
    for place in (path.parent, path, *companions(path).values()):
        mode = 0o700 if place == path.parent else 0o600
        with suppress(FileNotFoundError):
            if place.stat().st_mode & 0o777 != mode:
                place.chmod(mode)


def _require_inbox(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse another program's database, and an inbox of a version that is not known."""
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] and owner != APPLICATION_ID:
        raise sqlite3.DatabaseError("not an inbox")
    found = version_of(connection)
    if found > VERSION:
        raise InboxTooNew(
            f"the inbox has version {found}, and this program knows version {VERSION}: "
            "update ccq-tui, or give it another state directory"
        )
    if 0 < found < VERSION:
        raise InboxUnavailable(
            f"{path}: the inbox has version {found}, and this program knows version {VERSION}: "
            "move it away, and an empty one takes its place"
        )


def _require_current(connection: sqlite3.Connection) -> None:
    if not is_current(connection):
        raise sqlite3.DatabaseError("an older version")


def _mend(connection: sqlite3.Connection) -> None:
    problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if problem != "ok":
        raise sqlite3.DatabaseError(f"damaged: {problem}")
    if not is_current(connection):
        bring_forward(connection)


def _move_aside(path: Path) -> Path:
    """Rename a damaged database and its companions; nobody else opens it meanwhile."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    aside = path.with_name(f"{path.name}.damaged-{stamp}-{os.getpid()}")
    path.rename(aside)
    for name, place in companions(path).items():
        with suppress(FileNotFoundError):
            place.rename(aside.with_name(aside.name + name))
    return aside


def companions(path: Path) -> dict[str, Path]:
    """Return the paths of a database's companions, which SQLite keeps beside the file, not beside a link."""
    place = path.resolve()
    return {name: place.with_name(place.name + name) for name in (LOG, "-shm")}
