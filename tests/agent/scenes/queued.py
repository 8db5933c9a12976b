"""Prompts that wait for the running turn, taken back; and how the CLI reads signs at a prompt's start."""

import json

from ccq_tui.agent.events import BlockGrew, NoticeGiven, PromptAccepted, PromptDelivered, PromptReturned
from ccq_tui.testing import CleanHome, ScriptedModel
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Running
from tests.agent.stage import Stage

SIGNS = ["!echo $((40000+2222))", "# Use tabs"]


async def scenes(stage: Stage) -> None:
    """Play what this module tests."""
    scenario = Scenario("s").says("Working").hangs().says(" hard.").ends_turn().says("Read.")
    async with stage.scene("a queued prompt is taken back once", scenario) as run:
        await a_queued_prompt_never_reaches_the_agent(run, stage.model)
    for prompt in SIGNS:
        async with stage.scene(prompt, Scenario("s").says("As you say.")) as run:
            await a_sign_means_nothing_to_the_cli_here(run, stage.model, stage.home, prompt)
    async with stage.scene("a mention as the prompt completes it", Scenario("s").says("Read.")) as run:
        (stage.home.project / "my notes.txt").write_text("what the file says")
        await run.send('See @"my notes.txt" now').idle()
        assert "what the file says" in json.dumps(stage.model.requests()[-1].body["messages"])


async def a_queued_prompt_never_reaches_the_agent(run: Running, model: ScriptedModel) -> None:
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
    assert len(run.all(PromptReturned)) == 1, "given back once"
    assert "Third" not in json.dumps(model.requests()[-1].body["messages"])


async def a_sign_means_nothing_to_the_cli_here(
    run: Running, model: ScriptedModel, home: CleanHome, prompt: str
) -> None:
    await run.send(prompt).idle()
    seen = json.dumps(model.requests()[-1].body["messages"])
    assert f'"text": "{prompt}"' in seen
    assert "42222" not in seen, "nothing ran"
    assert not list(home.project.iterdir())
