"""What a relay stores: what both stores do alike, and the rules of records, whatever comes in any order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.remote.relay import records
from ccq_tui.remote.relay.problems import ProblemError
from ccq_tui.remote.relay.records import KEPT_SECONDS, PENDING_SECONDS, Record, RecordChange, utc
from ccq_tui.remote.relay.redis import RedisStore
from ccq_tui.remote.relay.store import Entry, RelayStore, StoreError, Swap, open_store
from tests.unit.remote.relays import redis_server


@pytest.fixture
async def store(store_url: str) -> AsyncIterator[RelayStore]:
    async with open_store(store_url) as made:
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


# -- the rules of records ------------------------------------------------------------------------------------


LONGEST = PENDING_SECONDS + records.SKEW_SECONDS
CONTENTS = [{"sealed": "one"}, {"sealed": "two"}]
DEVICE = {"id": "d", "name": "phone"}
STATEMENT = {"sealed": "stated"}


def record(content: dict[str, Any], now: float) -> Record:
    ends = now + PENDING_SECONDS
    return Record(id="r", posted=now, expires=utc(ends), ends=ends, content=content)


def step(old: Record | None, action: tuple[Any, ...], now: float) -> RecordChange:
    match action:
        case ("post", number):
            return records.posted(old, record(CONTENTS[number], 0.0))
        case ("answer", number):
            return records.answered(old, {"sealed": str(number)}, DEVICE, now)
        case ("state", status, unanswered):
            return records.stated(old, status, STATEMENT, now, unanswered=unanswered)
        case _:
            return records.removed(old)


ACTIONS = st.one_of(
    st.tuples(st.just("post"), st.integers(0, 1)),
    st.tuples(st.just("answer"), st.integers(0, 3)),
    st.tuples(st.just("state"), st.sampled_from(["pending", "answered", "ended"]), st.booleans()),
    st.just(("remove",)),
)


@given(st.lists(ACTIONS, max_size=20))
def test_an_answer_is_taken_once_and_a_refusal_changes_nothing(actions: list[tuple[Any, ...]]) -> None:
    now: Record | None = None
    for number, action in enumerate(actions):
        old, (name, *_) = now, action
        try:
            change = step(old, action, float(number))
        except ProblemError as problem:
            refused = problem.status, problem.more
        else:
            refused = None
        if refused:
            winner = {"winner": old.answer} if old and name != "post" else {}
            assert refused == (404 if old is None else 409, winner)
            continue
        now = change.record
        assert (change.event is None) == (now == old)
        if name == "answer":
            assert old is not None
            assert (old.status, old.answer) == ("pending", None)
            assert now is not None
            assert (now.status, now.answer is None) == ("answered", False)
        elif now is not None and old is not None:
            assert now.answer in (old.answer, None)
            assert now.answer == old.answer or now.status == "pending"
            assert (now.content, now.expires, now.id) == (old.content, old.expires, old.id)
        if now is not None:
            wanted = now.ends if now.status == "pending" else number + KEPT_SECONDS
            assert now.gone_at == wanted or (change.event is None and now.gone_at < wanted)


@pytest.mark.parametrize(("seconds", "fits"), [(1, True), (LONGEST, True), (0, False), (LONGEST + 1, False)])
def test_a_request_expires_within_seven_days_and_a_skewed_clock(seconds: float, fits: bool) -> None:
    now = 1_800_000_000.0
    if fits:
        assert records.expiry(utc(now + seconds), now) == now + seconds
        return
    with pytest.raises(ProblemError, match=utc(now)) as problem:
        records.expiry(utc(now + seconds), now)
    assert (problem.value.status, problem.value.field) == (400, "request.expires")
