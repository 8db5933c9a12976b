"""The status line command's output on the screen of a session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ccq_tui.agent.events import EffortChanged, TaskEnded, TaskStarted, TurnEnded
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from tests.steps import step
from tests.ui.running import running
from tests.ui.session import Driven, until

TURN = TurnEnded("completed", is_error=False, duration=1.0, cost=0.25, input_tokens=1, output_tokens=1)


@pytest.mark.parametrize("shown", [True, False])
async def test_the_command_runs_when_something_changed(tmp_path: Path, shown: bool) -> None:
    runs = tmp_path / "runs"
    command = f"echo run >>{runs}; tr ',' '\\n' | grep -e total_cost -e '\"level\"' | tr '\\n' ' '"
    settings = {"statusLine": {"type": "command", "command": command}}
    (tmp_path / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    program = ProgramArguments(environment={"CLAUDE_CONFIG_DIR": str(tmp_path)})
    launch = Launch(settings=Settings(cwd=tmp_path, status_line=shown), program=program)
    async with running(Driven(launch), size=(200, 30)) as (run, pilot):
        output = run.session_screen.status_output
        await until(pilot, lambda: run.session_screen.view.session_id)
        if not shown:
            run.told.tell(TURN)
            await until(pilot, lambda: run.session_screen.view.cost)
            assert not output._busy
            assert not runs.exists()
            return
        with step("it is shown above the status line"):
            await until(pilot, lambda: output.line.said)
            assert output.line.display
            assert output.line.region.bottom == run.session_screen.status_line.region.y
        with step("a change runs it again, and a second without one does not"):
            run.told.tell(TURN)
            run.told.tell(EffortChanged("high"))
            await until(pilot, lambda: "0.25" in output.line.said and "high" in output.line.said)
            await until(pilot, lambda: not output._busy)
            before = runs.read_text(encoding="utf-8")
            run.session_screen.changed()
            assert not output._busy
            assert runs.read_text(encoding="utf-8") == before
        with step("what runs in the background is counted"):
            for number in (1, 2):
                run.told.tell(TaskStarted(f"t{number}", "c", "d", background=True))
            run.told.tell(TaskStarted("t3", "c", "d"))
            drawn = run.session_screen.status_line
            await until(pilot, lambda: "2 commands in the background" in drawn.render().plain)
            run.told.tell(TaskEnded("t1", "c", "completed"))
            await until(pilot, lambda: "1 command in the background" in drawn.render().plain)
            assert "effort high" in drawn.render().plain
