"""A prompt whose turn is interrupted before Claude says anything: the conversation can forget it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ccq_tui.agent.events import PromptDelivered, TurnEnded
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Running


@pytest.mark.parametrize("before", [(), ("begin",)])
async def test_a_turn_that_was_interrupted_in_its_silence_is_forgotten(
    before: tuple[str, ...], play: Callable[..., Any]
) -> None:
    scenario = Scenario("a").says("One.").ends_turn() if before else Scenario("a")
    model, home = play(scenario.hangs().says("never").ends_turn().says("Two.").ends_turn())
    async with Running(home) as run:
        for turns, text in enumerate(before, 1):
            run.session.send(text)
            await run.idle(turns)
        wrong = run.session.send("the wrong words")
        await model.wait_for(lambda asked: len(asked.requests()) > len(before))
        run.session.interrupt()
        ended = await run.until(TurnEnded, lambda e: e.is_error)
        assert ended.reason == "aborted_streaming"
        assert run.all(PromptDelivered)[-1].prompt_id == wrong
        await run.idle(len(before) + 1)
        assert (await run.session.rewind(wrong, files=False)).refusal == ""
        run.session.send("the right words")
        await run.until(TurnEnded, count=len(before) + 2)
        asked = json.dumps(model.requests()[-1].body["messages"])
        assert asked.count("the right words") == 1
        assert "wrong words" not in asked
        assert "interrupted by user" not in asked
