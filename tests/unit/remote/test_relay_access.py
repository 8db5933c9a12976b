"""Who may call a relay, how often, and under which name."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute

from ccq_tui.remote.relay.access import RelayLimits
from ccq_tui.remote.relay.endpoints import api
from ccq_tui.remote.relay.members import new_invitation
from ccq_tui.web.guards import HEADERS, Allowances
from tests.unit.remote import relays
from tests.unit.remote.relays import Caller, RunningRelay, TestPairing, redeeming, running

PROTECTED = [one for one in api.routes if isinstance(one, APIRoute) and one.tags]


def body_of(endpoint: APIRoute, pairing: str) -> Any:
    """A right body for a call."""
    bodies: dict[str, Any] = {
        "answer_question": {"selectedIndices": [0]},
        "post_request": {"pairingId": pairing, "request": relays.a_request()},
        "answer_request": {"answer": {"choice": 1}},
        "put_status": {"status": "ended", "statement": {"at": relays.in_days(0)}},
        "post_invitation": {"pairingId": pairing, "invitation": "ABCD", "proofHash": "0" * 64},
        "put_device": {"name": "mine"},
        "post_push": relays.a_subscription("https://push.example/"),
    }
    return bodies[endpoint.name] if endpoint.body_field else None


async def made(endpoint: APIRoute, pairing: TestPairing, record: str, caller: Caller) -> tuple[int, str]:
    """Make a call; return its status and the type of its content."""
    id_ = pairing.device.id if "/devices/" in endpoint.path else record
    path = endpoint.path.replace("{pairingId}", pairing.id).replace("{id}", id_)
    more = {"headers": caller.headers, "json": body_of(endpoint, pairing.id)}
    async with pairing.relay.client.stream(
        min(endpoint.methods or ()), path, **more
    ) as response:  # the events have no end
        return response.status_code, response.headers["content-type"].partition(";")[0]


async def test_each_call_needs_a_token_of_its_pairing_and_role(relay: RunningRelay) -> None:
    assert len(PROTECTED) > 15
    for endpoint in PROTECTED:
        await tried(relay, endpoint)


async def tried(relay: RunningRelay, endpoint: APIRoute) -> None:
    """Make a call as everybody."""
    pairing, other = await relay.pairing(devices=2), await relay.pairing()
    asked = await pairing.request()
    record = relays.question_of(asked) if "/question" in endpoint.path else asked
    members = {"terminal": pairing.terminal, "device": pairing.device}
    revoked = pairing.devices[1]
    assert (await pairing.terminal("DELETE", f"/devices/{pairing.id}/{revoked.id}")).status_code == 200
    strangers = {401: [relay.nobody, Caller(relay, "x" * 43), revoked]}
    strangers[404] = [other.terminal if "terminal" in endpoint.tags else other.device]
    strangers[403] = [one for role, one in members.items() if role not in endpoint.tags]
    for status, callers in strangers.items():
        for caller in callers:
            found = await made(endpoint, pairing, record, caller)
            assert found == (status, "application/problem+json"), (endpoint, found)
    role = next(role for role in ("device", "terminal") if role in endpoint.tags)
    assert (await made(endpoint, pairing, record, members[role]))[0] == 200, endpoint


async def test_guessing_is_slowed_and_a_right_token_is_not(tmp_path: Path) -> None:
    async with running(tmp_path, limits=RelayLimits(wrong=5.0)) as relay:
        pairing = await relay.pairing()
        code = await pairing.invite()
        wrong = [await Caller(relay, f"wrong {n}")("GET", f"/requests/{pairing.id}") for n in range(7)]
        assert [one.status_code for one in wrong] == [*[401] * 5, 429, 429]
        assert 1 <= int(wrong[-1].headers["Retry-After"]) <= 6
        assert (await pairing.device("GET", f"/requests/{pairing.id}")).status_code == 200
        bodies = {"/pair": redeeming(code), "/pairings": redeeming(code, mode="plain")}
        for path, body in bodies.items():
            assert (await relay.nobody("POST", path, body)).status_code == 429


async def test_five_wrong_proofs_end_an_invitation(relay: RunningRelay, pairing: TestPairing) -> None:
    code = await pairing.invite()
    proofs = [*["0" * 12] * 6, code.secret]
    found = [await relay.nobody("POST", "/pair", redeeming(code, proof=proof)) for proof in proofs]
    assert [one.status_code for one in found] == [*[403] * 5, 404, 404]


async def test_an_invitation_works_once_however_many_come_at_once(relay: RunningRelay) -> None:
    pairing = await relay.pairing(sealed=True)
    code = await pairing.invite(wrapped="AbC")
    body = redeeming(code, name="")
    found = await asyncio.gather(*(relay.nobody("POST", "/pair", body) for _ in range(8)))
    assert sorted(one.status_code for one in found) == [200, *[404] * 7]
    (given,) = (one.json() for one in found if one.status_code == 200)
    device = Caller(relay, given["token"], given["deviceId"])
    assert (given["pairingId"], given["mode"], given["wrapped"]) == (pairing.id, "sealed", "AbC")
    assert (await device("PUT", f"/devices/{pairing.id}/{device.id}", {"name": "sealed"})).status_code == 200
    other = f"/devices/{pairing.id}/{pairing.device.id}"
    assert (await device("PUT", other, {"name": "mine"})).status_code == 403
    assert (await device("DELETE", other)).status_code == 403
    devices = (await pairing.terminal("GET", f"/devices/{pairing.id}")).json()["devices"]
    found = [(one["role"], one["name"], one["invitation"]) for one in devices if one["name"] != "phone 0"]
    assert sorted(found) == [("device", "sealed", code.invitation), ("terminal", "desk", "")]
    assert set(devices[0]) == {"id", "name", "role", "invitation", "pairedAt", "seenAt"}


async def test_a_terminal_pairs_by_an_invitation_of_the_relay(relay: RunningRelay) -> None:
    code, _ = await new_invitation(relay.store)
    nobody, body = relay.nobody, redeeming(code, mode="sealed")
    assert (await nobody("POST", "/pair", {**body, "mode": None})).status_code == 400
    assert (await nobody("POST", "/pair", redeeming(code))).status_code == 404
    given = (await nobody("POST", "/pairings", body)).json()
    terminal = Caller(relay, given["token"])
    listed = (await terminal("GET", f"/requests/{given['pairingId']}")).json()
    assert listed == {"requests": [], "seq": 0}
    assert (await nobody("POST", "/pairings", body)).status_code == 404


async def test_a_revoked_device_hears_no_more(pairing: TestPairing) -> None:
    asked = await pairing.request()
    waiting = asyncio.create_task(pairing.device("GET", f"/request/{pairing.id}/{asked}?wait=25"))
    async with pairing.device.events(f"/events/{pairing.id}") as lines:
        assert await anext(lines) == ": connected"
        await pairing.device("DELETE", f"/devices/{pairing.id}/{pairing.device.id}")
        await pairing.request()
        assert [line async for line in lines] == [""]
    assert (await waiting).status_code == 401


async def test_another_name_and_another_site_are_refused(relay: RunningRelay, tmp_path: Path) -> None:
    nobody, own = relay.nobody, relay.url.removeprefix("http://")
    for host, status in ((own, 200), (own.replace("127.0.0.1", "localhost"), 200), ("evil.example", 421)):
        assert (await nobody("GET", "/health", headers={"Host": host})).status_code == status
    for origin, status in ((relay.url, 200), ("https://evil.example", 403), ("null", 403)):
        response = await nobody("GET", "/health", headers={"Origin": origin})
        assert response.status_code == status
        assert not any(name.startswith("access-control") for name in response.headers)
        assert {name: response.headers[name] for name in HEADERS} == HEADERS
    async with running(tmp_path / "public", public_url="https://relay.example.org") as public:
        names = {"Host": "relay.example.org", "Origin": "https://relay.example.org"}
        response = await public.nobody("GET", "/health", headers=names)
        assert response.status_code == 200
        assert response.headers["strict-transport-security"] == "max-age=31536000"


async def test_sizes_counts_and_rates_are_bounded(tmp_path: Path) -> None:
    limits = RelayLimits(pending=2, devices=3, burst=12.0, rate=0.001)
    async with running(tmp_path, limits=limits) as relay:
        pairing = await relay.pairing(devices=2)
        ids = [await pairing.request() for _ in range(2)]
        body = {"pairingId": pairing.id, "request": relays.a_request()}
        assert (await pairing.terminal("POST", "/request", body)).status_code == 429
        await pairing.terminal("DELETE", f"/request/{pairing.id}/{ids[0]}")
        assert (await pairing.terminal("POST", "/request", body)).status_code == 200
        third = redeeming(await pairing.invite())
        assert (await relay.nobody("POST", "/pair", third)).status_code == 409
        request = relays.a_request(body=relays.a_body(context="x" * 300_000))
        long = {"pairingId": pairing.id, "request": request}
        assert (await pairing.terminal("POST", "/request", long)).status_code == 413
        statuses = [(await pairing.terminal("GET", f"/requests/{pairing.id}")) for _ in range(5)]
        assert [one.status_code for one in statuses[-2:]] == [429, 429]
        assert int(statuses[-1].headers["Retry-After"]) > 1


def test_allowances_are_few_and_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    allowances = Allowances(burst=2.0, rate=0.5, most=2)
    for _ in range(2):
        assert allowances.missing("a") == 0
        allowances.spend("a")
    assert allowances.missing("a") == 2.0
    now = 102.0
    assert allowances.missing("a") == 0
    for key in "bc":
        allowances.spend(key)
    allowances.spend("a")
    assert allowances.missing("a") == 0  # it had been forgotten, and begins anew
