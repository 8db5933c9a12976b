"""Bad input is refused with the field that is wrong, and leaves nothing behind."""

from __future__ import annotations

import json
from typing import Any

from tests.unit.remote.relays import TestPairing, a_body, a_question, a_request, in_days

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
    ("request.body.request.extra", 1, "request.body.request.extra"),
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
            response = await pairing.terminal("POST", path, changed(right, place, value))
            assert (response.status_code, response.json().get("field")) == (400, field), response.text
        for body in NOT_JSON:
            response = await pairing.terminal("POST", path, body)
            assert response.status_code == 400, body[:20]
            assert set(response.json()) == {"type", "title", "status", "detail"}
        foreign = await pairing.terminal("POST", path, right | {"pairingId": UNKNOWN})
        assert foreign.status_code == 404
    assert (await pairing.terminal("GET", f"/requests/{pairing.id}")).json() == {"requests": [], "seq": 0}
    assert (await pairing.device("GET", f"/questions/{pairing.id}")).json() == {"questions": []}


async def test_a_bad_answer_leaves_the_record_pending(pairing: TestPairing) -> None:
    asked = await pairing.ask(a_question(multiSelect=False))
    requested = await pairing.request()
    cases = [(f"/question/{pairing.id}/{asked}", *case) for case in ANSWERS_TO_QUESTION]
    cases += [(f"/request/{pairing.id}/{requested}", *case) for case in ANSWERS_TO_REQUEST]
    for path, answer, field in cases:
        response = await pairing.device("POST", path + "/answer", answer)
        assert (response.status_code, response.json().get("field", "")) == (400, field), response.text
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
        response = await pairing.terminal("POST", path, {"pairingId": pairing.id, name: body})
        assert (response.status_code, response.json()["field"]) == (409, "id")


async def test_a_query_takes_numbers_in_range(pairing: TestPairing) -> None:
    place = f"/request/{pairing.id}/{await pairing.request()}"
    for query, field in (("wait=26", "wait"), ("wait=-1", "wait"), ("wait=x", "wait"), ("token=t", "token")):
        response = await pairing.terminal("GET", f"{place}?{query}")
        assert (response.status_code, response.json()["field"]) == (400, field)
    response = await pairing.terminal("GET", f"/events/{pairing.id}?after=-1")
    assert (response.status_code, response.json()["field"]) == (400, "after")
    assert (await pairing.terminal("PATCH", place)).status_code == 405
    assert (await pairing.terminal("GET", "/nothing")).headers["content-type"] == "application/problem+json"


async def test_taps_are_checked_and_answer_once(pairing: TestPairing) -> None:
    place = f"{pairing.id}/{await pairing.request()}"
    bad = await pairing.terminal("POST", f"/taps/{place}", {"answers": [{"answer": {"choice": 9}}]})
    assert (bad.status_code, bad.json()["field"]) == (400, "answer.choice")
    answers = [{"answer": {"choice": 1}}, {"answer": {"choice": 3}}]
    taps = (await pairing.terminal("POST", f"/taps/{place}", {"answers": answers})).json()["taps"]
    nobody = pairing.relay.nobody
    assert (await nobody("POST", "/tap", {"tap": taps[1]})).json() == {"success": True}
    late = await nobody("POST", "/tap", {"tap": taps[0]})
    assert (late.status_code, late.json()["winner"]["answer"]) == (409, {"choice": 3})
    assert (await nobody("POST", "/tap", {"tap": taps[1]})).status_code == 404
    record = (await pairing.terminal("GET", f"/request/{place}")).json()
    assert record["answer"]["device"] == {"id": "", "name": "notification"}
