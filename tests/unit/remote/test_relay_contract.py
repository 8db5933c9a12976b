"""The calls of the protocol, over HTTP, as its page has them."""

from __future__ import annotations

import asyncio

from tests.unit.remote.relays import RunningRelay, TestPairing, a_question, a_request, in_days


async def test_a_question_is_created_listed_polled_answered_and_polled(pairing: TestPairing) -> None:
    question = a_question()
    posted = await pairing.terminal("POST", "/question", {"pairingId": pairing.id, "question": question})
    assert (posted.status_code, posted.json()) == (200, {"success": True})
    for listing in ("questions", "question"):
        listed = await pairing.device("GET", f"/{listing}/{pairing.id}")
        assert listed.json() == {"questions": [question]}
    place = f"/question/{pairing.id}/{question['id']}"
    assert (await pairing.terminal("GET", place)).json() == {"status": "pending"}
    waiting = asyncio.create_task(pairing.terminal("GET", place + "?wait=25"))
    answer = {"selectedIndices": [0, 2], "skipped": False, "other": "grey", "note": "bright"}
    answered = await pairing.device("POST", place + "/answer", answer)
    assert (answered.status_code, answered.json()) == (200, {"success": True})
    found = (await waiting).json()
    given = answer | {"device": {"id": pairing.device.id, "name": "phone 0"}}
    assert found == {"status": "answered", "answer": given | {"at": found["answer"]["at"]}}
    again = await pairing.device("POST", place + "/answer", {"selectedIndices": [1], "skipped": False})
    assert again.status_code == 409
    assert again.json()["winner"] == found["answer"]
    assert (await pairing.device("GET", f"/questions/{pairing.id}")).json() == {"questions": []}
    assert (await pairing.terminal("DELETE", place)).json() == {"success": True}
    assert (await pairing.terminal("GET", place)).status_code == 404


async def test_a_request_is_published_answered_reopened_and_ended(pairing: TestPairing) -> None:
    request = a_request()
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
    statement = {"end": "", "by": "", "taken": False, "refused": "no", "text": "", "at": in_days(0)}
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


async def test_a_sealed_pairing_takes_sealed_texts_alone(relay: RunningRelay) -> None:
    pairing = await relay.pairing(sealed=True)
    question = {"pairingId": pairing.id, "question": a_question()}
    assert (await pairing.terminal("POST", "/question", question)).status_code == 409
    plain = await pairing.terminal("POST", "/request", {"pairingId": pairing.id, "request": a_request()})
    assert (plain.status_code, plain.json()["field"]) == (400, "request.body")
    request = {"id": a_request()["id"], "expires": in_days(7), "sealed": "AbC-_0"}
    place = f"/request/{pairing.id}/{await pairing.request(request)}"
    wrong = await pairing.device("POST", place + "/answer", {"answer": {"choice": 1}})
    assert (wrong.status_code, wrong.json()["field"]) == (400, "answer")
    assert (await pairing.device("POST", place + "/answer", {"sealed": "xyz"})).status_code == 200
    status = {"status": "answered", "sealed": "stated"}
    assert (await pairing.terminal("PUT", place + "/status", status)).status_code == 200
    entry = (await pairing.device("GET", place)).json()
    found = entry["sealed"], entry["answer"]["sealed"], entry["statement"]["sealed"]
    assert found == ("AbC-_0", "xyz", "stated")


async def test_events_come_to_both_and_are_caught_up_with(pairing: TestPairing) -> None:
    asked = await pairing.ask()
    headers = {"Authorization": f"Bearer {pairing.device.token}"}
    path = f"/events/{pairing.id}?after=0"
    async with pairing.relay.client.stream("GET", path, headers=headers) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = stream.aiter_lines()
        data = f'data: {{"seq": 1, "id": "{asked}", "shape": "question"}}'
        added = [": connected", "", "id: 1", "event: added", data, ""]
        assert [await anext(lines) for _ in range(6)] == added
        await pairing.device("POST", f"/question/{pairing.id}/{asked}/answer", {"selectedIndices": [0]})
        assert [await anext(lines) for _ in range(4)][1] == "event: answered"
        await pairing.terminal("DELETE", f"/question/{pairing.id}/{asked}")
        assert [await anext(lines) for _ in range(4)][:2] == ["id: 3", "event: removed"]
    headers = {"Authorization": f"Bearer {pairing.terminal.token}", "Last-Event-ID": "2"}
    async with pairing.relay.client.stream("GET", f"/events/{pairing.id}", headers=headers) as stream:
        lines = stream.aiter_lines()
        assert [await anext(lines) for _ in range(4)][2:] == ["id: 3", "event: removed"]
