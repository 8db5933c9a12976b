"""What the inbox on disk is told: what stood before a question, and that nobody answered it in time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ccq_tui.agent.events import QuestionAsked, RequestSettled, TurnEnded
from ccq_tui.inbox.agent_texts import EXPIRED
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import call_of
from ccq_tui.questions import Expired
from ccq_tui.testing import ScriptedModel
from ccq_tui.testing.scenario import Scenario
from tests.actors import LIMIT
from tests.agent.running import DATABASE, SQLITE, Running, inbox_at, stored
from tests.agent.stage import staged
from tests.agent.test_session_parking import delivered, said


async def test_what_the_inbox_on_disk_is_told(play: Callable[..., Any], tmp_path: Path) -> None:
    async with inbox_at(tmp_path) as inbox, staged(play(Scenario()), inbox=inbox) as stage:
        scenario = Scenario("c").says("I looked around.").asks(DATABASE).says("Thanks.")
        async with stage.scene("what was written before a question is stored with it", scenario) as run:
            run.session.send("Build it")
            asked = await run.until(QuestionAsked)
            assert (await stored(inbox, asked.request.id)).context == "I looked around."
            run.answer(asked.request.id, SQLITE)
            await run.idle()
        scenario = Scenario("q").asks(DATABASE).says("Then I assume nothing.").ends_turn()
        async with stage.scene("nobody answered is the result, and no option is", scenario) as run:
            await nobody_answered_is_the_result(run, stage.model, inbox)


async def nobody_answered_is_the_result(run: Running, model: ScriptedModel, inbox: Inbox) -> None:
    run.session.send("Build it")
    name = (await run.until(QuestionAsked)).request.id
    run.inbox.answer(name, Expired(), LIMIT)
    assert (await run.until(RequestSettled)).outcome == Expired()
    await run.until(TurnEnded)
    assert EXPIRED in model.result(call_of(name)).text
    assert '"Which database?"="' not in said(model)
    await delivered(inbox, name, "result")
    rows = await inbox.run(lambda store: store.history.changes(request_id=name))
    assert [(row.became, row.cause, row.actor) for row in rows] == [
        ("pending", "asked", None),
        ("expired", "expired", LIMIT),
        ("delivered", "seen as result", None),
    ]
