"""Requests reach a device by a real relay, and its answers the inbox."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.port import SessionFact
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.questions import Answer, Answered, Declined, Discussed
from tests.actors import INBOX
from tests.unit.remote.publishing import (
    ALWAYS,
    CHANGED,
    COLOUR,
    PARTS,
    SESSION,
    Desk,
    permission,
    plan,
    published,
    question,
    until,
)

MODES = pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "plain"])


@MODES
async def test_a_question_is_answered_on_a_phone(tmp_path: Path, *, sealed: bool) -> None:
    async with published(tmp_path, sealed=sealed) as desk:
        asked, request = time.monotonic(), question("toolu_1", COLOUR, PARTS)
        outcome = await desk.ask(request, "I looked at both.")
        record = await desk.phone.shown()
        assert time.monotonic() - asked < 2
        body = desk.phone.body(record)
        assert (body["version"], body["context"], body["cut"]) == (1, "I looked at both.", False)
        assert (body["session"]["name"], body["session"]["directory"]) == ("api", "/home/me/api")
        assert [one["text"] for one in body["request"]["questions"]] == [COLOUR.text, PARTS.text]
        given = {"answers": [{"selected": [2], "note": "as the sky"}, {"selected": ["A"], "other": "D"}]}
        assert (await desk.phone.answer(record, given)).status_code == 200
        answers = (Answer(("Blue",), note="as the sky"), Answer(("A",), "D"))
        assert await asyncio.wait_for(outcome, 5) == Answered(answers)
        actor = (await desk.stored(request)).actor
        assert actor is not None
        name = "Anna's phone" if sealed else "phone 0"
        assert (actor.surface, actor.name, actor.device) == (Surface.DEVICE, name, desk.phone.caller.id)
        said = {"end": "answered", "by": f"on {name}", "text": "Blue · A, “D”"}
        record = await desk.phone.says(record["id"], **said)
        assert record["status"] == "answered"
        desk.inbox.sessions.delivered(request.id, "result")
        record = await desk.phone.says(record["id"], taken=True, **said)
        assert record["status"] == "ended"
        assert await desk.phone.records() == []


@MODES
async def test_each_kind_is_decided_on_a_phone(tmp_path: Path, *, sealed: bool) -> None:
    async with published(tmp_path, sealed=sealed, grants=True) as desk:
        for request, answer, outcome in (
            (permission("p1"), {"choice": 1}, Allowed()),
            (permission("p2"), {"choice": 5, "note": "run it dry"}, Denied("run it dry")),
            (permission("p3"), {"choice": 3}, Allowed(suggestion=ALWAYS)),
            (plan("l1"), {"choice": 1}, Allowed(mode="default")),
            (plan("l2"), {"decline": True}, Denied()),
            (question("q1"), {"discuss": "Why?"}, Discussed("Why?")),
            (question("q2"), {"decline": True}, Declined()),
        ):
            got = await desk.ask(request)
            record = await desk.phone.shown(request.tool_use_id)
            assert (await desk.phone.answer(record, answer)).status_code == 200, request
            assert await asyncio.wait_for(got, 5) == outcome


async def test_a_wrong_answer_is_refused(desk: Desk) -> None:
    request = question()
    await desk.ask(request)
    record = await desk.phone.shown()
    assert (await desk.phone.answer(record, {"answers": [{"selected": [3]}]})).status_code == 200
    reason = "answers[0].selected: no option 3; there are “Red”, “Blue”"
    record = await desk.phone.says(record["id"], refused=reason)
    assert (record["status"], record["answer"]) == ("pending", None)
    assert (await desk.stored(request)).state is RequestState.PENDING
    assert (await desk.phone.answer(record, {"decline": True})).status_code == 200
    await desk.phone.says(record["id"], end="declined", by="on Anna's phone")


# -- who is first -------------------------------------------------------------------------------------------


async def test_a_phone_that_was_second_is_told_who_was_first(desk: Desk) -> None:
    request = question()
    await desk.ask(request)
    record = await desk.phone.shown()
    await desk.stop()  # so that the answer is at the relay before the other one is known there
    await desk.inbox.answer(request.id, Answered((Answer(("Red",)),)), INBOX)
    assert (await desk.phone.answer(record, {"answers": [{"selected": [2]}]})).status_code == 200
    desk.publish()
    record = await desk.phone.says(record["id"], end="answered", by="in the inbox", text="Red")
    assert record["status"] == "ended"
    assert (await desk.stored(request)).outcome == Answered((Answer(("Red",)),))


async def test_skipped_leaves_it_to_the_terminal(desk: Desk) -> None:
    request = question()
    await desk.ask(request)
    record = await desk.phone.shown()
    assert (await desk.phone.post(record, {"skipped": True})).status_code == 200
    await desk.stop()
    desk.publish()
    other = question("toolu_2")
    await desk.ask(other)
    await desk.phone.shown("toolu_2")
    assert (await desk.stored(request)).state is RequestState.PENDING
    assert (await desk.phone.record(record["id"]))["status"] == "answered", "it is not asked again"
    await desk.inbox.answer(request.id, Declined(), INBOX)
    await desk.phone.says(record["id"], end="declined", by="in the inbox")


# -- asked, withdrawn, parked -------------------------------------------------------------------------------


async def test_what_is_withdrawn_and_asked_again_takes_no_old_answer(desk: Desk) -> None:
    request = question()
    await desk.ask(request)
    record = await desk.phone.shown()
    await desk.inbox.answer(request.id, Cancelled("interrupted"), INBOX)
    outcome = await desk.ask(request)

    async def is_over() -> bool:
        return bool((await desk.phone.record(record["id"]))["status"] == "ended")

    await until(is_over)
    again = await desk.phone.shown()
    assert again["id"] != record["id"]
    await desk.phone.post(again, desk.phone.said(record, {"answers": [{"selected": [2]}]}))
    await desk.phone.says(again["id"], refused=f"the answer cannot be opened: {CHANGED}; answer again")
    await desk.phone.answer(again, {"answers": [{"selected": [1]}]})
    assert await asyncio.wait_for(outcome, 5) == Answered((Answer(("Red",)),))


async def test_a_parked_session_is_said_to_be_parked(desk: Desk) -> None:
    request = question()
    outcome = await desk.ask(request)
    record = await desk.phone.shown()
    assert not desk.phone.body(record)["session"]["parked"]
    desk.inbox.sessions.note(SESSION, SessionFact(state="parked"))
    record = await desk.phone.says(record["id"], end="parked")
    assert record["status"] == "pending"
    desk.inbox.sessions.note(SESSION, SessionFact(state="working", name="another name"))
    record = await desk.phone.says(record["id"])
    await desk.stop()
    desk.publish()
    await desk.phone.answer(record, {"answers": [{"selected": [1]}]})
    assert await asyncio.wait_for(outcome, 5) == Answered((Answer(("Red",)),)), "under its old name"
