"""MCP servers and background tasks are looked after by keys."""

from __future__ import annotations

from pathlib import Path

from textual.pilot import Pilot

from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.events import TaskEnded, TaskStarted, ToolFinished, ToolStarted
from ccq_tui.commands.listings import NO_TASKS
from tests.ui.running import running
from tests.ui.session import Driven, until
from tests.ui.test_commands import choose, closed, notices, picker, say

FAILED = {"name": "files", "status": "failed", "error": "ENOENT", "scope": "project"}
GOOD = {"name": "git", "status": "connected", "tools": [{"name": "log"}, {"name": "diff"}], "scope": "user"}


async def test_servers_are_shown_with_their_state_and_changed() -> None:
    async with running(Driven(), size=(100, 24)) as (driven, pilot):
        driven.told.replies["mcp_status"] = {"mcpServers": [FAILED, GOOD]}
        await say(pilot, driven, "/mcp")
        shown = await picker(pilot)
        assert [(row.label, row.description, row.right) for row in shown.state.rows] == [
            ("files", "project · ENOENT", "✖ failed"),
            ("git", "2 tools · user", "✔ connected"),
        ]
        driven.told.replies["mcp_reconnect"] = CommandError("it did not start")
        await choose(pilot, "enter", to="files")
        await choose(pilot, "enter", about="files: it did not start")
        await choose(pilot, "down", "enter", to="git")
        await choose(pilot, "down", "enter", about="git was turned off")
        assert ("mcp_toggle", {"serverName": "git", "enabled": False}) in driven.told.asked
        await choose(pilot, "escape")
        await closed(pilot)


async def test_no_servers_are_said(run: Driven, pilot: Pilot[int]) -> None:
    await say(pilot, run, "/mcp")
    await until(pilot, lambda: "No MCP servers here" in notices(run))


async def test_a_task_is_stopped_only_when_that_is_confirmed(tmp_path: Path) -> None:
    driven = Driven()
    output = tmp_path / "t1.output"
    output.write_text("".join(f"line {number}\n" for number in range(9000)))
    async with driven.app.run_test() as pilot:
        driven.told.tell(TaskStarted("t0", "", "npm test"))
        driven.told.tell(ToolStarted("call", "Bash", {"command": "npm run dev -- --port 1"}))
        driven.told.tell(TaskStarted("t1", "call", "npm run dev", background=True))
        driven.told.tell(ToolFinished("call", "Bash", f"Output is being written to: {output}. Go on."))
        driven.told.tell(TaskStarted("t2", "", "Look around", agent=True))
        driven.told.tell(TaskEnded("t0", "", "completed"))
        await until(pilot, lambda: len(driven.screen.view.tasks) == 2)
        await say(pilot, driven, "/tasks")
        assert [row.label for row in (await picker(pilot)).state.rows] == ["npm run dev", "Look around"]
        await choose(pilot, "enter", to="Stop: npm run dev")
        about = (await picker(pilot)).about.splitlines()
        assert about[0] == "npm run dev -- --port 1 · 1s"
        assert about[1:] == [f"line {number}" for number in range(8995, 9000)]
        await choose(pilot, "enter", to="Running tasks")
        assert driven.told.asked == []
        await choose(pilot, "enter", to="Stop: npm run dev")
        await choose(pilot, "down", "enter")
        await until(pilot, lambda: "Stopped: npm run dev" in notices(driven))
        assert driven.told.asked == [("stop_task", {"task_id": "t1"})]
        await until(pilot, lambda: getattr(pilot.app.screen, "heading", "") == "Running tasks")
        for ended in ("t1", "t2"):
            driven.told.tell(TaskEnded(ended, "", "completed"))
        await until(pilot, lambda: not driven.session_screen.view.tasks)
        await choose(pilot, "escape")
        await closed(pilot)
        await say(pilot, driven, "/tasks")
        await until(pilot, lambda: NO_TASKS in driven.screen.dock.notices.text)


async def test_help_opens_all_keys(run: Driven, pilot: Pilot[int]) -> None:
    await say(pilot, run, "/help")
    await until(pilot, lambda: type(pilot.app.screen).__name__ == "HelpScreen")
