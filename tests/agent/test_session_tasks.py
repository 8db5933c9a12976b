"""Tasks of a real CLI: a subagent, and a command in the background."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccq_tui.agent.events import TaskEnded, TaskProgressed, TaskStarted
from ccq_tui.testing.scenario import Scenario
from ccq_tui.widgets.transcript import TranscriptModel
from tests.agent.running import Running
from tests.unit.transcript.test_drawing import shown


async def test_a_subagent_and_a_command_in_the_background_tell_their_ends(play: Callable[..., Any]) -> None:
    scout = Scenario("scout").runs("Bash", command="ls", description="List").says("Nothing is here.")
    background = {"command": "false", "description": "Fail", "run_in_background": True}
    scenario = (
        Scenario("s")
        .agent("look around", scout, description="Look around")
        .runs("Bash", **background)
        .says("Both are told.")
    )
    _, home = play(scenario)
    async with Running(home, permission_mode="acceptEdits") as run:
        run.session.send("Go")
        ended = await run.until(TaskEnded, lambda e: bool(e.summary) and e.status == "failed")
        await run.idle()
    agent, command = run.all(TaskStarted)
    assert (agent.agent, agent.background, agent.description) == (True, False, "Look around")
    assert (command.agent, command.background, command.task_id) == (False, True, ended.task_id)
    progress = run.all(TaskProgressed)[-1]
    assert (progress.task_id, progress.tools, progress.doing) == (agent.task_id, 1, "Running List")
    told = next(e for e in run.all(TaskEnded) if e.task_id == agent.task_id and e.summary)
    assert (told.status, told.summary, told.tools) == ("completed", "Nothing is here.", 1)
    assert "exit code 1" in ended.summary
    model = TranscriptModel()
    for event in run.events:
        model.apply(event)
    lines = shown(model, 100).split("\n")
    assert any(line.startswith("✔ Agent Look around") for line in lines)
    assert any(line.startswith("  ⎿ 1 tool · ") and line.endswith("Ctrl+O shows its work") for line in lines)
    assert any(line.startswith("✘ Bash false · failed in the background") for line in lines)
    assert f"✘ {ended.summary}" in lines
