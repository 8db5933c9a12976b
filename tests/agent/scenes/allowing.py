"""More than yes: lasting permissions, text along with one, plans edited and carried out in a mode."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.inbox.requests import Allowed, PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import AUTO, Rule, Suggestion, kept, lasting
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.testing import CleanHome
from ccq_tui.testing.model import ScriptedModel
from ccq_tui.testing.scenario import Scenario
from tests.actors import PANEL
from tests.agent.running import Running
from tests.agent.stage import Stage
from tests.results import REMARK

LOCAL = "kept in .claude/settings.local.json"
ACCEPT = Suggestion("setMode", mode="acceptEdits")


def outside(path: str) -> Callable[[Any], str]:
    """A path beside the project."""
    return lambda replies: f"{Path(replies.directory).parent}/beside/{path}"


def system_texts(model: ScriptedModel, role: str = "main") -> list[str]:
    """What the model got in the name of the system, request after request, without repetitions."""
    bodies = [exchange.body or {} for exchange in model.requests(role)]
    messages = [one for one in bodies[-1]["messages"] if one["role"] == "system"]
    return [
        one["content"] if isinstance(one["content"], str) else one["content"][0]["text"] for one in messages
    ]


EACH_SUGGESTION = (
    Scenario("p")
    .runs("Bash", command="make test", description="Test")
    .runs("Bash", command="make test --again", description="Test again")
    .runs("WebFetch", url="http://127.0.0.1:1/a", prompt="p")
    .runs("WebFetch", url="http://127.0.0.1:1/b", prompt="p")
    .runs("Read", file_path=outside("a.txt"))
    .runs("Read", file_path=outside("deep/b.txt"))
    .runs("Write", file_path=outside("c.txt"), content="c")
    .runs("Write", file_path=outside("d.txt"), content="d")
)
TWO_CALLS = (
    Scenario("p")
    .runs("Bash", command="touch one; true", description="d")
    .runs("Bash", command="touch two; true", description="d")
)
WITH_ERRAND = (
    Scenario("p")
    .runs("Bash", command="touch one", description="d")
    .runs("Bash", command="touch two; exit 3", description="d")
    .agent(
        "Fetch it",
        Scenario("sub").runs("Bash", command="touch x", description="d").says("Back."),
        description="Fetcher",
    )
)
INTO_AUTO = TWO_CALLS.says("Done.").ends_turn().plans("# Plan").runs("Bash", command="touch x; true")
NEVER_ENDING = Scenario("p").runs("Bash", command="touch begun; sleep 50", description="d")
TWO_PLANS = Scenario("p")
for letter in ("a", "b"):
    TWO_PLANS = TWO_PLANS.plans(f"# Plan {letter}\n1. x").runs(
        "Write", file_path=lambda replies, name=letter: f"{replies.directory}/{name}.txt", content="y"
    )


async def scenes(stage: Stage) -> None:
    """Play what this module tests."""
    model, home = stage.model, stage.home
    async with stage.scene("nothing is granted that was not suggested", TWO_CALLS.says("Done.")) as run:
        await nothing_is_granted_that_was_not_suggested(run, home)
    async with stage.scene("what is said with a permission", WITH_ERRAND.says("Fine.")) as run:
        await what_is_said_with_a_permission_reaches_who_asked(run, model)
    async with stage.scene("a plan edited and carried out", TWO_PLANS.says("Done.")) as run:
        await a_plan_is_edited_and_carried_out_in_the_mode_chosen(run, model, home)
        run.session.set_option("mode", "default")
    async with stage.scene("auto mode", INTO_AUTO.says("Done.")) as run:
        await auto_mode_is_offered_with_a_command_and_a_plan(run)
        run.session.set_option("mode", "default")
    async with stage.scene("a call that never ended", NEVER_ENDING.says("Done.")) as run:
        await what_was_said_comes_back_when_the_call_never_ended(run, home)
    # The last one, for what it grants holds on.
    async with stage.scene("each suggestion", EACH_SUGGESTION.says("Done.")) as run:
        await each_suggestion_is_granted_where_it_says(run, model, home)


async def each_suggestion_is_granted_where_it_says(
    run: Running, model: ScriptedModel, home: CleanHome
) -> None:
    beside = home.root / "beside"
    (beside / "deep").mkdir(parents=True)
    (beside / "a.txt").write_text("a")
    (beside / "deep" / "b.txt").write_text("b")
    expected = [
        Suggestion("addRules", "localSettings", (Rule("Bash", "make test *"),), "allow"),
        Suggestion("addRules", "localSettings", (Rule("WebFetch", "domain:127.0.0.1"),), "allow"),
        Suggestion("addRules", "session", (Rule("Read", f"/{beside}/**"),), "allow"),
        Suggestion("addDirectories", "session", directories=(str(beside),)),
    ]
    run.session.send("Go")
    again = 0
    for number, suggestion in enumerate(expected, 1):
        asked = await run.until(PermissionRequest, count=number + again)
        if number > 1 and expected[number - 2] in asked.request.suggestions:
            # On a busy machine the CLI has not the rule yet that it was just given for its settings.
            again += 1
            run.answer(asked.request.id, Allowed())
            asked = await run.until(PermissionRequest, count=number + again)
        assert suggestion in asked.request.suggestions
        run.answer(asked.request.id, Allowed(suggestion=suggestion))
    # In a directory that is allowed a file is still not written unasked: that takes the mode.
    asked = await run.until(PermissionRequest, count=5 + again)
    assert asked.request.suggestions == (ACCEPT,)
    await run.answer(asked.request.id, Allowed(suggestion=ACCEPT)).idle()
    assert [event.mode for event in run.all(ev.ModeChanged)] == ["acceptEdits"]
    assert len(run.all(PermissionRequest)) == 5 + again
    assert again <= 2, "what holds for the session alone holds at once"
    settings = json.loads((home.project / ".claude" / "settings.local.json").read_text())
    assert settings["permissions"] == {"allow": ["Bash(make test *)", "WebFetch(domain:127.0.0.1)"]}
    assert [(lasting(one), kept(one)) for one in expected] == [
        ("In this project, always: commands that begin with `make test`", LOCAL),
        ("In this project, always: fetching from 127.0.0.1", LOCAL),
        (f"For this session: reading everything in {beside}", ""),
        (f"For this session: work in {beside}", ""),
    ]
    assert (beside / "d.txt").read_text() == "d"
    assert len(model.tool_results()) == 8


async def nothing_is_granted_that_was_not_suggested(run: Running, home: CleanHome) -> None:
    made_up = Suggestion("addRules", "userSettings", (Rule("Bash"),), "allow")
    run.session.send("Go")
    for number in (1, 2):
        asked = await run.until(PermissionRequest, count=number)
        with pytest.raises(InvalidOutcome, match="suggestion: this lasting permission was not suggested"):
            await run.inbox.settle(asked.request.id, Allowed(suggestion=made_up), PANEL)
        run.answer(asked.request.id, Allowed())
    await run.idle()
    assert {path.name for path in home.project.iterdir()} == {"one", "two"}
    assert not (home.config / "settings.json").exists()


async def what_is_said_with_a_permission_reaches_who_asked(run: Running, model: ScriptedModel) -> None:
    texts = ['Keep it <b>small</b> & "good"\nplease', "It may fail", "Hurry"]
    run.session.send("Go")
    for number, text in enumerate(texts, 1):
        asked = await run.until(PermissionRequest, count=number)
        run.answer(asked.request.id, Allowed(text))
    await run.idle()
    assert asked.request.agent == "Fetcher"
    assert not run.all(ev.PromptReturned)
    system = system_texts(model)
    assert REMARK.format("Bash", texts[0]) in system
    assert REMARK.format("Bash", texts[1]).replace("Use:", "UseFailure:") in system
    assert not [text for text in system if texts[2] in text]
    assert any(text.startswith(REMARK.format("Bash", texts[2])) for text in system_texts(model, "subagent"))


async def what_was_said_comes_back_when_the_call_never_ended(run: Running, home: CleanHome) -> None:
    asked = await run.send("Go").until(PermissionRequest)
    run.answer(asked.request.id, Allowed("Not too long"))
    while not (home.project / "begun").exists():
        await run.session._connection._report_usage()  # type: ignore[union-attr]  # a turn of the CLI
    run.session.interrupt()
    await run.until(ev.ToolFinished)
    returned = await run.until(ev.PromptReturned)
    assert returned.text == "Not too long"


async def auto_mode_is_offered_with_a_command_and_a_plan(run: Running) -> None:
    asked = await run.send("Go").until(PermissionRequest)
    await run.answer(asked.request.id, Allowed(suggestion=AUTO)).idle()
    run.session.set_option("mode", "default")
    plan = await run.send("Plan it").until(PlanRequest)
    await run.answer(plan.request.id, Allowed(mode="auto")).idle(2)
    assert [event.mode for event in run.all(ev.ModeChanged)] == ["auto", "default", "plan", "auto"]
    assert len(run.all(PermissionRequest)) == 1, "in auto mode nobody is asked for the others"


async def a_plan_is_edited_and_carried_out_in_the_mode_chosen(
    run: Running, model: ScriptedModel, home: CleanHome
) -> None:
    edited = "# Mine\n\n1. only “this”\n"
    first = await run.send("Plan it").until(PlanRequest)
    asked = await run.answer(first.request.id, Allowed(mode="default")).until(PermissionRequest)
    assert asked.request.tool == "Write"
    second = await run.answer(asked.request.id, Allowed()).until(PlanRequest, count=2)
    await run.answer(second.request.id, Allowed(mode="acceptEdits", plan=edited)).idle()
    assert [event.mode for event in run.all(ev.ModeChanged)] == ["plan", "default", "plan", "acceptEdits"]
    assert len(run.all(PermissionRequest)) == 1
    assert model.result(first.request.tool_use_id).text.endswith("\n\n## Approved Plan:\n# Plan a\n1. x")
    approved = model.result(second.request.tool_use_id).text
    assert approved.startswith("User has approved your plan. You can now start coding.")
    assert approved.endswith(f"\n\n## Approved Plan (edited by user):\n{edited}")
    assert edited in [path.read_text() for path in (home.config / "plans").iterdir()]
