"""Permissions and plans: what the agent gets when a person allows or refuses."""

import json

from ccq_tui.agent import events as ev
from ccq_tui.inbox.file_changes import phrases
from ccq_tui.inbox.file_diff import diff_lines
from ccq_tui.inbox.kinds.decisions import permission_asked
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied, PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import AUTO, Rule, Suggestion
from ccq_tui.testing import CleanHome, ScriptedModel
from ccq_tui.testing.scenario import Scenario
from ccq_tui.transcript.model import TranscriptModel
from tests.agent.running import Running
from tests.agent.stage import Stage
from tests.results import REJECTED
from tests.unit.transcript.test_drawing import shown

ACCEPT = Suggestion("setMode", mode="acceptEdits")
MAKES_FILES = Scenario("p")
for name in ("one", "two", "three"):
    MAKES_FILES = MAKES_FILES.runs("Bash", command=f"touch {name}", description=f"Make {name}")
CHANGES_FILES = (
    Scenario("p")
    .runs("Read", file_path="small.py")
    .runs("Write", file_path="small.py", content="x = 9\ny = 2\nz = 3\n")
    .runs("Read", file_path="mod.py")
    .runs("Edit", file_path="mod.py", old_string="LIMIT", new_string="MAXIMUM", replace_all=True)
    .runs("Edit", file_path="mod.py", old_string="    return 1", new_string="")
    .runs("Edit", file_path="mod.py", old_string="pass", new_string="return 2  \n        more")
    .runs("Edit", file_path="new.py", old_string="", new_string="a\nb\n")
)
DANGERS = (
    Scenario("p")
    .runs("Bash", command="rm -rf build", description="d")
    .runs("Bash", command="cp a ../out", description="d")
    .runs("Write", file_path=".claude/settings.json", content="{}")
)
ERRAND = Scenario("sub").runs("Bash", command="touch x", description="d").says("Back.")


async def scenes(stage: Stage) -> None:
    """Play what this module tests."""
    model, home = stage.model, stage.home
    async with stage.scene("allowed, refused, redirected", MAKES_FILES.says("Done.")) as run:
        await a_tool_is_allowed_or_refused(run, model, home)
    async with stage.scene("dangerous calls", DANGERS.says("Done.")) as run:
        await dangerous_calls_are_told_apart(run, home)
    scenario = Scenario("p").plans("# First\n1. a", revised="# Second\n1. b").says("Go.")
    async with stage.scene("a plan is kept open, then approved", scenario) as run:
        await a_plan_is_kept_open_then_approved(run, model)
    async with stage.scene("files are changed as drawn", CHANGES_FILES.says("Done.")) as run:
        await files_are_changed_as_drawn(run, home)
    errand = Scenario("sub").says("On my way.").runs("Bash", command="touch x", description="d")
    scenario = Scenario("p").agent("Fetch it", errand.says("Back.")).says("Fine.")
    async with stage.scene("a subagent", scenario) as run:
        await a_subagents_messages_and_requests_name_it(run, model)
    scenario = Scenario("p").runs("Write", file_path="a.txt", content="x").says("Done.")
    async with stage.scene("the mode changes", scenario) as run:
        await the_mode_changes_and_a_refusal_is_said(run)
    scenario = (
        Scenario("p")
        .agent("Fetch it", ERRAND, description="Fetcher", background=True)
        .runs("Bash", command="touch y", description="d")
        .ends_turn()
        .says("Again.")
    )
    errand = Scenario("sub").hangs(gate="errand").says("Back.")
    alone = Scenario("p").agent("Fetch it", errand, background=True).says("Started.")
    async with stage.scene("a session whose background agent works is idle", alone) as run:
        await a_session_whose_background_agent_works_is_idle(run, model)
    beside = Scenario("p").agent("Fetch it", ERRAND, description="Fetcher", background=True).says("Done.")
    async with stage.scene("a background agent asks on after the turn", beside) as run:
        run.session.set_option("mode", "default")
        await a_background_agent_asks_on_after_the_turn(run)
    async with stage.scene("an interrupt settles all that wait", scenario) as run:
        await an_interrupt_settles_all_that_wait(run, model, home)


async def a_tool_is_allowed_or_refused(run: Running, model: ScriptedModel, home: CleanHome) -> None:
    run.session.send("Make files")
    for number, outcome in enumerate([Allowed(), Denied(), Denied("Use four instead")], 1):
        asked = await run.until(PermissionRequest, count=number)
        run.answer(asked.request.id, outcome)
    await run.idle()
    first = run.all(PermissionRequest)[0].request
    assert (first.tool, first.description, first.agent_id) == ("Bash", "Make one", "")
    assert first.input == {"command": "touch one", "description": "Make one"}
    always = Suggestion("addRules", "localSettings", (Rule("Bash", "touch one *"),), "allow")
    assert first.suggestions == (always, ACCEPT, AUTO), "the CLI suggests the session's own directory besides"
    assert (first.blocked_path, first.danger) == ("", "")
    assert [path.name for path in home.project.iterdir()] == ["one"]
    assert [(r.text, r.is_error) for r in model.tool_results()] == [
        ("(Bash completed with no output)", False),
        (f"{REJECTED} Ask the user how to proceed, or go on with what does not need it.", True),
        (f"{REJECTED} To tell you how to proceed, the user said:\nUse four instead", True),
    ]


async def dangerous_calls_are_told_apart(run: Running, home: CleanHome) -> None:
    run.session.send("Clean up")
    for number, (danger, label, reason) in enumerate(
        [
            ("deletes whole directories", "In this project, always: exactly this command", ""),
            ("writes outside the project", "In this project, always: commands that begin with `cp a`", ""),
            ("may change your permissions", "For this session: accept every file edit", "haven't granted it"),
        ],
        1,
    ):
        asked = (await run.until(PermissionRequest, count=number)).request
        offered = permission_asked(asked)
        lasting = offered.acts.index(next(act for act in offered.acts if act.lasts))
        assert (asked.danger, offered.question.options[lasting].label) == (danger, label)
        assert reason in asked.reason
        run.answer(asked.id, Denied() if number > 1 else offered.values[0][lasting])
    await run.idle()
    settings = json.loads((home.project / ".claude" / "settings.local.json").read_text())
    assert settings["permissions"] == {"allow": ["Bash(rm -rf build)"]}


async def files_are_changed_as_drawn(run: Running, home: CleanHome) -> None:
    (home.project / "small.py").write_text("x = 1\nx2 = 2\ny = 2\nz = 3\n")
    (home.project / "mod.py").write_text(
        "LIMIT = 10\n\n\ndef first():\n    if LIMIT:\n        pass\n    return 1\n\n\n"
        "def second():\n    return LIMIT + LIMIT\n"
    )
    run.session.send("Change them")
    for number, text in enumerate(
        [
            "overwrite it · +1 −2 · 4 lines become 3",
            "edit it · LIMIT → MAXIMUM, 4 places in 3 lines",
            "edit it · +0 −1",
            "edit it · +2 −1",
            "create it · 2 lines",
        ],
        1,
    ):
        asked = (await run.until(PermissionRequest, count=number)).request
        assert phrases(asked, "it")[0] == text
        run.answer(asked.id, Allowed())
        done = await run.until(
            ev.ToolFinished, lambda event, name=asked.tool_use_id: event.tool_use_id == name
        )
        before, after = (
            [(row.sign, row.text) for row in diff_lines(asked.input, change)]
            for change in (asked.change, done.structured)
        )
        assert before == after, "the later card has the same lines"
    await run.idle()
    assert (home.project / "small.py").read_text() == "x = 9\ny = 2\nz = 3\n"
    assert (home.project / "mod.py").read_text().count("MAXIMUM") == 4


async def a_plan_is_kept_open_then_approved(run: Running, model: ScriptedModel) -> None:
    first = await run.send("Plan it").until(PlanRequest)
    assert first.request.plan == "# First\n1. a"
    second = await run.answer(first.request.id, Denied("Shorter")).until(PlanRequest, count=2)
    assert second.request.plan == "# Second\n1. b"
    assert [event.mode for event in run.all(ev.ModeChanged)] == ["plan"]
    await run.answer(second.request.id, Allowed()).idle()
    assert [event.mode for event in run.all(ev.ModeChanged)] == ["plan", "default"]
    kept = model.result(first.request.tool_use_id)
    assert kept.text == f"{REJECTED} To tell you how to proceed, the user said:\nShorter"
    assert kept.is_error
    approved = model.result(second.request.tool_use_id).text
    assert approved.startswith("User has approved your plan. You can now start coding.")
    assert approved.endswith("## Approved Plan:\n# Second\n1. b")


async def a_subagents_messages_and_requests_name_it(run: Running, model: ScriptedModel) -> None:
    asked = await run.send("Go").until(PermissionRequest)
    assert asked.request.agent_id
    await run.answer(asked.request.id, Allowed()).idle()
    assert [(event.tool, event.parent) for event in run.all(ev.ToolStarted)] == [
        ("Agent", ""),
        ("Bash", "toolu_p_1"),
    ]
    assert [(event.tool, event.parent) for event in run.all(ev.ToolFinished)] == [
        ("Bash", "toolu_p_1"),
        ("Agent", ""),
    ]
    assert [(event.text, event.key.parent) for event in run.all(ev.BlockFinished)] == [
        ("On my way.", "toolu_p_1"),
        ("Back.", "toolu_p_1"),
        ("Fine.", ""),
    ]
    assert model.result("toolu_sub_1").text == "(Bash completed with no output)"


async def a_session_whose_background_agent_works_is_idle(run: Running, model: ScriptedModel) -> None:
    await run.send("Go").until(ev.TurnEnded)
    await run.idle()
    assert not run.all(ev.TaskEnded)
    model.release("errand")
    await run.until(ev.TaskEnded, lambda event: event.status == "completed")
    await run.until(ev.TurnEnded, count=2)
    await run.idle(2)


async def a_background_agent_asks_on_after_the_turn(run: Running) -> None:
    asked = await run.send("Go").until(PermissionRequest)
    await run.until(ev.TurnEnded)
    waiting = transcript(run)
    assert "▸ Bash touch x · waiting for you\n" in waiting
    assert "stopped" not in waiting
    await run.answer(asked.request.id, Allowed()).until(ev.TaskEnded)
    await run.until(ev.TurnEnded, count=2)
    assert "✔ Bash touch x" in transcript(run)


def transcript(run: Running) -> str:
    model = TranscriptModel()
    model.set_folds(folded=False)
    for event in run.events:
        model.apply(event)
    return shown(model, 100)


async def an_interrupt_settles_all_that_wait(run: Running, model: ScriptedModel, home: CleanHome) -> None:
    await run.send("Go").until(PermissionRequest, count=2)
    assert {event.request.agent for event in run.all(PermissionRequest)} == {"", "Fetcher"}
    run.session.interrupt()
    await run.until(ev.RequestSettled, count=2)
    assert [type(event.outcome) for event in run.all(ev.RequestSettled)] == [Cancelled, Cancelled]
    await run.until(ev.TurnEnded)
    await run.send("Go on").until(ev.BlockFinished, lambda event: event.text == "Again.")
    assert model.result("toolu_p_2").text == (
        f"{REJECTED} STOP what you are doing and wait for the user to tell you how to proceed."
    )
    assert not list(home.project.iterdir())


async def the_mode_changes_and_a_refusal_is_said(run: Running) -> None:
    run.session.set_option("mode", "nonsense")
    run.session.set_option("mode", "acceptEdits")
    run.session.set_option("model", "sonnet")
    await run.send("Write it").idle()
    assert not run.all(PermissionRequest)
    errors = [event for event in run.events if type(event).__name__ == "ErrorReported"]
    assert [event.kind for event in errors] == ["mode"]
    assert "must be one of" in errors[0].text
    assert [event.mode for event in run.all(ev.ModeChanged)] == ["acceptEdits"]
