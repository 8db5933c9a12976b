"""The calls of the protocol over HTTP, as its page and its OpenAPI document have them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from ccq_tui.remote.relay.access import RelayLimits
from ccq_tui.remote.relay.endpoints import ENDPOINTS
from tests.contract import try_all
from tests.unit.remote.relays import (
    RunningRelay,
    TestPairing,
    a_body,
    a_question,
    a_request,
    in_days,
    running,
)


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
    plain = {"pairingId": pairing.id, "request": a_request()}
    assert await pairing.terminal.refused("POST", "/request", plain) == (400, "request.body")
    request = {"id": a_request()["id"], "expires": in_days(7), "sealed": "AbC-_0"}
    place = f"/request/{pairing.id}/{await pairing.request(request)}"
    open_ = {"answer": {"choice": 1}}
    assert await pairing.device.refused("POST", place + "/answer", open_) == (400, "answer")
    assert (await pairing.device("POST", place + "/answer", {"sealed": "xyz"})).status_code == 200
    status = {"status": "answered", "sealed": "stated"}
    assert (await pairing.terminal("PUT", place + "/status", status)).status_code == 200
    entry = (await pairing.device("GET", place)).json()
    found = entry["sealed"], entry["answer"]["sealed"], entry["statement"]["sealed"]
    assert found == ("AbC-_0", "xyz", "stated")


async def test_events_come_to_both_and_are_caught_up_with(pairing: TestPairing) -> None:
    asked = await pairing.ask()
    async with pairing.device.events(f"/events/{pairing.id}?after=0") as lines:
        data = f'data: {{"seq": 1, "id": "{asked}", "shape": "question"}}'
        added = [": connected", "", "id: 1", "event: added", data, ""]
        assert [await anext(lines) for _ in range(6)] == added
        await pairing.device("POST", f"/question/{pairing.id}/{asked}/answer", {"selectedIndices": [0]})
        assert [await anext(lines) for _ in range(4)][1] == "event: answered"
        await pairing.terminal("DELETE", f"/question/{pairing.id}/{asked}")
        assert [await anext(lines) for _ in range(4)][:2] == ["id: 3", "event: removed"]
    async with pairing.terminal.events(f"/events/{pairing.id}", **{"Last-Event-ID": "2"}) as lines:
        assert [await anext(lines) for _ in range(4)][2:] == ["id: 3", "event: removed"]


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


QUESTIONS = [
    ("question.id", "no uuid", "question.id"),
    ("question.prompt", 7, "question.prompt"),
    ("question.options.1.color", "red", "question.options[1].color"),
    ("pairingId", None, "pairingId"),
    ("extra", 1, "extra"),
]
REQUESTS = [
    ("request.expires", in_days(8), "request.expires"),
    ("request.expires", in_days(-0.1), "request.expires"),
    ("request.expires", "2026-02-31T00:00:00Z", "request.expires"),
    ("request.sealed", "AbC", "request.sealed"),
    ("request.body", None, "request.body"),
    ("request.body.request.kind", "riddle", "request.body.request"),
    ("request.body.request.choices.0.number", "1", "request.body.request.choices[0].number"),
    ("request.body.extra", 1, "request.body.extra"),
]
ANSWERS_TO_QUESTION = [
    ({"selectedIndices": [3]}, "selectedIndices[0]"),
    ({"selectedIndices": [0, -1]}, "selectedIndices[1]"),
    ({"selectedIndices": [1, 1]}, "selectedIndices[1]"),
    ({"selectedIndices": [0, 1]}, "selectedIndices[1]"),
    ({"selectedIndices": [True]}, "selectedIndices[0]"),
    ({"selectedIndices": []}, "selectedIndices"),
    ({"selectedIndices": [0], "other": "mauve"}, "other"),
    ({"selectedIndices": [0], "skipped": True}, "selectedIndices"),
    ({"selected_indices": [0]}, "selected_indices"),
    ([], ""),
]
ANSWERS_TO_REQUEST = [
    ({}, "answer"),
    ({"answer": {}}, "answer.answers"),
    ({"answer": {"choice": 9}}, "answer.choice"),
    ({"answer": {"answers": [{}]}}, "answer.answers"),
    ({"answer": {"answers": [{"selected": [1], "more": 1}]}}, "answer.answers[0].more"),
    ({"answer": {"choice": 1, "decline": True}}, "answer.decline"),
    ({"answer": {"decline": True, "note": "no"}}, "answer.note"),
    ({"answer": {"choice": 1}, "skipped": True}, "skipped"),
    ({"sealed": "AbC"}, "sealed"),
]
NOT_JSON = [b"", b"{", b"\xff\xfe", b'{"a": NaN}', b'{"a": 1e999}', b'{"a": "\\ud800"}', b"[" * 100_000]


async def test_a_bad_question_or_request_is_not_stored(pairing: TestPairing) -> None:
    question = {"pairingId": pairing.id, "question": a_question()}
    request = {"pairingId": pairing.id, "request": a_request()}
    for path, right, cases in (("/question", question, QUESTIONS), ("/request", request, REQUESTS)):
        for place, value, field in cases:
            wrong = changed(right, place, value)
            assert await pairing.terminal.refused("POST", path, wrong) == (400, field), (place, value)
        for body in NOT_JSON:
            response = await pairing.terminal("POST", path, body)
            assert response.status_code == 400, body[:20]
            assert set(response.json()) == {"type", "title", "status", "detail"}
        foreign = right | {"pairingId": UNKNOWN}
        assert (await pairing.terminal.refused("POST", path, foreign))[0] == 404
    assert (await pairing.terminal("GET", f"/requests/{pairing.id}")).json() == {"requests": [], "seq": 0}
    assert (await pairing.device("GET", f"/questions/{pairing.id}")).json() == {"questions": []}


async def test_a_bad_answer_leaves_the_record_pending(pairing: TestPairing) -> None:
    asked = await pairing.ask(a_question(multiSelect=False))
    requested = await pairing.request()
    cases = [(f"/question/{pairing.id}/{asked}", *case) for case in ANSWERS_TO_QUESTION]
    cases += [(f"/request/{pairing.id}/{requested}", *case) for case in ANSWERS_TO_REQUEST]
    for path, answer, field in cases:
        assert await pairing.device.refused("POST", path + "/answer", answer) == (400, field), answer
    assert (await pairing.terminal("GET", f"/question/{pairing.id}/{asked}")).json() == {"status": "pending"}
    record = (await pairing.terminal("GET", f"/request/{pairing.id}/{requested}")).json()
    assert (record["status"], record["answer"], record["seq"]) == ("pending", None, 2)


async def test_what_is_not_there_is_said_so(pairing: TestPairing) -> None:
    asked, requested = await pairing.ask(), await pairing.request()
    answers = {"question": {"selectedIndices": [0]}, "request": {"skipped": True}}
    for shape, ids in (("question", (UNKNOWN, "x", requested)), ("request", (UNKNOWN, "x", asked))):
        for id_ in ids:
            path = f"/{shape}/{pairing.id}/{id_}"
            found = [await pairing.device("POST", path + "/answer", answers[shape])]
            found += [await pairing.terminal(method, path) for method in ("GET", "DELETE")]
            assert [one.status_code for one in found] == [404, 404, 404]
    status = {"status": "ended", "statement": {"at": in_days(0)}}
    path = f"/request/{pairing.id}/{asked}/status"
    assert (await pairing.terminal("PUT", path, status)).status_code == 404


async def test_the_same_id_with_other_content_is_a_conflict(pairing: TestPairing) -> None:
    question, request = a_question(), a_request()
    await pairing.ask(question)
    await pairing.ask(question)
    await pairing.request(request)
    others = [
        ("/question", "question", question | {"prompt": "Which?"}),
        ("/question", "question", question | {"id": request["id"]}),
        ("/request", "request", request | {"body": a_body(context="else")}),
    ]
    for path, name, body in others:
        same = {"pairingId": pairing.id, name: body}
        assert await pairing.terminal.refused("POST", path, same) == (409, "id")


async def test_a_query_takes_numbers_in_range(pairing: TestPairing) -> None:
    place = f"/request/{pairing.id}/{await pairing.request()}"
    wrong = [(place, query) for query in ("wait=26", "wait=-1", "wait=x", "token=t")]
    for path, query in (*wrong, (f"/events/{pairing.id}", "after=-1")):
        field = query.partition("=")[0]
        assert await pairing.terminal.refused("GET", f"{path}?{query}") == (400, field)
    assert (await pairing.terminal("PATCH", place)).status_code == 405
    assert (await pairing.terminal("GET", "/nothing")).headers["content-type"] == "application/problem+json"


async def test_taps_are_checked_and_answer_once(pairing: TestPairing) -> None:
    place = f"{pairing.id}/{await pairing.request()}"
    bad = {"answers": [{"answer": {"choice": 9}}]}
    assert await pairing.terminal.refused("POST", f"/taps/{place}", bad) == (400, "answer.choice")
    answers = [{"answer": {"choice": 1}}, {"answer": {"choice": 3}}]
    taps = (await pairing.terminal("POST", f"/taps/{place}", {"answers": answers})).json()["taps"]
    nobody = pairing.relay.nobody
    assert (await nobody("POST", "/tap", {"tap": taps[1]})).json() == {"success": True}
    late = await nobody("POST", "/tap", {"tap": taps[0]})
    assert (late.status_code, late.json()["winner"]["answer"]) == (409, {"choice": 3})
    assert (await nobody("POST", "/tap", {"tap": taps[1]})).status_code == 404
    record = (await pairing.terminal("GET", f"/request/{place}")).json()
    assert record["answer"]["device"] == {"id": "", "name": "notification"}


# -- the OpenAPI document ------------------------------------------------------------------------------------


async def test_every_call_keeps_to_the_document(tmp_path: Path) -> None:
    async with running(tmp_path, limits=RelayLimits(wrong=1e9, burst=1e9)) as relay:
        pairing = await relay.pairing()
        await pairing.ask(a_question(id="00000000-0000-4000-8000-000000000000"))
        headers = {"terminal": pairing.terminal.headers, "device": pairing.device.headers}

        def its_own(case: Any) -> None:
            for part in (case.path_parameters, case.body):
                if isinstance(part, dict) and "pairingId" in part:
                    part["pairingId"] = pairing.id

        await asyncio.to_thread(try_all, relay.url, ENDPOINTS, headers, its_own)
