"""The calls of the protocol over HTTP, as its page and its OpenAPI document have them."""

import asyncio
import json
import os
import re
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

from ccq_tui.remote.client import RelayClient
from ccq_tui.remote.phone.devices import code_for_device
from ccq_tui.remote.relay.access import RelayLimits
from tests.contract import try_all
from tests.tables import table
from tests.unit.remote import relays

WALK = Path(__file__).parents[3] / "docs/dev/relay-protocol.md"


async def test_a_request_is_published_answered_reopened_and_ended(pairing: relays.TestPairing) -> None:
    request = relays.a_request()
    place = f"/request/{pairing.id}/{await pairing.request(request)}"
    assert await pairing.request(request) == request["id"]  # the same again is the same
    found = (await pairing.device("GET", f"/requests/{pairing.id}")).json()
    (entry,) = found["requests"]
    assert found["seq"] == entry["seq"] == 1
    assert entry.pop("timestamp").endswith("Z")
    assert entry == request | {"status": "pending", "answer": None, "statement": None, "seq": 1}
    waiting = asyncio.create_task(pairing.terminal("GET", place + "?wait=25"))
    given = {"answer": {"choice": 3, "note": "use make test"}}
    assert (await pairing.device("POST", place + "/answer", given)).json() == {"success": True}
    taken = (await waiting).json()
    assert taken["status"] == "answered"
    by = {"device": {"id": pairing.device.id, "name": "phone 0"}, "at": taken["answer"]["at"]}
    assert taken["answer"] == given | by
    assert (await pairing.device("POST", place + "/answer", given)).json() == {"success": True}  # once more
    statement = {"end": "", "by": "", "taken": False, "refused": "no", "text": "", "at": relays.in_days(0)}
    reopened = {"status": "pending", "statement": statement}
    refused = await pairing.terminal("PUT", place + "/status", reopened | {"unanswered": True})
    assert (refused.status_code, refused.json()["winner"]) == (409, taken["answer"])
    assert (await pairing.terminal("PUT", place + "/status", reopened)).json() == {"success": True}
    entry = (await pairing.device("GET", place)).json()
    assert (entry["status"], entry["answer"], entry["statement"]) == ("pending", None, statement)
    ended = {"status": "ended", "statement": statement | {"end": "answered", "taken": True}}
    assert (await pairing.terminal("PUT", place + "/status", ended)).status_code == 200
    for who, count in ((pairing.device, 0), (pairing.terminal, 1)):
        assert len((await who("GET", f"/requests/{pairing.id}")).json()["requests"]) == count
    late = await pairing.device("POST", place + "/answer", {"skipped": True})
    assert (late.status_code, late.json()["winner"]) == (409, None)
    assert (await pairing.terminal("DELETE", place)).status_code == 200
    assert (await pairing.device("GET", place)).status_code == 404


async def test_a_sealed_pairing_takes_sealed_texts_alone(relay: relays.RunningRelay) -> None:
    pairing = await relay.pairing(sealed=True)
    plain = {"pairingId": pairing.id, "request": relays.a_request()}
    assert await pairing.terminal.refused("POST", "/request", plain) == (400, "request.body")
    request = {"id": relays.a_request()["id"], "expires": relays.in_days(7), "sealed": "AbC-_0"}
    place = f"/request/{pairing.id}/{await pairing.request(request)}"
    open_ = {"answer": {"choice": 1}}
    assert await pairing.device.refused("POST", place + "/answer", open_) == (400, "answer")
    assert (await pairing.device("POST", place + "/answer", {"sealed": "xyz"})).status_code == 200
    status = {"status": "answered", "sealed": "stated"}
    assert (await pairing.terminal("PUT", place + "/status", status)).status_code == 200
    entry = (await pairing.device("GET", place)).json()
    found = entry["sealed"], entry["answer"]["sealed"], entry["statement"]["sealed"]
    assert found == ("AbC-_0", "xyz", "stated")


async def test_events_come_to_both_and_are_caught_up_with(pairing: relays.TestPairing) -> None:
    asked = await pairing.request()
    async with pairing.device.events(f"/events/{pairing.id}?after=0") as lines:
        data = f'data: {{"seq": 1, "id": "{asked}"}}'
        added = [": connected", "", "id: 1", "event: added", data, ""]
        assert [await anext(lines) for _ in range(6)] == added
        await pairing.device("POST", f"/request/{pairing.id}/{asked}/answer", {"answer": {"choice": 1}})
        assert [await anext(lines) for _ in range(4)][1] == "event: answered"
        await pairing.terminal("DELETE", f"/request/{pairing.id}/{asked}")
        assert [await anext(lines) for _ in range(4)][:2] == ["id: 3", "event: removed"]
    async with pairing.terminal.events(f"/events/{pairing.id}", **{"Last-Event-ID": "2"}) as lines:
        assert [await anext(lines) for _ in range(4)][2:] == ["id: 3", "event: removed"]


async def test_the_walk_with_curl_answers(pairing: relays.TestPairing) -> None:
    request = await pairing.request()
    async with RelayClient(pairing.known) as client:
        code = await code_for_device(client)
    walk = re.findall(r"```sh\n(.*?)```", WALK.read_text(encoding="utf-8"), re.DOTALL)[0].partition("\n")[2]
    variables = {**os.environ, "RELAY": pairing.relay.url, "CODE": code}
    shell = await asyncio.create_subprocess_exec("sh", "-euc", walk, env=variables, stdout=PIPE)
    async with asyncio.timeout(30):
        assert await shell.communicate() == (b'{"success":true}', None)
    record = (await pairing.terminal("GET", f"/request/{pairing.id}/{request}")).json()
    assert (record["answer"]["answer"], record["answer"]["device"]["name"]) == ({"choice": 1}, "my watch")


async def test_an_answer_takes_what_devices_send_along(pairing: relays.TestPairing) -> None:
    question = relays.question_of(await pairing.request())
    place = f"/question/{pairing.id}/{question}/answer"
    along = {"pairingId": pairing.id, "questionId": question, "header": "", "timestamp": relays.in_days(0)}
    given = {"selectedIndices": [0]}
    assert await pairing.device.refused("POST", place, given | {"questionId": "q1"}) == (400, "questionId")
    for _ in range(2):
        assert (await pairing.device("POST", place, given | along)).json() == {"success": True}
    assert (await pairing.device("POST", place, {"selectedIndices": [1]})).status_code == 409


# -- bad input -----------------------------------------------------------------------------------------------


UNKNOWN = "00000000-0000-4000-8000-000000000000"


def changed(whole: Any, place: str, value: Any) -> Any:
    """A copy in which one place is another; None for a place that is left out."""
    copy = json.loads(json.dumps(whole))
    *way, last = place.split(".")
    inner = copy
    for name in way:
        inner = inner[int(name) if name.isdigit() else name]
    inner[last] = value
    if value is None:
        del inner[last]
    return copy


TABLES = table(__file__, "refused.json")
REQUESTS = [
    *TABLES["requests"],
    ("request.expires", relays.in_days(8), "request.expires"),
    ("request.expires", relays.in_days(-0.1), "request.expires"),
]
NOT_JSON = [b"", b"{", b"\xff\xfe", b'{"a": NaN}', b'{"a": 1e999}', b'{"a": "\\ud800"}', b"[" * 100_000]


async def test_a_bad_request_is_not_stored(pairing: relays.TestPairing) -> None:
    right = {"pairingId": pairing.id, "request": relays.a_request()}
    for place, value, field in REQUESTS:
        wrong = changed(right, place, value)
        assert await pairing.terminal.refused("POST", "/request", wrong) == (400, field), (place, value)
    for body in NOT_JSON:
        response = await pairing.terminal("POST", "/request", body)
        assert response.status_code == 400, body[:20]
        assert set(response.json()) == {"type", "title", "status", "detail"}
    foreign = right | {"pairingId": UNKNOWN}
    assert (await pairing.terminal.refused("POST", "/request", foreign))[0] == 404
    assert (await pairing.terminal("GET", f"/requests/{pairing.id}")).json() == {"requests": [], "seq": 0}


async def test_a_bad_answer_leaves_the_record_pending(pairing: relays.TestPairing) -> None:
    requested = await pairing.request()
    listed = [await pairing.device("GET", f"/{name}/{pairing.id}") for name in ("question", "questions")]
    (question,) = listed[0].json()["questions"]
    assert (question["id"], listed[0].json()) == (relays.question_of(requested), listed[1].json())
    cases = [(f"/question/{pairing.id}/{question['id']}", *case) for case in TABLES["answers to a question"]]
    cases += [(f"/request/{pairing.id}/{requested}", *case) for case in TABLES["answers to a request"]]
    for path, answer, field in cases:
        assert await pairing.device.refused("POST", path + "/answer", answer) == (400, field), answer
    record = (await pairing.terminal("GET", f"/request/{pairing.id}/{requested}")).json()
    assert (record["status"], record["answer"], record["seq"]) == ("pending", None, 1)


async def test_what_is_not_there_is_said_so(pairing: relays.TestPairing) -> None:
    requested, status = await pairing.request(), {"status": "ended", "statement": {"at": relays.in_days(0)}}
    for id_ in (UNKNOWN, "x", requested):
        place, given = f"/question/{pairing.id}/{id_}/answer", {"selectedIndices": [0]}
        assert (await pairing.device("POST", place, given)).status_code == 404
    for id_ in (UNKNOWN, "x", relays.question_of(requested)):
        place = f"/request/{pairing.id}/{id_}"
        found = [await pairing.device("POST", f"{place}/answer", {"skipped": True})]
        found += [await pairing.terminal(method, place) for method in ("GET", "DELETE")]
        found += [await pairing.terminal("PUT", f"{place}/status", status)]
        assert [one.status_code for one in found] == [404] * 4


async def test_the_same_id_with_other_content_is_a_conflict(pairing: relays.TestPairing) -> None:
    request = relays.a_request()
    await pairing.request(request)
    other = {"pairingId": pairing.id, "request": request | {"body": relays.a_body(context="else")}}
    assert await pairing.terminal.refused("POST", "/request", other) == (409, "id")


async def test_a_query_takes_numbers_in_range(pairing: relays.TestPairing) -> None:
    place = f"/request/{pairing.id}/{await pairing.request()}"
    wrong = [(place, query) for query in ("wait=26", "wait=-1", "wait=x", "token=t")]
    for path, query in (*wrong, (f"/events/{pairing.id}", "after=-1")):
        field = query.partition("=")[0]
        assert await pairing.terminal.refused("GET", f"{path}?{query}") == (400, field)
    assert (await pairing.terminal("PATCH", place)).status_code == 405
    assert (await pairing.terminal("GET", "/nothing")).headers["content-type"] == "application/problem+json"


async def test_who_calls_is_known_before_a_body_is_read(pairing: relays.TestPairing) -> None:
    nobody, long = pairing.relay.nobody, b"x" * 400_000
    assert [(await who("POST", "/request", long)).status_code for who in (nobody, pairing.terminal)] == [
        401,
        413,
    ]
    place = f"/request/{pairing.id}/{await pairing.request()}"
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    refused = await pairing.terminal("PUT", f"{place}/answer", b"{}")
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
    assert (await pairing.device("HEAD", place)).status_code == 200
    taken = await pairing.device("POST", f"{place}/answer", {"skipped": True}, headers=headers)
    assert taken.json() == {"success": True}


# -- the OpenAPI document ------------------------------------------------------------------------------------


async def test_every_call_keeps_to_the_document(tmp_path: Path) -> None:
    async with relays.running(tmp_path, limits=RelayLimits(wrong=1e9, burst=1e9)) as relay:
        pairing = await relay.pairing()
        await pairing.request(relays.a_request(id=UNKNOWN))
        headers = {"terminal": pairing.terminal.headers, "device": pairing.device.headers}

        def its_own(case: Any) -> None:
            for part in (case.path_parameters, case.body):
                if isinstance(part, dict) and "pairingId" in part:
                    part["pairingId"] = pairing.id

        await asyncio.to_thread(try_all, relay.url, headers, its_own)
