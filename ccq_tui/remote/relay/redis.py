"""The store in Redis, for any number of relay processes."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from redis.asyncio import BlockingConnectionPool, Redis
from redis.exceptions import RedisError

from ccq_tui.remote.relay.records import PENDING_SECONDS
from ccq_tui.remote.relay.store import EVENTS_KEPT, Entry, News, StoreError, Swap

NEWS = "ccq-tui:news"
CALL_SECONDS = 5.0

SWAP = Path(__file__).with_name("swap.lua").read_text(encoding="ascii")
_logger = logging.getLogger(__name__)


class RedisStore:
    """A `RelayStore` in a Redis server; nothing of it is in this process."""

    def __init__(self, redis: Redis) -> None:
        self.news = News()
        self._redis: Any = redis  # its types are those of both answers, as bytes and as text
        self._swap = redis.register_script(SWAP)
        self._listener: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, url: str) -> "RedisStore":
        """Connect to a server; raises `StoreError`."""
        try:
            pool = BlockingConnectionPool.from_url(
                url,
                max_connections=50,
                timeout=CALL_SECONDS,
                socket_timeout=CALL_SECONDS,
                health_check_interval=30,
                decode_responses=True,
            )
        except ValueError as error:
            raise StoreError(f"the URL of the Redis server is wrong: {error}") from error
        store = cls(Redis(connection_pool=pool))
        try:
            await store.newest("")
        except StoreError:
            await store.close()
            raise
        listening = asyncio.Event()
        store._listener = asyncio.create_task(store._listen(listening))
        await listening.wait()
        return store

    async def get(self, group: str, key: str) -> Entry | None:
        """Return an entry."""
        return _entry(await _done(self._redis.get(_key(group, "of", key))))

    async def entries(self, group: str) -> Mapping[str, Entry]:
        """Return the entries of a group by their keys."""
        keys = await _done(self._redis.zrange(_key(group, "index"), 0, -1))
        texts = await _done(self._redis.mget([_key(group, "of", key) for key in keys])) if keys else []
        found = {key: _entry(text) for key, text in zip(keys, texts, strict=True)}
        return {key: entry for key, entry in found.items() if entry}

    async def count(self, group: str) -> int:
        """Return how many entries a group has."""
        now = _milliseconds(time.time())
        return int(await _done(self._redis.zcount(_key(group, "index"), f"({now}", "+inf")))

    async def swap(self, change: Swap) -> bool:
        """Change an entry unless it has changed since it was read; return whether it was."""
        group, key, old, new, expires, event = change
        keys = [_key(group, *part) for part in (("of", key), ("index",), ("seq",), ("events",))]
        ends = "" if expires is None else _milliseconds(expires)
        values: list[Any] = [key, old.seq if old else 0, new or "", ends, _milliseconds(time.time())]
        values += [event or "", EVENTS_KEPT, _milliseconds(PENDING_SECONDS), NEWS, group]
        return bool(await _done(self._swap(keys=keys, args=values)))

    async def events(self, group: str, after: int) -> list[Entry]:
        """Return the events of a group after a number, oldest first."""
        rows = await _done(self._redis.xrange(_key(group, "events"), min=f"({after}-0"))
        return [Entry(int(number.partition("-")[0]), row["content"]) for number, row in rows]

    async def newest(self, group: str) -> int:
        """Return the number of the last change in a group."""
        return int(await _done(self._redis.get(_key(group, "seq"))) or 0)

    async def close(self) -> None:
        """Close all connections."""
        if self._listener is not None:
            self._listener.cancel()
            with suppress(asyncio.CancelledError):
                await self._listener
        await self._redis.aclose()

    async def _listen(self, listening: asyncio.Event) -> None:
        """Pass on what any process changed; after a lost connection, anything may have changed."""
        while True:
            try:
                async with self._redis.pubsub(ignore_subscribe_messages=False) as pubsub:
                    await pubsub.subscribe(NEWS)
                    while True:
                        message = await pubsub.get_message(timeout=CALL_SECONDS / 2)
                        if message is not None and message["type"] == "message":
                            self.news.wake(message["data"])
                        elif message is not None:
                            self.news.wake(None)
                            listening.set()
            except (RedisError, OSError) as error:
                _logger.warning("Redis is lost (%s); connecting again", type(error).__name__)
                await asyncio.sleep(0.5)


def _key(group: str, *parts: str) -> str:
    """Name a Redis key; the braces keep all keys of a group in one place of a cluster."""
    return ":".join((f"ccq-tui:{{{group}}}", *parts))


def _entry(text: str | None) -> Entry | None:
    seq, _, content = (text or "").partition(" ")
    return Entry(int(seq), content) if seq else None


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)


async def _done(reply: Awaitable[Any]) -> Any:
    """Return a reply of the server; raises `StoreError`."""
    try:
        return await reply
    except (RedisError, OSError) as error:
        raise StoreError(f"the Redis server failed: {error}") from error
