"""The choice of a store by its URL."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ccq_tui.remote.relay.store import RelayStore, StoreError


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
        from ccq_tui.remote.relay.sqlite import SqliteStore

        return await SqliteStore.open(Path(rest))
    if scheme in ("redis", "rediss", "unix"):
        try:
            from ccq_tui.remote.relay.redis import RedisStore
        except ImportError as error:
            raise StoreError('the extra "redis" is missing: pip install "ccq-tui[redis]"') from error
        return await RedisStore.open(url)
    raise StoreError(f"{url} is no store: give sqlite:PATH or redis://HOST:PORT/NUMBER")
