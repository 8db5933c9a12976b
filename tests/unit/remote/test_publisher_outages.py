"""A relay that is down, comes back, loses what it had, or lies."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from ccq_tui.inbox.requests import Cancelled
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.questions import Answer, Answered
from ccq_tui.remote.relay.store import Entry, Swap, records_of
from tests.actors import INBOX
from tests.steps import until_true
from tests.unit.remote.publishing import CHANGED, Desk, question, until

BLUE = {"answers": [{"selected": [2]}]}
MANY = 150
GIVEN = Answered((Answer(("Blue",)),))


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
    await desk.inbox.answer(request.id, GIVEN, INBOX)
    await desk.ask(question("toolu_2"))
    await desk.relay.start()
    await desk.phone.shown("toolu_2")
    await desk.phone.says(record["id"], end="answered", by="in the inbox", text="Blue")


async def test_a_relay_that_lost_its_records_gets_them_again(desk: Desk) -> None:
    outcome = await desk.ask(question())
    record = await desk.phone.shown()
    await desk.relay.stop()
    entry, group = await kept(desk, record["id"])
    assert await desk.relay.store.swap(Swap(group, record["id"], entry, None))
    await desk.relay.start()
    again = await desk.phone.shown()
    assert (again["id"], again["sealed"]) == (record["id"], record["sealed"])
    await desk.phone.answer(record, BLUE)
    assert await asyncio.wait_for(outcome, 5) == GIVEN, "it is the answer to the same text"


async def kept(desk: Desk, record_id: str) -> tuple[Entry, str]:
    """Return what the relay has of a record, and in which group."""
    group = records_of(desk.pairing.id)
    entry = await desk.relay.store.get(group, record_id)
    assert entry is not None
    return entry, group


async def test_an_answer_given_while_nobody_published_is_taken_over(desk: Desk) -> None:
    request, gone = question(), question("toolu_2")
    outcome = await desk.ask(request)
    await desk.ask(gone)
    record, over = await desk.phone.shown(), await desk.phone.shown("toolu_2")
    await desk.stop()
    await desk.phone.answer(record, BLUE)
    await desk.inbox.answer(gone.id, Cancelled("interrupted"), INBOX)
    await desk.inbox.run(lambda store: store.requests.forget(gone.session_id))
    desk.publish()
    assert await asyncio.wait_for(outcome, 5) == GIVEN
    await desk.phone.says(over["id"], end="withdrawn")


async def test_among_many_requests_the_newest_comes_first(desk: Desk) -> None:
    await desk.stop()
    for number in range(MANY):
        await desk.ask(question(f"toolu_{number}"))
    desk.publish()
    await until(desk.phone.records)
    late, asked = question("toolu_late"), time.monotonic()
    outcome = await desk.ask(late)
    await desk.phone.answer(await desk.phone.shown("toolu_late"), BLUE)
    assert await asyncio.wait_for(outcome, 5) == GIVEN
    assert time.monotonic() - asked < 5

    async def all_there() -> bool:
        return [each["status"] for each in await desk.phone.records()].count("pending") == MANY

    await until(all_there)


# -- a relay that lies --------------------------------------------------------------------------------------


async def put(desk: Desk, record_id: str, **changes: Any) -> None:
    """Change what the relay has of a record."""
    entry, group = await kept(desk, record_id)
    text = json.dumps(json.loads(entry.text) | changes)
    assert await desk.relay.store.swap(Swap(group, record_id, entry, text))


def given(**said: Any) -> dict[str, Any]:
    answer = {"device": {"id": "d", "name": "x"}, "at": "2026-11-27T12:00:00Z", **said}
    return {"status": "answered", "answer": answer}


FORMAT = "its format is not known"


async def test_answers_that_a_relay_swaps_or_changes_are_refused(desk: Desk) -> None:
    reasons = {"changed": CHANGED, "swapped": CHANGED, "torn": FORMAT, "opened": FORMAT}
    requests = {name: question(f"toolu_{name}") for name in reasons}
    for request in requests.values():
        await desk.ask(request)
    records = {name: await desk.phone.shown(each.tool_use_id) for name, each in requests.items()}
    await desk.stop()
    honest = desk.phone.said(records["changed"], BLUE)["sealed"]
    bent = honest[:20] + ("A" if honest[20] != "A" else "B") + honest[21:]
    for name, sealed in {"changed": bent, "swapped": honest, "torn": "AAAA"}.items():
        await put(desk, records[name]["id"], **given(sealed=sealed))
    await put(desk, records["opened"]["id"], **given(answer=BLUE))
    desk.publish()
    for name, why in reasons.items():
        refused = f"the answer cannot be opened: {why}; answer again"
        await desk.phone.says(records[name]["id"], refused=refused)
        assert (await desk.stored(requests[name])).state is RequestState.PENDING


async def test_a_replayed_answer_changes_nothing(desk: Desk) -> None:
    request = question()
    outcome = await desk.ask(request)
    record = await desk.phone.shown()
    old = desk.phone.said(record, BLUE)["sealed"]
    await desk.phone.answer(record, {"answers": [{"selected": [1]}]})
    assert await asyncio.wait_for(outcome, 5) == Answered((Answer(("Red",)),))
    said = {"end": "answered", "by": "on Anna's phone", "text": "Red"}
    await desk.phone.says(record["id"], **said)
    await desk.stop()
    await put(desk, record["id"], **given(sealed=old), statement=None)
    desk.publish()
    await desk.phone.says(record["id"], **said)
    assert (await desk.stored(request)).outcome == Answered((Answer(("Red",)),))


@pytest.mark.parametrize("lie", ["swapped", "later", "garbage"])
async def test_a_request_that_a_relay_changes_is_published_again(desk: Desk, lie: str) -> None:
    outcome = await desk.ask(question())
    await desk.ask(question("toolu_2"))
    record, other = await desk.phone.shown(), await desk.phone.shown("toolu_2")
    await desk.stop()
    changes: dict[str, Any] = {
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

    await until(mended)
    await desk.phone.answer(record, BLUE)
    assert await asyncio.wait_for(outcome, 5) == GIVEN
