"""What the real CLI lists of itself, and that a rule written into a settings file holds at once."""

import asyncio
import json

import pytest

from ccq_tui.agent import controls
from ccq_tui.agent.controls import MemoryPlace, PermissionRule
from ccq_tui.agent.events import ModelsListed
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Play, Running
from tests.agent.stage import staged
from tests.steps import step

RULE = "Bash(npm test *)"


async def test_rules_instructions_and_a_side_question(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    model, home = play(Scenario("c").says("Hello.").ends_turn().says("Beside.").ends_turn())
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home.config))
    (home.project / ".claude").mkdir(exist_ok=True)
    async with staged((model, home), allowed_tools=("Read",)) as stage:
        run = stage.run
        await run.until(ModelsListed)
        with step("files of instructions"):
            (home.project / "CLAUDE.md").write_text("Be brief\n")
            places = await run.session.ask(controls.MEMORY)
            assert [(one.path, one.label, one.exists, one.is_directory) for one in places[:2]] == [
                (str(home.project / "CLAUDE.md"), "Project instructions", True, False),
                (str(home.config / "CLAUDE.md"), "User instructions", False, False),
            ]
            assert MemoryPlace(places[-1].path, "Open auto-memory folder", is_directory=True) == places[-1]
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
        with step("a question beside the conversation"):
            run.session.send("Hello")
            await run.idle()
            assert await run.session.ask(controls.side_question("Why?")) == "Beside."


async def until_listed(run: Running, rule: PermissionRule) -> None:
    for _ in range(200):
        if rule in await run.session.ask(controls.PERMISSION_RULES):
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"{rule} was not listed after 20 s")
