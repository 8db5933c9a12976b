"""A prompt whose turn is interrupted before Claude says anything: the conversation can forget it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ccq_tui.agent.events import PromptDelivered, TurnEnded
from ccq_tui.testing import ScriptedModel
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Running
from tests.agent.stage import staged


async def test_a_turn_that_was_interrupted_in_its_silence_is_forgotten(play: Callable[..., Any]) -> None:
    silent = Scenario("a").hangs().says("never").ends_turn().says("Two.").ends_turn()
    begun = Scenario("a").says("One.").ends_turn().hangs().says("never").ends_turn().says("Two.").ends_turn()
    async with staged(play(Scenario())) as stage:
        async with stage.scene("the first prompt of all", silent) as run:
            await is_forgotten(run, stage.model)
        async with stage.scene("a later one", begun) as run:
            run.session.send("begin")
            await run.idle()
            await is_forgotten(run, stage.model, turns=1)


async def is_forgotten(run: Running, model: ScriptedModel, turns: int = 0) -> None:
    """Interrupt a prompt after so many turns, take it back, and send another one."""
    wrong = run.session.send("the wrong words")
    await model.wait_for(lambda asked: len(asked.requests()) > turns)
    run.session.interrupt()
    ended = await run.until(TurnEnded, lambda e: e.is_error)
    assert ended.reason == "aborted_streaming"
    assert run.all(PromptDelivered)[-1].prompt_id == wrong
    await run.idle(turns + 1)
    assert (await run.session.rewind(wrong, files=False)).refusal == ""
    run.session.send("the right words")
    await run.until(TurnEnded, count=turns + 2)
    asked = json.dumps(model.requests()[-1].body["messages"])
    assert asked.count("the right words") == 1
    assert "wrong words" not in asked
    assert "interrupted by user" not in asked
