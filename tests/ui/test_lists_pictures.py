"""Pictures of every list to choose from, taken one after the other in one program."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot

from ccq_tui.agent.earlier import EarlierSession
from ccq_tui.agent.events import (
    AgentEvent,
    CommandsListed,
    ModelChoice,
    ModelsListed,
    PromptAccepted,
    SessionState,
    SlashCommand,
    TaskStarted,
)
from ccq_tui.agent.options import SessionOptions
from ccq_tui.config import Launch, Settings, state_dir
from ccq_tui.prompts import source
from ccq_tui.prompts.files import Files
from ccq_tui.prompts.history import History
from ccq_tui.screens.pickers import Picker
from ccq_tui.screens.session import resuming
from tests.conftest import TopLevelSnapshots
from tests.ui.session import Driven, until
from tests.ui.test_session_pictures import SAID

HERE = Path("/usr")
LISTED = (
    CommandsListed(
        (
            SlashCommand("compact", "Make the conversation shorter", "[what to keep]"),
            SlashCommand("review", "Review a pull request, and say what to do about it", "[number]"),
        )
    ),
    ModelsListed(
        (
            ModelChoice("default", "Default", "Opus 5.5, for most things", "claude-x"),
            ModelChoice("opus", "Opus", "Best for everyday, complex tasks", "claude-o"),
            ModelChoice("haiku", "Haiku", "Fastest for quick answers", "claude-h"),
        )
    ),
    PromptAccepted("Bump the version", prompt_id="p-1"),
    PromptAccepted("Build the wheel, and look into it", prompt_id="p-2"),
    TaskStarted("t1", "", "npm run dev", background=True),
    TaskStarted("t2", "", "Look around", agent=True),
)
REPLIES = {
    "mcp_status": {
        "mcpServers": [
            {"name": "files", "status": "failed", "error": "spawn npx ENOENT", "scope": "project"},
            {"name": "git", "status": "connected", "tools": [{"name": "log"}, {"name": "diff"}]},
            {"name": "tracker", "status": "needs-auth", "scope": "user"},
            {"name": "search", "status": "disabled", "scope": "user"},
        ]
    },
    "rewind_files": {
        "canRewind": True,
        "filesChanged": ["/usr/pyproject.toml", "/usr/src/api/version.py"],
        "insertions": 4,
        "deletions": 2,
    },
}
PATHS = ("src/api/", "src/api/prompt.py", "src/api/my notes.txt", "docs/prompt.md", "README.md")
PROMPTS = ("Write the docs", "Fix the login\nand test it", "Find out why the login takes so long")


class Album:
    """The program, and pictures of it under names.

    Args:
        run: The program.
        pilot: Its pilot.
        snapshot: The pictures that there are.
    """

    def __init__(self, run: Driven, pilot: Pilot[int], snapshot: SnapshotAssertion) -> None:
        self.run = run
        self.pilot = pilot
        self._snapshot = snapshot
        self.wrong: list[str] = []

    async def keep(self, name: str) -> None:
        """Take a picture once everything is drawn; one that differs is told at the end."""
        await self.pilot.wait_for_scheduled_animations()
        await self.pilot.pause()
        picture = self.run.app.export_screenshot(title=name, simplify=True)
        if self._snapshot(name=name, extension_class=TopLevelSnapshots) != picture:
            self.wrong.append(name)

    async def rows(self, *keys: str) -> None:
        """Press keys in the prompt, and wait for what it offers then."""
        prompt = self.run.screen.dock.prompt
        await self.pilot.press(*keys)
        await until(self.pilot, lambda: prompt.choices and prompt.choices.ready and prompt.choices.rows)

    async def picker(self, command: str, heading: str) -> None:
        """Open a list by its command."""
        self.run.session_screen.dock.prompt.put(command)
        await self.pilot.press("enter")
        await self.headed(heading)

    async def headed(self, heading: str) -> None:
        """Wait for a list."""

        def open_now() -> bool:
            screen = self.run.app.screen
            return isinstance(screen, Picker) and screen.heading == heading and screen.is_mounted

        await until(self.pilot, open_now)

    async def leave(self) -> None:
        """Leave what is open, down to the session."""
        await self.pilot.press("escape")
        await until(self.pilot, lambda: not isinstance(self.run.app.screen, Picker))
        self.run.screen.dock.notices.hush()


@asynccontextmanager
async def album(snapshot: SnapshotAssertion) -> AsyncIterator[Album]:
    run = Driven(Launch(settings=Settings(cwd=HERE)))
    async with run.app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE and run.screen.earlier)
        told: tuple[AgentEvent, ...] = (*SAID, *LISTED)
        for event in told:
            run.told.tell(event)
        run.told.replies.update(REPLIES)
        await until(pilot, lambda: run.screen.transcript.block_count >= len(SAID) + 2)
        made = Album(run, pilot, snapshot)
        yield made
    assert not made.wrong, f"These pictures differ: {', '.join(made.wrong)}"


@pytest.fixture(autouse=True)
def _things_to_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    async def sessions(_options: SessionOptions) -> tuple[EarlierSession, ...]:
        now = time.time()
        return (
            EarlierSession("aaaa-1", "Fix the login", now - 300, "main"),
            EarlierSession("bbbb-2", "Write the docs of all that can be configured", now - 9000, "docs"),
            EarlierSession("cccc-3", "Find out why the build is slow", now - 3 * 86400, ""),
        )

    def files(_directory: Path) -> Files:
        return Files(PATHS)

    monkeypatch.setattr(resuming, "earlier_sessions", sessions)
    monkeypatch.setattr(source, "list_files", files)
    for text in reversed(PROMPTS):
        History(state_dir() / "history.jsonl", HERE).add(text)


async def test_lists(snapshot: SnapshotAssertion) -> None:
    async with album(snapshot) as shown:
        await shown.rows("slash")
        await shown.keep("commands")
        await shown.pilot.press("ctrl+u")
        await shown.rows("at", *"pro")
        await shown.keep("files")
        await shown.pilot.press("ctrl+u")
        await shown.rows("ctrl+r", *"log")
        await shown.keep("history")
        await shown.pilot.press("escape")

        await shown.picker("/model", "Model")
        await shown.keep("model")
        await shown.leave()
        await shown.picker("/mcp", "MCP servers")
        await shown.keep("mcp")
        await shown.leave()
        await shown.picker("/tasks", "Tasks that run")
        await shown.keep("tasks")
        await shown.leave()
        await shown.picker("/resume", "Go on with which session?")
        await shown.keep("resume")
        await shown.leave()
        await shown.picker("/rewind", "Rewind to before which prompt?")
        await shown.keep("rewind")
        await shown.pilot.press("enter")
        await shown.headed("Rewind to before: Build the wheel, and look into it")
        await shown.keep("rewind_what")
        await shown.leave()
