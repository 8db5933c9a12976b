"""What a real CLI rarely meets: its directory goes, its tasks end or are stopped, a prompt is taken back."""

import json
import shutil

from ccq_tui.agent import controls
from ccq_tui.agent import events as ev
from ccq_tui.inbox.requests import Allowed, PlanRequest
from ccq_tui.testing import CleanHome, ScriptedModel
from ccq_tui.testing.scenario import Scenario
from ccq_tui.transcript.model import TranscriptModel
from tests.agent.running import Play, Running, alive
from tests.agent.stage import staged
from tests.steps import until_true
from tests.unit.transcript.test_drawing import shown

LOOK = {"command": "pwd", "description": "Where are we"}


def seen(run: Running) -> str:
    """What the transcript says of all that happened, as if it were not wrapped."""
    model = TranscriptModel()
    for event in run.events:
        model.apply(event)
    return " ".join(shown(model, 300).split())


async def test_a_prompt_before_the_connection_tasks_and_a_directory_that_goes(play: Play) -> None:
    async with staged(play(Scenario()), allowed_tools=("Bash",)) as stage:
        async with stage.scene("a prompt before the connection", Scenario("s").says("Hello.")) as run:
            await before_the_connection_a_prompt_can_be_taken_back(run, stage.model)
        scout = Scenario("scout").runs("Bash", command="ls", description="List").says("Nothing is here.")
        background = {"command": "false", "description": "Fail", "run_in_background": True}
        scenario = Scenario("t").agent("look around", scout, description="Look around")
        scenario = scenario.runs("Bash", **background).says("Both are told.")
        async with stage.scene("a subagent, and a command in the background", scenario) as run:
            await they_tell_their_ends(run)
        scenario = Scenario("s").says("Here.").ends_turn().runs("Bash", **LOOK).says("Gone.").ends_turn()
        scenario = scenario.runs("Bash", **LOOK).says("Back.")
        async with stage.scene("a directory that goes and comes back", scenario) as run:
            await a_directory_goes_and_comes_back(run, stage.home)
        serve = {"command": "echo $$ > pid; sleep 55", "description": "Serve", "run_in_background": True}
        scenario = Scenario("s").runs("Bash", **serve).says("It runs.").noted("Stopped.").ends_turn()
        scenario = scenario.plans("# Plan\n1. x").says("I begin with the tests.")
        async with stage.scene("a task is stopped, and a plan approved with words", scenario) as run:
            await a_task_is_stopped_and_a_plan_is_approved_with_words(run, stage.model, stage.home)


async def before_the_connection_a_prompt_can_be_taken_back(run: Running, model: ScriptedModel) -> None:
    unwanted = "Take this back"
    first, second = run.session.send("First"), run.session.send(unwanted)
    run.session.withdraw(second)
    returned = await run.until(ev.PromptReturned)
    assert (returned.text, returned.prompt_id, returned.wanted) == (unwanted, second, True)
    assert not run.all(ev.Connected)
    await run.idle()
    assert [event.prompt_id for event in run.all(ev.PromptAccepted)] == [first]
    assert unwanted not in json.dumps([exchange.body for exchange in model.requests()])


async def they_tell_their_ends(run: Running) -> None:
    ended = await run.send("Go").until(ev.TaskEnded, lambda e: bool(e.summary) and e.status == "failed")
    await run.idle()
    agent, command = run.all(ev.TaskStarted)
    assert (agent.agent, agent.background, agent.description) == (True, False, "Look around")
    assert (command.agent, command.background, command.task_id) == (False, True, ended.task_id)
    progress = run.all(ev.TaskProgressed)[-1]
    assert (progress.task_id, progress.tools, progress.doing) == (agent.task_id, 1, "Running List")
    end = next(e for e in run.all(ev.TaskEnded) if e.task_id == agent.task_id and e.summary)
    assert (end.status, end.summary, end.tools) == ("completed", "Nothing is here.", 1)
    assert "exit code 1" in ended.summary
    model = TranscriptModel()
    for event in run.events:
        model.apply(event)
    lines = shown(model, 100).split("\n")
    assert any(line.startswith("✔ Agent Look around") for line in lines)
    assert any(line.startswith("  ⎿ 1 tool · ") and line.endswith("Ctrl+O shows its work") for line in lines)
    assert any(line.startswith("✖ Bash false · failed in the background") for line in lines)
    assert f"✖ {ended.summary}" in lines


async def a_task_is_stopped_and_a_plan_is_approved_with_words(
    run: Running, model: ScriptedModel, home: CleanHome
) -> None:
    await run.send("Serve it").until(ev.TurnEnded)
    task = run.one(ev.TaskStarted)
    assert (task.background, task.description) == (True, "Serve")
    begun = home.project / "pid"
    await until_true(lambda: begun.exists() and begun.read_text().endswith("\n"))
    process = int(begun.read_text())
    assert alive(process)
    await run.session.send_control(controls.stop_task(task.task_id))
    ended = await run.until(ev.TaskEnded, lambda e: e.task_id == task.task_id)
    assert ended.status == "stopped"
    await until_true(lambda: not alive(process))
    proposed = await run.send("Plan it").until(PlanRequest)
    run.answer(proposed.request.id, Allowed("The tests first", mode="default"))
    await run.until(ev.BlockFinished, lambda e: e.text == "I begin with the tests.")
    assert model.result(proposed.request.tool_use_id).text.startswith("User has approved your plan.")
    bodies = json.dumps(model.requests()[-1].body)
    assert "The user allowed this call and told you:\\nThe tests first" in bodies
    assert not run.all(ev.PromptReturned)


async def a_directory_goes_and_comes_back(run: Running, home: CleanHome) -> None:
    await run.send("Begin").until(ev.TurnEnded)
    shutil.rmtree(home.project)
    await run.send("Go on").until(ev.TurnEnded, count=2)
    assert run.one(ev.NoticeGiven).level == "warning"
    assert run.one(ev.ToolFinished).is_error
    # What happened, and what to do about it.
    assert f"working directory {home.project} no longer exists" in seen(run)
    assert "shell commands cannot start there" in seen(run)
    assert "will fail until it is restored" in seen(run)
    home.project.mkdir()
    await run.send("And now?").until(ev.TurnEnded, count=3)
    works = run.all(ev.ToolFinished)[-1]
    assert (works.is_error, works.output.strip()) == (False, str(home.project))
