"""Requests reach a device by a real relay, and its answers the inbox, also where the relay fails or lies."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.port import SessionFact
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.questions import Answer, Answered, Declined, Discussed
from ccq_tui.remote.relay.store import Swap, records_of
from tests.actors import INBOX
from tests.steps import until_true
from tests.unit.remote import publishing
from tests.unit.remote.publishing import COLOUR, PARTS, Body, Desk, permission, plan, question

RED, BLUE = ({"answers": [{"selected": [number]}]} for number in (1, 2))
GIVEN_RED, GIVEN_BLUE = (Answered((Answer((label,)),)) for label in ("Red", "Blue"))
MANY = 150
REFUSED = "the answer cannot be opened: {}; answer again"
CHANGED = REFUSED.format("it was changed, or is not for this request and pairing")
MODES = pytest.mark.parametrize("desk", [True, False], ids=["sealed", "plain"], indirect=True)
PLAIN = pytest.mark.parametrize("desk", [False], ids=["plain"], indirect=True)


@MODES
async def test_a_question_is_answered_on_a_phone(desk: Desk) -> None:
    request = question("toolu_1", COLOUR, PARTS)
    outcome, record = await desk.shown(request, "I looked at both.")
    body = desk.phone.body(record)
    assert (body["version"], body["context"], body["cut"]) == (1, "I looked at both.", False)
    assert (body["session"]["name"], body["session"]["directory"]) == ("api", "/home/me/api")
    assert [one["text"] for one in body["request"]["questions"]] == [COLOUR.text, PARTS.text]
    given = {"answers": [{"selected": [2], "note": "as the sky"}, {"selected": ["A"], "other": "D"}]}
    await desk.phone.answer(record, given)
    answers = (Answer(("Blue",), note="as the sky"), Answer(("A",), "D"))
    assert await asyncio.wait_for(outcome, 60) == Answered(answers)
    actor = (await desk.stored(request)).actor
    assert actor is not None
    name = "Anna's phone" if desk.phone.pairing.is_sealed else "phone 0"
    assert (actor.surface, actor.name, actor.device) == (Surface.DEVICE, name, desk.phone.caller.id)
    fields = {"end": "answered", "by": f"on {name}", "text": "Blue · A, “D”"}
    record = await desk.phone.says(record["id"], **fields)
    assert record["status"] == "answered"
    desk.inbox.sessions.delivered(request.id, "result")
    record = await desk.phone.says(record["id"], taken=True, **fields)
    assert record["status"] == "ended"
    assert await desk.phone.records() == []


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "plain"])
async def test_each_kind_is_decided_on_a_phone(tmp_path: Path, *, sealed: bool) -> None:
    async with publishing.published(tmp_path, sealed=sealed, grants=True) as desk:
        for request, answer, outcome in (
            (permission("p1"), {"choice": 1}, Allowed()),
            (permission("p2"), {"choice": 5, "note": "run it dry"}, Denied("run it dry")),
            (permission("p3"), {"choice": 3}, Allowed(suggestion=publishing.ALWAYS)),
            (plan("l1"), {"choice": 1}, Allowed(mode="default")),
            (plan("l2"), {"decline": True}, Denied()),
            (question("q1"), {"discuss": "Why?"}, Discussed("Why?")),
            (question("q2"), {"decline": True}, Declined()),
        ):
            got, record = await desk.shown(request)
            await desk.phone.answer(record, answer)
            assert await asyncio.wait_for(got, 5) == outcome


async def test_a_wrong_answer_is_refused(desk: Desk) -> None:
    _, record = await desk.shown(request := question())
    await desk.phone.answer(record, {"answers": [{"selected": [3]}]})
    reason = "answers[0].selected: no option 3; there are “Red”, “Blue”"
    record = await desk.phone.says(record["id"], refused=reason)
    assert (record["status"], record["answer"]) == ("pending", None)
    assert (await desk.stored(request)).state is RequestState.PENDING
    await desk.phone.answer(record, {"decline": True})
    await desk.phone.says(record["id"], end="declined", by="on Anna's phone")


# -- who is first -------------------------------------------------------------------------------------------


async def test_a_phone_that_was_second_is_told_who_was_first(desk: Desk) -> None:
    _, record = await desk.shown(request := question())
    await desk.stop()  # so that the answer is at the relay before the other one is known there
    await desk.inbox.settle(request.id, GIVEN_RED, INBOX)
    await desk.phone.answer(record, BLUE)
    desk.publish()
    record = await desk.phone.says(record["id"], end="answered", by="in the inbox", text="Red")
    assert record["status"] == "ended"
    assert (await desk.stored(request)).outcome == GIVEN_RED


async def test_skipped_leaves_it_to_the_terminal(desk: Desk) -> None:
    _, record = await desk.shown(request := question())
    await desk.phone.post(record, {"skipped": True})
    await desk.stop()
    desk.publish()
    await desk.shown(question("toolu_2"))
    assert (await desk.stored(request)).state is RequestState.PENDING
    assert (await desk.phone.record(record["id"]))["status"] == "answered", "it is not asked again"
    await desk.inbox.settle(request.id, Declined(), INBOX)
    await desk.phone.says(record["id"], end="declined", by="in the inbox")


# -- asked, withdrawn, parked -------------------------------------------------------------------------------


async def test_what_is_withdrawn_and_asked_again_takes_no_old_answer(desk: Desk) -> None:
    _, record = await desk.shown(request := question())
    await desk.inbox.settle(request.id, Cancelled("interrupted"), INBOX)
    outcome = await desk.ask(request)

    async def is_over() -> bool:
        return bool((await desk.phone.record(record["id"]))["status"] == "ended")

    await until_true(is_over)
    again = await desk.phone.shown()
    assert again["id"] != record["id"]
    await desk.phone.post(again, desk.phone.answer_body(record, BLUE))
    await desk.phone.says(again["id"], refused=CHANGED)
    await desk.phone.answer(again, RED)
    assert await asyncio.wait_for(outcome, 60) == GIVEN_RED


async def test_a_parked_session_is_said_to_be_parked(desk: Desk) -> None:
    outcome, record = await desk.shown(question())
    assert not desk.phone.body(record)["session"]["parked"]
    desk.inbox.sessions.note(publishing.SESSION, SessionFact(state="parked"))
    record = await desk.phone.says(record["id"], end="parked")
    assert record["status"] == "pending"
    desk.inbox.sessions.note(publishing.SESSION, SessionFact(state="working", name="another name"))
    record = await desk.phone.says(record["id"])
    await desk.stop()
    desk.publish()
    await desk.phone.answer(record, RED)
    assert await asyncio.wait_for(outcome, 60) == GIVEN_RED, "under its old name"


# -- devices that know only the contract -------------------------------------------------------------------


async def asked(desk: Desk, count: int) -> list[Body]:
    """Wait until a device has so many pending questions."""

    async def look() -> list[Body] | None:
        found = (await desk.phone.caller("GET", f"/questions/{desk.phone.pairing.id}")).json()["questions"]
        return [*found, {}] if len(found) == count else None

    return list(await until_true(look))[:-1]


async def answer(desk: Desk, asked: Body, *indices: int, **more: Any) -> tuple[int, Body]:
    path, given = f"/question/{desk.phone.pairing.id}/{asked['id']}/answer", {"selectedIndices": [*indices]}
    response = await desk.phone.caller("POST", path, given | more)
    return response.status_code, response.json()


@PLAIN
async def test_the_answers_to_a_set_become_one(desk: Desk) -> None:
    outcome = await desk.ask(request := question("toolu_1", COLOUR, PARTS))
    colour, parts = await asked(desk, 2)
    options = [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": ""}]
    assert (colour["prompt"], colour["header"], colour["options"]) == (COLOUR.text, "Colour", options)
    await answer(desk, colour, 1)
    await answer(desk, parts)  # nothing of a multi-select says nothing: all is asked again
    assert await asked(desk, 2) == [colour, parts]
    await answer(desk, parts, 0, 2, note="small")
    await desk.stop()  # what was answered is found again
    desk.publish()
    assert await asked(desk, 1) == [colour]
    status, record = await answer(desk, parts, 1)
    assert (status, record["winner"]["selectedIndices"]) == (409, [0, 2])
    assert (await desk.stored(request)).state is RequestState.PENDING
    await answer(desk, colour, other="Green")
    given = Answered((Answer(other="Green"), Answer(("A", "C"), note="small")))
    assert await asyncio.wait_for(outcome, 60) == given
    actor = Actor(Surface.DEVICE, "phone 0", device=desk.phone.caller.id)
    assert (await desk.stored(request)).actor == actor
    assert await asked(desk, 0) == []


# -- a relay that is down -----------------------------------------------------------------------------------


async def test_a_relay_that_is_down_comes_and_goes(desk: Desk) -> None:
    request = question()
    await desk.stop()
    await desk.relay.stop()
    desk.publish()
    await desk.ask(request)

    await until_true(lambda: desk.publisher.problem)
    assert desk.publisher.problem.startswith("the relay cannot be reached")
    await desk.relay.start()
    record = await desk.phone.shown()
    assert not desk.publisher.problem
    await desk.relay.stop()
    await desk.inbox.settle(request.id, GIVEN_BLUE, INBOX)
    await desk.ask(question("toolu_2"))
    await desk.relay.start()
    await desk.phone.shown("toolu_2")
    await desk.phone.says(record["id"], end="answered", by="in the inbox", text="Blue")


async def test_an_answer_given_while_nobody_published_is_taken_over(desk: Desk) -> None:
    outcome, record = await desk.shown(question())
    _, over = await desk.shown(ended := question("toolu_2"))
    await desk.stop()
    await desk.phone.answer(record, BLUE)
    await desk.inbox.settle(ended.id, Cancelled("interrupted"), INBOX)
    await desk.inbox.run(lambda store: store.requests.forget(ended.session_id))
    desk.publish()
    assert await asyncio.wait_for(outcome, 60) == GIVEN_BLUE
    await desk.phone.says(over["id"], end="withdrawn")


async def test_among_many_requests_the_newest_comes_first(desk: Desk) -> None:
    await desk.stop()
    for number in range(MANY):
        await desk.ask(question(f"toolu_{number}"))
    desk.publish()
    await until_true(desk.phone.records)
    outcome, record = await desk.shown(question("toolu_late"))
    await desk.phone.answer(record, BLUE)
    assert await asyncio.wait_for(outcome, 60) == GIVEN_BLUE

    async def all_there() -> bool:
        return [each["status"] for each in await desk.phone.records()].count("pending") == MANY

    await until_true(all_there)


# -- a relay that lies --------------------------------------------------------------------------------------


async def put(desk: Desk, record_id: str, **changes: Any) -> None:
    """Change what the relay has of a record, or without changes, remove it."""
    group = records_of(desk.phone.pairing.id)
    entry = await desk.relay.store.get(group, record_id)
    assert entry is not None
    text = json.dumps(json.loads(entry.text) | changes) if changes else None
    assert await desk.relay.store.swap(Swap(group, record_id, entry, text))


def given(**wanted: Any) -> Body:
    answer = {"device": {"id": "d", "name": "x"}, "at": "2026-11-27T12:00:00Z", **wanted}
    return {"status": "answered", "answer": answer}


async def test_answers_that_a_relay_swaps_or_changes_are_refused(desk: Desk) -> None:
    unknown = REFUSED.format("its format is not known")
    reasons = {"changed": CHANGED, "swapped": CHANGED, "torn": unknown, "opened": unknown}
    requests = {name: question(f"toolu_{name}") for name in reasons}
    records = {name: (await desk.shown(each))[1] for name, each in requests.items()}
    await desk.stop()
    honest = desk.phone.answer_body(records["changed"], BLUE)["sealed"]
    bent = honest[:20] + ("A" if honest[20] != "A" else "B") + honest[21:]
    for name, sealed in {"changed": bent, "swapped": honest, "torn": "AAAA"}.items():
        await put(desk, records[name]["id"], **given(sealed=sealed))
    await put(desk, records["opened"]["id"], **given(answer=BLUE))
    desk.publish()
    for name, why in reasons.items():
        await desk.phone.says(records[name]["id"], refused=why)
        assert (await desk.stored(requests[name])).state is RequestState.PENDING


async def test_a_replayed_answer_changes_nothing(desk: Desk) -> None:
    outcome, record = await desk.shown(request := question())
    old = desk.phone.answer_body(record, BLUE)["sealed"]
    await desk.phone.answer(record, RED)
    assert await asyncio.wait_for(outcome, 60) == GIVEN_RED
    body = {"end": "answered", "by": "on Anna's phone", "text": "Red"}
    await desk.phone.says(record["id"], **body)
    await desk.stop()
    await put(desk, record["id"], **given(sealed=old), statement=None)
    desk.publish()
    await desk.phone.says(record["id"], **body)
    assert (await desk.stored(request)).outcome == GIVEN_RED


@pytest.mark.parametrize("lie", ["lost", "swapped", "later", "garbage"])
async def test_a_request_that_a_relay_loses_or_changes_is_published_again(desk: Desk, lie: str) -> None:
    outcome, record = await desk.shown(question())
    _, other = await desk.shown(question("toolu_2"))
    await desk.stop()
    changes: Body = {
        "lost": {},
        "swapped": {"content": {"sealed": other["sealed"]}},
        "later": {"expires": "2099-01-01T00:00:00Z"},
        "garbage": {"content": {"sealed": "AAAA"}, "status": "ended", "statement": {"sealed": "AAAA"}},
    }[lie]
    await put(desk, record["id"], **changes)
    desk.publish()

    async def mended() -> bool:
        found = await desk.phone.record(record["id"])
        kept = ("sealed", "expires")
        return found.get("status") == "pending" and all(found[name] == record[name] for name in kept)

    await until_true(mended)
    await desk.phone.answer(record, BLUE)
    assert await asyncio.wait_for(outcome, 60) == GIVEN_BLUE
