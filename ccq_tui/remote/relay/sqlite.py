"""The store in a file, for one relay process."""

import asyncio
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from ccq_tui.installation import missing
from ccq_tui.remote.relay.store import EVENTS_KEPT, Entry, News, RelayStore, StoreError, Swap
from ccq_tui.stored import private_dir

Found = TypeVar("Found")
BUSY_SECONDS = 10.0
SCHEMA = """
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS entries (
    collection TEXT NOT NULL, key TEXT NOT NULL, seq INTEGER NOT NULL, expires REAL, content TEXT NOT NULL,
    PRIMARY KEY (collection, key)
);
CREATE INDEX IF NOT EXISTS expiring ON entries (expires) WHERE expires IS NOT NULL;
CREATE TABLE IF NOT EXISTS counters (collection TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
    collection TEXT NOT NULL, seq INTEGER NOT NULL, content TEXT NOT NULL, PRIMARY KEY (collection, seq)
) WITHOUT ROWID;
"""
GET = "SELECT seq, content FROM entries WHERE collection = ? AND key = ? AND (expires IS NULL OR expires > ?)"
LIST = "SELECT key, seq, content FROM entries WHERE collection = ? AND (expires IS NULL OR expires > ?)"
COUNT = "SELECT count(*) FROM entries WHERE collection = ? AND (expires IS NULL OR expires > ?)"
NEWEST = "SELECT coalesce(max(seq), 0) FROM counters WHERE collection = ?"
NEXT = """INSERT INTO counters VALUES (?, 1)
    ON CONFLICT (collection) DO UPDATE SET seq = seq + 1 RETURNING seq"""
EVENTS = "SELECT seq, content FROM events WHERE collection = ? AND seq > ? ORDER BY seq"
DROP_EXPIRED = """DELETE FROM entries WHERE rowid IN
    (SELECT rowid FROM entries WHERE expires <= ? ORDER BY expires LIMIT ?)"""


class SqliteStore:
    """A `RelayStore` in a file; all its statements run in one thread."""

    def __init__(self) -> None:
        self.news = News()
        self._thread = ThreadPoolExecutor(1, "relay-store")

    @classmethod
    async def open(cls, path: Path) -> "SqliteStore":
        """Open a file, or make it for its owner alone; raises `StoreError`."""
        store = cls()
        await store._run(lambda: store._connect(path))
        return store

    async def get(self, group: str, key: str) -> Entry | None:
        """Return an entry."""
        rows = await self._rows(GET, group, key, time.time())
        return Entry(*rows[0]) if rows else None

    async def entries(self, group: str) -> Mapping[str, Entry]:
        """Return the entries of a group by their keys."""
        return {key: Entry(*found) for key, *found in await self._rows(LIST, group, time.time())}

    async def count(self, group: str) -> int:
        """Return how many entries a group has."""
        return int((await self._rows(COUNT, group, time.time()))[0][0])

    async def swap(self, change: Swap) -> bool:
        """Change an entry unless it has changed since it was read; return whether it was."""
        done = await self._run(lambda: self._swapped(change))
        if done:
            self.news.wake(change.group)
        return done

    async def events(self, group: str, after: int) -> list[Entry]:
        """Return the events of a group after a number, oldest first."""
        return [Entry(*row) for row in await self._rows(EVENTS, group, after)]

    async def newest(self, group: str) -> int:
        """Return the number of the last change in a group."""
        return int((await self._rows(NEWEST, group))[0][0])

    async def close(self) -> None:
        """Close it, after what runs."""
        await self._run(lambda: self._connection.close())
        self._thread.shutdown(wait=False)

    def _connect(self, path: Path) -> None:
        try:
            private_dir(path.parent)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise StoreError(f"{path} cannot be opened: {error.strerror}") from error
        self._connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        self._connection.executescript(SCHEMA)

    def _swapped(self, change: Swap) -> bool:
        group, key, old, new, expires, event = change
        now, run = time.time(), self._connection.execute
        run("BEGIN IMMEDIATE")
        with self._connection:
            found = run(GET, (group, key, now)).fetchone()
            if (found[0] if found else 0) != (old.seq if old else 0):
                return False
            (seq,) = run(NEXT, (group,)).fetchone()
            run("DELETE FROM entries WHERE collection = ? AND key = ?", (group, key))
            if new is not None:
                run("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", (group, key, seq, expires, new))
            if event is not None:
                run("INSERT INTO events VALUES (?, ?, ?)", (group, seq, event))
                run("DELETE FROM events WHERE collection = ? AND seq <= ?", (group, seq - EVENTS_KEPT))
            # Expired entries that one change drops.
            run(DROP_EXPIRED, (now, 20))
        return True

    async def _rows(self, select: str, *values: object) -> list[Any]:
        return await self._run(lambda: self._connection.execute(select, values).fetchall())

    async def _run(self, function: Callable[[], Found]) -> Found:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, function)
        except sqlite3.Error as error:
            raise StoreError(f"the relay's database cannot be used: {error}") from error


@asynccontextmanager
async def open_store(url: str) -> AsyncIterator[RelayStore]:
    """Open a store until the block ends.

    Args:
        url: ``sqlite:PATH``, or the ``redis://``, ``rediss://`` or ``unix://`` URL of a server.

    Raises:
        StoreError: It cannot be used.
    """
    store = await _opened(url)
    try:
        yield store
    finally:
        store.news.close()
        await store.close()


async def _opened(url: str) -> RelayStore:
    scheme, _, rest = url.partition(":")
    if scheme == "sqlite" and rest:
        return await SqliteStore.open(Path(rest))
    if scheme in ("redis", "rediss", "unix"):
        try:
            from ccq_tui.remote.relay.redis import RedisStore
        except ImportError as error:
            raise StoreError(missing("redis")) from error
        return await RedisStore.open(url)
    raise StoreError(f"{url} is no store: give sqlite:PATH or redis://HOST:PORT/NUMBER")
