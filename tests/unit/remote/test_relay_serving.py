"""How a relay starts, what it serves beside the calls, and what it leaves on the disk."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from redis import Redis

from ccq_tui.cli.main import cli
from ccq_tui.remote.relay import records
from ccq_tui.remote.relay.endpoints import PAGE
from ccq_tui.remote.relay.records import KEPT_SECONDS, PENDING_SECONDS, Record, RecordChange, utc
from ccq_tui.remote.relay.redis import RedisStore
from ccq_tui.remote.relay.serve import RelayOptions, serve_relay
from ccq_tui.remote.relay.sqlite import open_store
from ccq_tui.remote.relay.store import Entry, RelayStore, StoreError, Swap
from ccq_tui.remote.seal import KEY_BYTES, About, Code, Sealed, Sealer, from_base64
from ccq_tui.web.problems import ProblemError
from ccq_tui.web.serving import ServeError, check_exposed
from tests.tables import each_row
from tests.unit.remote import relays
from tests.unit.remote.notify.doubles import serving
from tests.unit.remote.relays import Caller, RunningRelay, TestPairing, redis_server, running


async def test_a_port_in_use_and_bad_files_are_named(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'relay.db'}"
    async with running(tmp_path) as relay:
        port = int(relay.url.rpartition(":")[2])
        why = f"port {port} of 127.0.0.1 cannot be used: Address already in use"
        with pytest.raises(ServeError, match=why):
            await serve_relay(RelayOptions(store, port=port))
    missing = tmp_path / "missing.pem"
    with pytest.raises(ServeError, match=r"missing\.pem cannot be used with its key: No such file"):
        await serve_relay(RelayOptions(store, port=0, certificate=missing, key=missing))
    with pytest.raises(ServeError, match="a certificate needs its key"):
        await serve_relay(RelayOptions(store, port=0, certificate=missing))
    (tmp_path / "relay.db").unlink(missing_ok=True)
    (tmp_path / "relay.db").write_bytes(b"no database, but long enough to be looked at" * 100)
    with pytest.raises(StoreError, match="file is not a database"):
        await serve_relay(RelayOptions(store, port=0))


@each_row("192.0.2.1", "::", "box.example")
def test_a_network_is_served_by_tls_or_by_force(host: str) -> None:
    with pytest.raises(ServeError, match=f"{host} can be reached .* Tailscale or Caddy"):
        check_exposed(RelayOptions("sqlite:x", host=host))
    check_exposed(RelayOptions("sqlite:x", host=host, plain=True))
    check_exposed(RelayOptions("sqlite:x", host=host, certificate=Path("c"), key=Path("k")))
    check_exposed(RelayOptions("sqlite:x", host="::1"))


@pytest.mark.parametrize("url", ["sqlite:", "mysql://x", "", "redis://127.0.0.1:1/0"])
async def test_a_store_that_cannot_be_used_is_named(url: str) -> None:
    with pytest.raises(StoreError):
        async with open_store(url):
            pass


async def test_the_page_is_served_as_it_is_and_nothing_else(relay: RunningRelay) -> None:
    types = {"/": "text/html; charset=utf-8", "/app.js": "text/javascript; charset=utf-8"}
    types |= {"/index.html": types["/"], "/manifest.webmanifest": "application/manifest+json"}
    for path, media_type in types.items():
        found = await relay.nobody("GET", path)
        assert (found.status_code, found.content) == (200, (PAGE / (path[1:] or "index.html")).read_bytes())
        assert (found.headers["content-type"], found.headers["cache-control"]) == (media_type, "no-cache")
        tag = found.headers["etag"]
        again = await relay.nobody("GET", path, headers={"If-None-Match": tag})
        assert (again.status_code, again.text, again.headers["etag"]) == (304, "", tag)
    for path in ("/nothing.js", "/../relay/app.py", "/%2e%2e/relay/app.py", "/page/"):
        assert (await relay.nobody("GET", path)).status_code == 404
    assert (await relay.nobody("HEAD", "/app.js")).text == ""


def kept_in(store_url: str) -> bytes:
    """All files of a store, or every key and its value."""
    if store_url.startswith("sqlite:"):
        database = Path(store_url.removeprefix("sqlite:"))
        assert database.stat().st_mode & 0o777 == 0o600
        return b"".join(file.read_bytes() for file in database.parent.iterdir())
    with Redis.from_url(store_url) as redis:
        keys = redis.keys("*")
        read = {b"string": redis.get, b"stream": redis.xrange}
        values = [read.get(redis.type(key), lambda key: redis.zrange(key, 0, -1))(key) for key in keys]
    return repr([keys, values]).encode()


async def test_store_and_log_hold_no_secret_and_no_text(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, store_url: str
) -> None:
    caplog.set_level(logging.DEBUG)
    text, key = "the secret plan 4711", bytes(range(KEY_BYTES))
    async with running(tmp_path, store=store_url) as relay:
        pairing = await relay.pairing(sealed=True)
        sealer, request = Sealer(key, pairing.id), relays.a_request()
        about = About(Sealed.REQUEST, request["id"], request["expires"])
        sealed = sealer.seal(relays.a_body(context=text), about)
        await pairing.request({"id": request["id"], "expires": request["expires"], "sealed": sealed})
        answer = sealer.seal({"answer": {"discuss": text}}, About(Sealed.ANSWER, request["id"]))
        place = f"/request/{pairing.id}/{request['id']}"
        assert (await pairing.device("POST", place + "/answer", {"sealed": answer})).status_code == 200
        assert (await Caller(relay, "wrong-token-4711")("GET", place)).status_code == 401
        code, open_ = Code.new(), await pairing.invite()
        assert (await relay.nobody("POST", "/pair", relays.redeeming(code))).status_code == 404
        kept = kept_in(store_url)
    assert answer.encode() in kept
    secrets = [text, "wrong-token-4711", pairing.terminal.token, pairing.device.token]
    secrets += [code.secret, open_.secret]
    assert [one for one in secrets if one.encode() in kept] == []
    logged = caplog.text.replace(str(tmp_path), "")
    ours = [line for line in logged.splitlines() if "httpcore" not in line and "httpx" not in line]
    assert [one for one in [*secrets, sealed, answer] if any(one in line for line in ours)] == []


async def test_a_push_is_empty_and_a_dead_subscription_goes(tmp_path: Path) -> None:
    options = {"push_anywhere": True, "public_url": "https://relay:8443"}
    with serving() as service:
        async with running(tmp_path, **options) as relay:
            pairing = await relay.pairing(devices=5)
            known = (await pairing.device("GET", f"/push/{pairing.id}")).json()
            key = known["key"]
            assert (len(key), known["named"]) == (87, True)
            for device, path in zip(pairing.devices, ("live", "410", "302", "long"), strict=False):
                body = relays.a_subscription(f"http://{service.place}/{path}")
                assert (await device("POST", f"/push/{pairing.id}", body)).status_code == 200
            topic = {"headers": {"Topic": "of-a-request"}}
            found = (await pairing.terminal("POST", f"/notify/{pairing.id}", **topic)).json()
            reasons = ((pairing.devices[1].id, "410"), (pairing.devices[2].id, "302"))
            failed = [{"device": id_, "reason": f"the push service answered {one}"} for id_, one in reasons]
            assert found["sent"] == 2
            assert sorted(found["failed"], key=str) == sorted(failed, key=str)
            for path, headers, content in service.got:
                assert path in ("/live", "/long")
                assert (content, headers["TTL"], headers["Urgency"]) == (b"", "86400", "high")
                assert headers["Topic"] == "of-a-request"
                claims = json.loads(from_base64(headers["Authorization"].split(".")[1]))
                assert 11.9 < (claims["exp"] - time.time()) / 3_600 <= 12
                assert claims["sub"] == "https://relay:8443"
                assert headers["Authorization"].startswith("vapid t=")
                assert headers["Authorization"].endswith(f"k={key}")
            assert (await pairing.devices[2]("DELETE", f"/push/{pairing.id}")).status_code == 200
            found = (await pairing.terminal("POST", f"/notify/{pairing.id}")).json()
            assert found == {"sent": 2, "failed": []}


async def test_a_push_leads_to_no_private_place(pairing: TestPairing) -> None:
    refused = ("http://push.example.org/1", "file:///etc", "https://[::1]/", "https://me@push.example.org/")
    path = f"/push/{pairing.id}"
    for endpoint in refused:
        body = relays.a_subscription(endpoint)
        assert await pairing.device.refused("POST", path, body) == (400, "subscription.endpoint")
    for place in ("127.0.0.1/1", "10.0.0.1/", "localhost/", "169.254.169.254/latest"):
        body = relays.a_subscription(f"https://{place}")
        assert (await pairing.device("POST", path, body)).status_code == 200
        found = (await pairing.terminal("POST", f"/notify/{pairing.id}")).json()
        reason = "its push service is in a private network"
        assert found == {"sent": 0, "failed": [{"device": pairing.device.id, "reason": reason}]}


def test_the_command_invites_and_refuses(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'relay.db'}"
    words = ["relay", "invite", "--store", store, "--public-url", "https://r.example"]
    invited = CliRunner().invoke(cli, words)
    assert invited.exit_code == 0
    *_, url, code = invited.stdout.split()
    assert (url, len(code)) == ("https://r.example", 19)
    for words in (["--host", "192.0.2.1"], ["--store", "mysql://x"]):
        refused = CliRunner().invoke(cli, ["relay", *words])
        assert refused.exit_code == 2, refused.output


# -- what a relay stores: what both stores do alike, and the rules of records, whatever comes in any order ---


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
            assert now.answer["sealed"] == str(action[1])
            if change.event is None:  # the same device had given this one
                continue
            assert (old.status, old.answer, now.status) == ("pending", None, "answered")
        elif now is not None and old is not None:
            assert now.answer in (old.answer, None)
            assert now.answer == old.answer or now.status == "pending"
            assert (now.content, now.expires, now.id) == (old.content, old.expires, old.id)
        if now is not None:
            wanted = now.ends if now.status == "pending" else number + KEPT_SECONDS
            assert now.dropped_at == wanted or (change.event is None and now.dropped_at < wanted)


@each_row((1, True), (LONGEST, True), (0, False), (LONGEST + 1, False))
def test_a_request_expires_within_seven_days_and_a_skewed_clock(seconds: float, fits: bool) -> None:
    now = 1_800_000_000.0
    if fits:
        assert records.expiry(utc(now + seconds), now) == now + seconds
        return
    with pytest.raises(ProblemError, match=utc(now)) as problem:
        records.expiry(utc(now + seconds), now)
    assert (problem.value.status, problem.value.field) == (400, "request.expires")
