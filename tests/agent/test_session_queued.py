"""Prompts that wait for the running turn, taken back; and how the CLI reads signs at a prompt's start."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ccq_tui.agent.events import BlockGrew, NoticeGiven, PromptAccepted, PromptDelivered, PromptReturned
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Running


async def test_a_queued_prompt_is_taken_back_once_and_never_reaches_the_agent(
    play: Callable[..., Any],
) -> None:
    model, home = play(Scenario("s").says("Working").hangs().says(" hard.").ends_turn().says("Read."))
    async with Running(home) as run:
        first = run.session.send("Start")
        await run.until(BlockGrew)
        second, third = run.session.send("Second"), run.session.send("Third")
        await run.until(PromptAccepted, count=3)
        run.session.withdraw(third)
        returned = await run.until(PromptReturned)
        assert (returned.text, returned.prompt_id, returned.wanted) == ("Third", third, True)
        for again in (third, first):
            run.session.withdraw(again)
        refused = await run.until(NoticeGiven, count=2)
        assert "Claude has read it already" in refused.text
        model.release()
        await run.idle()
        assert [event.prompt_id for event in run.all(PromptDelivered)] == [first, second]
    assert len(run.all(PromptReturned)) == 1, "not given back again at the session's end"
    assert "Third" not in json.dumps(model.requests()[-1].body["messages"])


@pytest.mark.parametrize("prompt", ["!echo $((40000+2222))", "# Use tabs"])
async def test_an_exclamation_mark_and_a_hash_mean_nothing_to_the_cli_here(
    play: Callable[..., Any], prompt: str
) -> None:
    model, home = play(Scenario("s").says("As you say."))
    async with Running(home) as run:
        run.session.send(prompt)
        await run.idle()
    seen = json.dumps(model.requests()[-1].body["messages"])
    assert f'"text": "{prompt}"' in seen
    assert "42222" not in seen, "nothing ran"
    assert not list(home.project.iterdir())


async def test_a_mention_as_the_prompt_completes_it_is_read_by_the_cli(play: Callable[..., Any]) -> None:
    model, home = play(Scenario("s").says("Read."))
    (home.project / "my notes.txt").write_text("what the file says")
    async with Running(home) as run:
        run.session.send('See @"my notes.txt" now')
        await run.idle()
    assert "what the file says" in json.dumps(model.requests()[-1].body["messages"])
