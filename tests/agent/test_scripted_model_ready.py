"""Each ready scenario, played to its end by the real SDK and the real CLI."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from ccq_tui.testing.scenarios import READY
from tests.agent.scripted_session import QUESTION_ENV, TYPED, Session, answer_to, session
from tests.results import answered, replied

ASKED = "a set, as it was answered"
LISTING = r"total \d+\n.*"
PLAN_ENTERED = r"Entered plan mode\. .*"
PLAN_WRITTEN = r"File created successfully at: /\S+/home/\.claude/plans/\S+\.md .*"
APPROVED = r"User has approved your plan\. .*"
EXPECTED: Mapping[str, tuple[str, ...]] = {
    "single": (ASKED,),
    "four": (ASKED,),
    "tour": (LISTING, *(ASKED,) * 4, r"0\.1\.0", PLAN_ENTERED, PLAN_WRITTEN, APPROVED),
}
"""What the model gets as the results of each scenario's calls, as patterns."""


def result_text(given: Mapping[str, Any]) -> str:
    """Return what the CLI makes of a set and of its answers."""
    questions = given["questions"]
    pairs = ", ".join(f'"{one["question"]}"="{answer_to(one)}"' for one in questions)
    return replied(pairs) if any(one.get("kind") in TYPED for one in questions) else answered(pairs)


async def test_each_ready_scenario_plays_to_its_end(
    scripted_model: Callable[..., ScriptedModel], claude_env: Callable[..., CleanHome]
) -> None:
    assert set(EXPECTED) == set(READY)
    model = scripted_model(Scenario())
    home = claude_env(model, **QUESTION_ENV)
    async with session(home) as client:
        for name in READY:
            async with client.scene(name, model, READY[name].build()):
                await plays_to_its_end(name, model, client)
        async with client.scene("a declined question", model, READY["four"].build()):
            await a_declined_question_is_told_to_the_model(model, client)


async def plays_to_its_end(name: str, model: ScriptedModel, client: Session) -> None:
    result = await client.prompt(READY[name].prompt)
    assert not result.is_error
    for _ in range(3):
        if model.finished:
            break
        result = await client.prompt("more")
    assert model.finished
    assert not result.is_error
    names = [f"toolu_{name}_{number}" for number in range(1, len(EXPECTED[name]) + 1)]
    received = model.tool_results()
    assert [one.tool_use_id for one in received] == names
    sets = [result_text(given) for tool, given in client.asked if tool == "AskUserQuestion"]
    for found, expected in zip(received, EXPECTED[name], strict=True):
        assert not found.is_error
        if expected == ASKED:
            sets.remove(found.text)
        else:
            assert re.fullmatch(expected, found.text, re.DOTALL)


async def a_declined_question_is_told_to_the_model(model: ScriptedModel, client: Session) -> None:
    client.denied["AskUserQuestion"] = "Not now"
    await client.prompt("go")
    assert [found.text for found in model.tool_results()] == ["Not now"]
    assert "Not now" in client.texts[-1]
    assert model.finished
