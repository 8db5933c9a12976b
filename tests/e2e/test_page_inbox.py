"""The page answers what an inbox publishes: the outcome is the one that was confirmed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.requests import Allowed, Denied, ElicitationRequest, QuestionRequest
from ccq_tui.questions import Answer, Answered, Declined, Option, Question, QuestionSet
from ccq_tui.remote.seal import from_base64
from tests.e2e.asked import REPLICAS
from tests.e2e.paging import Pages, Terminal, main, pick, press, shown
from tests.unit.remote.publishing import COLOUR, PARTS, SESSION, permission, plan, published, question
from tests.unit.remote.relays import Caller, TestPairing

pytestmark = pytest.mark.asyncio(loop_scope="session")
SCHEMA = {
    "type": "object",
    "required": ["Name"],
    "properties": {"Name": {"type": "string"}, "sure": {"type": "boolean"}, "n": {"type": "integer"}},
}
LONG = QuestionSet("long", (Question("x" * 9_000, "Long", (Option("y" * 9_000), Option("z"))),))


async def test_every_kind_of_request(tmp_path: Path, pages: Pages) -> None:
    async with published(tmp_path) as desk:
        pairing = desk.pairing
        made = TestPairing(desk.relay, pairing.id, Caller(desk.relay, pairing.token))
        page = await pages.paired(Terminal(made, from_base64(pairing.key)))

        async def outcome(asked: asyncio.Future[Any], by: str = "Answered on this device") -> Any:
            got = await asyncio.wait_for(asked, 10)
            await shown(page, by)
            await press(page, "Done")
            return got

        asked = await desk.ask(question("q1", COLOUR, PARTS, REPLICAS), "I looked at both.")
        await shown(page, "I looked at both.")
        await pick(page, "Blue")
        await press(page, "Next")
        await pick(page, "Other…", "B")
        await page.get_by_label("Your own answer").fill("D, and E")
        await press(page, "Next")
        await page.get_by_label("How many replicas?").fill("3")
        await press(page, "Review", "Submit 3 answers")
        answers = (Answer(("Blue",)), Answer(("B",), "D, and E"), Answer(other="3"))
        assert await outcome(asked) == Answered(answers)

        asked = await desk.ask(permission("p1"))
        await press(page, "Allow once")
        assert await outcome(asked) == Allowed()
        asked = await desk.ask(permission("p2"))
        await press(page, "Deny")
        assert await outcome(asked, "Declined on this device") == Denied()
        asked = await desk.ask(plan("l1"))
        await press(page, "Approve, and ask before each edit")
        assert await outcome(asked) == Allowed(mode="default")

        asked = await desk.ask(ElicitationRequest("e1", SESSION, "deployer", "Where to?", schema=SCHEMA))
        await pick(page, "Yes")
        await press(page, "Review")
        assert await page.get_by_role("button", name="Name is required").is_disabled()
        await press(page, "Back")
        await page.get_by_label("Name").fill("Ada")
        await press(page, "Review", "Submit 2 of 3 answers")
        assert await outcome(asked) == Answered((Answer(other="Ada"), Answer(("Yes",)), Answer()))

        asked = await desk.ask(QuestionRequest("long", SESSION, LONG))
        await main(page).get_by_role("radio").first.check()
        await page.get_by_role("button", name="Send y").click()
        assert await outcome(asked) == Answered((Answer(("y" * 9_000,)),))

        last = question("last")
        await desk.ask(last)
        await shown(page, "Which colour?")
        await desk.inbox.answer(last.id, Declined(), Actor.here(Surface.INBOX))
        await shown(page, "Declined in the inbox")
