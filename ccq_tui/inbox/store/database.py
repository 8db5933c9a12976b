"""One connection, and the operations that all tables share."""

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.store import schema
from ccq_tui.inbox.store.encoding import actor_to_json, storable
from ccq_tui.inbox.store.rows import stamp
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


class InboxOpened(NamedTuple):
    """An open database.

    Attributes:
        connection: The connection, in autocommit mode, for the thread that opened it.
        notice: A notice for the person, for example where a damaged database went; or "".
        files: The open files.
    """

    connection: sqlite3.Connection
    notice: str
    files: Files


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
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and owner != schema.APPLICATION_ID:
        raise sqlite3.DatabaseError("not an inbox")
    found = schema.version_of(connection)
    if found > schema.VERSION:
        raise InboxTooNew(
            f"the inbox has version {found}, and this program knows version {schema.VERSION}: "
            "update ccq-tui, or give it another state directory"
        )
    if 0 < found < schema.VERSION:
        raise InboxUnavailable(
            f"{path}: the inbox has version {found}, and this program knows version {schema.VERSION}: "
            "move it away, and an empty one takes its place"
        )


def _require_current(connection: sqlite3.Connection) -> None:
    if not schema.is_current(connection):
        raise sqlite3.DatabaseError("an older version")


def _mend(connection: sqlite3.Connection) -> None:
    problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if problem != "ok":
        raise sqlite3.DatabaseError(f"damaged: {problem}")
    if not schema.is_current(connection):
        schema.bring_forward(connection)


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


MOST_NAME, MOST_CALL = 500, 2000
"""Most characters kept of the ids of a session and of a call."""
PAGE = 200
"""Most rows of a list returned at once."""

Subject = tuple[str, str | None]
"""A session, and its request of which something is said, or None for the session itself."""
States = tuple[str, str]
"""The state before a change and the one after it."""


def name_key(session_id: str) -> str:
    """Return the id of a session as the database takes it."""
    return storable(session_id, MOST_NAME)


def call_key(tool_use_id: str) -> str:
    """Return the id of a call as the database takes it."""
    return storable(tool_use_id, MOST_CALL)


def request_key(request_id: str) -> str:
    """Return the id of a request as the database takes it."""
    return storable(request_id, MOST_CALL + 1 + MOST_NAME)


class Database:
    """A database, for the thread that opens it; arguments and errors are those of `Store`.

    Attributes:
        notice: A notice for the person about the opening, or "".
        files: The open files.
    """

    def __init__(self, path: Path, busy_seconds: float, now: Callable[[], datetime]) -> None:
        self.path = path
        self._connection, self.notice, self.files = open_database(path, busy_seconds)
        self._now = now

    def close(self) -> None:
        """End the connection; what was written stays, also in a file that lost its path or its log."""
        with suppress(OSError):
            self._finish(files_of(self.path))
        self._connection.close()

    def versions(self) -> tuple[int, int]:
        """Return numbers that change when another connection has written, and when this one has.

        Raises `InboxUnavailable`.
        """
        return int(self.rows("PRAGMA data_version")[0][0]), self._connection.total_changes

    def is_current(self) -> bool:
        """Whether the path still has the files that are open, the log among them."""
        try:
            return files_of(self.path) == self.files
        except OSError:
            return False

    def _finish(self, here: Files) -> None:
        is_moved = here.get("") != self.files[""]
        if is_moved or LOG not in here:  # beside another log, another process may write into the file
            self.complete()
        for name, place in companions(self.path).items() if is_moved else ():
            if here.get(name) == self.files.get(name):  # SQLite would read it as part of the next file
                place.unlink(missing_ok=True)

    def complete(self) -> None:
        """Write the log into the file, as far as others and the disk allow, without waiting for them."""
        with suppress(sqlite3.Error):  # the log keeps what the file does not get
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def copy_to(self, target: Path) -> None:
        """Copy the whole database into a new file that only its owner reads; raises `InboxUnavailable`."""
        part = target.with_name(f"{target.name}.part-{os.getpid()}")
        with translated(target):
            try:
                os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
                self._connection.execute("VACUUM INTO ?", (str(part),))
                part.replace(target)
            finally:
                part.unlink(missing_ok=True)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if is_damage(error) and (notice := mend_database(self.path)):
                raise InboxUnavailable(f"{notice} Try again.") from error
            raise failure(error, self.path) from error

    def _require_path(self) -> None:
        """Refuse to write where nobody would read it."""
        if not self.is_current():
            raise InboxUnavailable(f"{self.path}: it was moved, deleted or replaced; try again")

    @contextmanager
    def writing(self) -> Iterator[str]:
        """Do everything inside or nothing, alone among all processes; yield the time of the change.

        Raises `InboxUnavailable`.
        """
        self._require_path()
        with self._translated(), schema.transaction(self._connection):
            yield stamp(self._now())
        self._require_path()

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Return the rows of a query; raises `InboxUnavailable`."""
        with self._translated():
            return self._connection.execute(query, values).fetchall()

    def do(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Change rows inside `writing`, and return their number."""
        return self._connection.execute(statement, values).rowcount

    def note(self, at: str, of: Subject, change: States, cause: str, actor: Actor | None = None) -> None:
        """Write a row of history inside `writing`."""
        row = {"at": at, "session_id": of[0], "request_id": of[1], "was": change[0], "became": change[1]}
        self.insert("history", row | {"cause": storable(cause, 2000), "actor": actor_to_json(actor)})

    def insert(self, table: str, row: Mapping[str, object], conflict: str = "") -> int:
        """Add a row inside `writing`, and return the number of rows added; ``conflict`` is SQL's clause."""
        columns, marks = ", ".join(row), ", ".join("?" * len(row))
        return self.do(f"INSERT INTO {table} ({columns}) VALUES ({marks}) {conflict}", list(row.values()))  # noqa: S608 - ours


class Table:
    """A part of a store that reads and writes one table, or some."""

    def __init__(self, database: Database) -> None:
        self._database = database
