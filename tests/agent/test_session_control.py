"""What a session can be told and asked beside the conversation, with the real CLI."""

import asyncio
import json

import pytest

from ccq_tui.agent import controls
from ccq_tui.agent import events as ev
from ccq_tui.agent.controls import CommandError, Control, MemoryPlace, PermissionRule
from ccq_tui.agent.history import read_history
from ccq_tui.agent.reader import earlier_sessions
from ccq_tui.inbox.requests import Allowed, PermissionRequest, QuestionRequest
from ccq_tui.questions import Answer, Answered, Option, Question
from ccq_tui.testing import CleanHome, ScriptedModel
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import LIMIT, Play, Running, launch_in_home, until_written
from tests.agent.stage import Stage, staged
from tests.options import launch_of
from tests.steps import step

WRITES = (
    Scenario("c")
    .runs("Write", file_path=lambda replies: f"{replies.directory}/made.txt", content="hello\n")
    .says("Written.")
    .ends_turn()
)


RUNS = (
    Scenario("c")
    .runs("Bash", command="timeout 20 tail -f /dev/null", description="Wait")
    .says("Went on.")
    .ends_turn()
)
RULE = "Bash(npm test *)"
BROKEN = json.dumps({"mcpServers": {"broken": {"command": "/nonexistent"}}})


async def test_what_a_session_can_be_told_and_asked(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    one = Scenario("c").says("One.")
    model, home = play(Scenario())
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home.config))
    (home.project / ".claude").mkdir()
    async with staged((model, home), mcp_config=(BROKEN,)) as stage:
        run = stage.run
        with step("asked while it starts"), pytest.raises(CommandError, match="still starting"):
            await run.session.send_control(controls.SESSION_COST)
        listed = (await run.until(ev.ModelsListed)).models
        with step("servers"):
            await servers_are_listed_reconnected_and_turned_off(run)
        with step("files of instructions"):
            await files_of_instructions_are_listed(run, home)
        await a_rule_written_into_a_settings_file_holds_at_once(run, home)
        async with stage.scene("a first session in the directory", one):
            await run.send("Say one").idle()
            first_id = run.session.session_id
        beside = one.ends_turn().says("Beside.")
        async with stage.scene("a question beside the conversation, cost and title", beside):
            await side_question_cost_and_title(run, home)
        with step("the sessions of the directory"):
            await they_are_listed_with_their_titles(run, home, [first_id, run.session.session_id])
        async with stage.scene("back to before a prompt", WRITES.says("Two.").ends_turn().says("Three.")):
            await files_and_conversation_go_back_to_before_a_prompt(run, model, home)
        async with stage.scene("an effort that does not exist", one):
            run.session.set_option("effort", "enormous")
            failed = await run.until(ev.ErrorReported)
            assert "The effort was not changed to enormous: it stays medium" in failed.text
            assert not run.all(ev.EffortChanged)
        async with stage.scene("model and effort", one):
            await model_and_effort_hold_from_the_next_prompt_on(run, model, listed)
        async with stage.scene("what runs goes to the background", RUNS):
            await what_runs_goes_to_the_background(run, model)
        with step("status, changed files, directories and thinking"):
            await it_says_how_it_does_and_takes_a_directory(run, home)
        async with stage.scene("a file is written", WRITES):
            prompt = await write_it(run)
    with step("asked when it is over"), pytest.raises(CommandError, match="over"):
        await run.session.send_control(controls.SESSION_COST)
    with step("files are shown before they are taken back, after a resume too"):
        await files_are_taken_back_after_a_resume_too(home, run.session.session_id, prompt)


async def what_runs_goes_to_the_background(run: Running, model: ScriptedModel) -> None:
    asked = await run.send("Wait").until(PermissionRequest)
    run.answer(asked.request.id, Allowed())
    async with asyncio.timeout(LIMIT):
        while not model.tool_results():  # it takes a moment until the command runs
            await run.session.send_control(controls.BACKGROUND_TASKS)
            await asyncio.sleep(0.1)
    assert "in the background" in model.tool_results()[0].text
    # What was told as begun already is told as sent there, too.
    assert run.all(ev.TaskBackgrounded) or any(one.background for one in run.all(ev.TaskStarted))
    await run.idle()


async def it_says_how_it_does_and_takes_a_directory(run: Running, home: CleanHome) -> None:
    sections = await run.session.send_control(controls.SESSION_STATUS)
    rows = dict(row for section in sections for row in section.rows)
    assert rows["cwd"] == str(home.project)
    assert rows["Version"]
    assert await run.session.send_control(controls.WORKSPACE_DIFF) == ()
    await run.session.send_control(controls.add_directories([str(home.root)]))
    listed = Control("list_permission_rules", lambda answer: str(answer))
    assert f"'path': '{home.root}'" in await run.session.send_control(listed)
    for on in (False, True):
        await run.session.send_control(controls.set_thinking(on=on))


async def files_of_instructions_are_listed(run: Running, home: CleanHome) -> None:
    (home.project / "CLAUDE.md").write_text("Be brief\n")
    places = await run.session.send_control(controls.MEMORY)
    assert [(one.path, one.label, one.exists, one.is_directory) for one in places[:2]] == [
        (str(home.project / "CLAUDE.md"), "Project instructions", True, False),
        (str(home.config / "CLAUDE.md"), "User instructions", False, False),
    ]
    assert MemoryPlace(places[-1].path, "Open auto-memory folder", is_directory=True) == places[-1]


async def a_rule_written_into_a_settings_file_holds_at_once(run: Running, home: CleanHome) -> None:
    files = {
        "localSettings": home.project / ".claude/settings.local.json",
        "projectSettings": home.project / ".claude/settings.json",
        "userSettings": home.config / "settings.json",
    }
    for scope, file in files.items():
        with step(f"a rule of {scope}"):
            before = json.loads(file.read_text()) if file.exists() else {}
            file.write_text(json.dumps({**before, "permissions": {"deny": [RULE]}}))
            await until_listed(run, PermissionRule("deny", scope, RULE))
            file.write_text(json.dumps(before))


async def until_listed(run: Running, rule: PermissionRule) -> None:
    for _ in range(200):
        if rule in await run.session.send_control(controls.PERMISSION_RULES):
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"{rule} was not listed after 20 s")


async def servers_are_listed_reconnected_and_turned_off(run: Running) -> None:
    with pytest.raises(CommandError, match="ENOENT"):
        await run.session.send_control(controls.reconnect("broken"))
    (server,) = await run.session.send_control(controls.SERVERS)
    assert (server.name, server.status) == ("broken", "failed")
    assert server.error.endswith(": no such file or directory")
    assert "ENOENT" not in server.error
    await run.session.send_control(controls.toggle("broken", enabled=False))
    (server,) = await run.session.send_control(controls.SERVERS)
    assert server.status == "disabled"


async def side_question_cost_and_title(run: Running, home: CleanHome) -> None:
    await run.send("Hello").idle()
    assert await run.session.send_control(controls.side_question("Why?")) == "Beside."
    assert "Usage by model" in await run.session.send_control(controls.SESSION_COST)
    await run.session.send_control(controls.rename("The title"))
    await until_written(home, run.session.session_id, '"customTitle":"The title"')


async def they_are_listed_with_their_titles(run: Running, home: CleanHome, ids: list[str]) -> None:
    await run.cleared()  # what begins then is in no list before its first prompt, and keeps the title
    await until_written(home, run.session.session_id, '"customTitle":"The title"')
    options = launch_of(home.project, environment=home.overrides())
    second, first = await earlier_sessions(options)
    assert [first.session_id, second.session_id] == ids
    assert (first.summary, second.summary) == ("Say one", "The title")
    assert second.modified >= first.modified > 0


async def files_and_conversation_go_back_to_before_a_prompt(
    run: Running, model: ScriptedModel, home: CleanHome
) -> None:
    await write_it(run, "Before")
    second = run.session.send("Second thought")
    await run.idle(2)
    # The CLI notes the files of a prompt a moment after it.
    async with asyncio.timeout(LIMIT):
        while (await run.session.send_control(controls.files_to_rewind(second))).refusal:  # noqa: ASYNC110 (asked, not told)
            await asyncio.sleep(0.05)
    assert await run.session.send_control(controls.files_to_rewind(second)) == controls.FilesToRewind()
    assert (await run.session.send_control(controls.files_to_rewind("x" * 36))).refusal
    rewound = await run.session.send_control(controls.rewind_conversation(second))
    assert rewound == controls.Rewound("Second thought")
    assert "no longer has" in (await run.session.send_control(controls.rewind_conversation("x" * 36))).refusal
    assert (home.project / "made.txt").exists()
    await run.send("Third").idle(3)
    text = str(model.requests()[-1].body["messages"])
    assert "Written." in text
    assert "Second thought" not in text


THREE = ("one", "two", "three")


def three_files() -> Scenario:
    """A model that writes a file for each of three prompts, and says something to each one after them."""
    scenario = Scenario("w")
    for name in THREE:
        path = lambda replies, name=name: f"{replies.directory}/{name}.txt"  # noqa: E731
        scenario = (
            scenario.runs("Write", file_path=path, content=f"{name}\n").says(f"Did {name}.").ends_turn()
        )
    return scenario.says("Said.").ends_turn().says("Said again.").ends_turn()


async def test_rewinds_to_any_prompt_take_back_conversation_and_files(play: Play) -> None:
    first, third = controls.Rewound("one"), controls.Rewound("three")
    async with staged(play(Scenario()), permission_mode="acceptEdits") as stage:
        async with stage.scene("back to before prompt three, then to before two", three_files()) as run:
            prompts = await write_three(run)
            # Neither is a prompt that one goes back to, and both come after the last of them.
            for count, command in enumerate(("/cost", "/exit"), len(THREE) + 1):
                await run.send(command).idle(count)
            refused = await run.session.rewind("x" * 36, files=True)
            assert "no longer has that prompt" in refused.refusal
            assert files_of(stage.home) == set(THREE)
            for back, name, reply in ((2, "three", "Said."), (1, "two", "Said again.")):
                assert await run.session.rewind(prompts[back], files=True) == controls.Rewound(name)
                await is_back(run, stage, back, reply)
                await run.idle(3 + 2 + 3 - back)  # prompts, commands, and one after each rewind
        async with stage.scene("back twice", three_files()) as run:
            prompts = await write_three(run)
            assert await run.session.rewind(prompts[2], files=True) == third
            assert await run.session.rewind(prompts[0], files=True) == first
            await is_back(run, stage, 0)
        async with stage.scene("written before a resume", three_files()) as run:
            prompts = await write_three(run)
            await until_written(stage.home, run.session.session_id, '"Did three."')
    # Back twice after a resume.
    async with Running(stage.home, resume=run.session.session_id, permission_mode="acceptEdits") as run:
        await run.until(ev.ModelsListed)
        stage.model.begin(Scenario("r").says("Said.").ends_turn())
        assert await run.session.rewind(prompts[2], files=True) == third
        assert await run.session.rewind(prompts[0], files=True) == first
        await is_back(run, stage, 0)
        await run.cleared()
        one = await a_prompt_follows_one_read_in_a_turn(run, stage)
    # Back after a resume to what follows a prompt read in a turn.
    async with Running(stage.home, resume=run.session.session_id) as run:
        await run.until(ev.ModelsListed)
        assert await run.session.rewind(one, files=False) == first


async def a_prompt_follows_one_read_in_a_turn(run: Running, stage: Stage) -> str:
    asked = Question("Which way?", "Way", (Option("Left", "x"), Option("Right", "y")))
    scenario = Scenario("mid-turn").asks(asked).says("Went left.").ends_turn()
    scenario = scenario.says("Did one.").ends_turn().says("Did two.").ends_turn()
    stage.model.begin(scenario)
    run.session.send("go")
    request = (await run.until(QuestionRequest)).request
    await run.send("and quickly").until(ev.PromptAccepted, lambda e: e.queued)
    await run.answer(request.id, Answered((Answer(("Left",)),))).idle()
    one = run.session.send("one")
    await run.idle(2)
    await run.send("two").idle(3)
    await until_written(stage.home, run.session.session_id, '"type":"queued_command"')
    await until_written(stage.home, run.session.session_id, '"Did two."')
    return one


async def write_three(run: Running) -> list[str]:
    """Let the three files be written, and give the prompts' ids."""
    prompts = []
    for count, name in enumerate(THREE, 1):
        prompts.append(run.session.send(name))
        await run.idle(count)
    return prompts


def files_of(home: CleanHome) -> set[str]:
    return {path.stem for path in home.project.iterdir()}


async def is_back(run: Running, stage: Stage, back: int, reply: str = "Said.") -> None:
    """Check files, the next request and the record: nothing from that prompt on is in any of them."""
    assert files_of(stage.home) == set(THREE[:back])
    await run.send("go on").until(ev.BlockFinished, lambda e: e.text == reply)
    text = json.dumps([m for m in stage.model.requests()[-1].body["messages"] if m["role"] != "system"])
    assert [f"Did {name}." in text for name in THREE] == [index < back for index in range(len(THREE))]
    assert text.count('"go on"') == 1
    await until_written(stage.home, run.session.session_id, f'"{reply}"')
    past = await read_history(launch_in_home(stage.home, resume=run.session.session_id))
    prompts = [e.text for e in past.events if isinstance(e, ev.PromptAccepted) and e.text[:1] != "/"]
    assert prompts == [*THREE[:back], "go on"]


async def model_and_effort_hold_from_the_next_prompt_on(
    run: Running, model: ScriptedModel, listed: tuple[ev.ModelChoice, ...]
) -> None:
    haiku = next(choice for choice in listed if choice.value == "haiku")
    assert haiku.name == "Haiku"
    assert "low" in haiku.efforts
    run.session.set_option("model", "haiku")
    run.session.set_option("effort", "low")
    await run.send("Hello").idle()
    assert run.all(ev.EffortChanged) == [ev.EffortChanged("low")]
    assert run.all(ev.ModelChanged)[-1].model == haiku.resolved
    body = model.requests()[-1].body
    assert body["model"] == haiku.resolved
    assert body["output_config"]["effort"] == "low"


async def write_it(run: Running, prompt: str = "Write it") -> str:
    """Let the file be written, and give the prompt's id."""
    sent = run.session.send(prompt)
    asked = await run.until(PermissionRequest)
    await run.answer(asked.request.id, Allowed()).idle()
    return sent


async def files_are_taken_back_after_a_resume_too(home: CleanHome, session_id: str, prompt: str) -> None:
    made = home.project / "made.txt"
    async with Running(home, resume=session_id) as run:
        history = (await run.until(ev.HistoryLoaded)).events
        prompts = [(one.text, one.prompt_id) for one in history if isinstance(one, ev.PromptAccepted)]
        assert prompts == [("/clear", ""), ("Write it", prompt)]
        await run.until(ev.ModelsListed)
        found = await run.session.send_control(controls.files_to_rewind(prompt))
        assert found.files == (str(made),)
        assert made.exists()
        made.unlink()
        made.mkdir()
        (made / "own").touch()
        left = await controls.take_files_back(run.session.send_control, prompt)
        assert left.files == (str(made),), "the CLI says that it is done"
        (made / "own").unlink()
        made.rmdir()
        made.touch()
        assert await controls.take_files_back(run.session.send_control, prompt) == controls.FilesToRewind()
        assert not made.exists()
