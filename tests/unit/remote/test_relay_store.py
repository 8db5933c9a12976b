"""What both stores do alike."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from ccq_tui.remote.relay.redis import RedisStore
from ccq_tui.remote.relay.store import Entry, RelayStore, StoreError, Swap
from ccq_tui.remote.relay.stores import open_store
from tests.unit.remote.relays import redis_server


@pytest.fixture(params=["sqlite", "redis"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RelayStore]:
    file = nullcontext(f"sqlite:{tmp_path / 'relay.db'}")
    with redis_server(tmp_path) if request.param == "redis" else file as url:
        async with open_store(url) as made:
            yield made


async def test_an_entry_changes_only_as_it_was_read(store: RelayStore) -> None:
    assert await store.get("g", "k") is None
    assert await store.swap(Swap("g", "k", None, "one"))
    assert not await store.swap(Swap("g", "k", None, "two"))
    assert await store.get("g", "k") == (first := Entry(1, "one"))
    assert await store.swap(Swap("g", "k", first, "two"))
    assert not await store.swap(Swap("g", "k", first, "three"))
    assert await store.swap(Swap("g", "other", None, "x y\nz"))
    assert await store.entries("g") == {"k": Entry(2, "two"), "other": Entry(3, "x y\nz")}
    assert (await store.count("g"), await store.count("h"), await store.newest("g")) == (2, 0, 3)
    assert await store.swap(Swap("g", "k", Entry(2, "two"), None))
    assert await store.get("g", "k") is None
    assert await store.entries("g") == {"other": Entry(3, "x y\nz")}


async def test_what_has_expired_is_not_there(store: RelayStore) -> None:
    assert await store.swap(Swap("g", "old", None, "one", expires=time.time() - 1))
    assert await store.swap(Swap("g", "new", None, "two", expires=time.time() + 100))
    assert await store.get("g", "old") is None
    assert await store.entries("g") == {"new": Entry(2, "two")}
    assert await store.count("g") == 1
    assert await store.swap(Swap("g", "old", None, "three"))


async def test_one_of_many_wins_and_its_event_is_the_only_one(store: RelayStore) -> None:
    with store.news.listening("g") as news:
        swaps = (store.swap(Swap("g", "k", None, str(n), event="it was added")) for n in range(20))
        assert sum(await asyncio.gather(*swaps)) == 1
        await asyncio.wait_for(news.wait(), 5)
    assert await store.events("g", 0) == [Entry(1, "it was added")]
    assert await store.events("g", 1) == []


async def test_a_server_that_comes_back_is_used_again(tmp_path: Path) -> None:
    with redis_server(tmp_path) as url:
        opened = await RedisStore.open(url)
        assert await opened.swap(Swap("g", "k", None, "one"))
    with pytest.raises(StoreError, match="the Redis server failed"):
        await opened.get("g", "k")
    with redis_server(tmp_path) as url, opened.news.listening("g") as news:
        await asyncio.wait_for(news.wait(), 20)  # it listens again
        news.clear()
        assert await opened.get("g", "k") is None
        assert await opened.swap(Swap("g", "k", None, "two"))
        await asyncio.wait_for(news.wait(), 20)
    await opened.close()
