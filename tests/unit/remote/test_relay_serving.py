"""How a relay starts, what it serves beside the calls, and what it leaves on the disk."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from click.testing import CliRunner
from redis import Redis

from ccq_tui.cli.main import cli
from ccq_tui.remote.relay.app import PAGE
from ccq_tui.remote.relay.serve import RelayOptions, ServeError, check_exposed, serve_relay
from ccq_tui.remote.relay.store import StoreError, open_store
from ccq_tui.remote.seal import KEY_BYTES, About, Code, Sealed, Sealer
from tests.unit.remote import relays
from tests.unit.remote.notify.doubles import serving
from tests.unit.remote.relays import Caller, RunningRelay, TestPairing, running


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


@pytest.mark.parametrize("host", ["192.0.2.1", "::", "box.example"])
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
            key = (await pairing.device("GET", f"/push/{pairing.id}")).json()["key"]
            assert len(key) == 87
            for device, path in zip(pairing.devices, ("live", "410", "302", "long"), strict=False):
                body = relays.a_subscription(f"http://{service.place}/{path}")
                assert (await device("POST", f"/push/{pairing.id}", body)).status_code == 200
            found = (await pairing.terminal("POST", f"/notify/{pairing.id}")).json()
            reasons = ((pairing.devices[1].id, "410"), (pairing.devices[2].id, "302"))
            failed = [{"device": id_, "reason": f"the push service answered {one}"} for id_, one in reasons]
            assert found["sent"] == 2
            assert sorted(found["failed"], key=str) == sorted(failed, key=str)
            for path, headers, content in service.got:
                assert path in ("/live", "/long")
                assert (content, headers["TTL"]) == (b"", "86400")
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
