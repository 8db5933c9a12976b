"""Pictures of every list to choose from, taken one after the other in one program."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.agent.options import SessionOptions
from ccq_tui.agent.reader import EarlierSession
from ccq_tui.commands.workspace import WHICH_PROMPT
from ccq_tui.config.launch import Launch
from ccq_tui.config.paths import state_dir
from ccq_tui.config.settings import Settings
from ccq_tui.prompts.files import Files
from ccq_tui.prompts.history import PromptHistory
from ccq_tui.screens.pickers import Picker, SessionPicker, sessions
from ccq_tui.widgets.hints import HintBar
from tests.ui.host import Clock
from tests.ui.pictures import Pictures
from tests.ui.session import Driven, until

HERE = Path("/usr")
TOLD = (
    ev.CommandsListed(
        (
            ev.SlashCommand("compact", "Make the conversation shorter", "[what to keep]"),
            ev.SlashCommand("review", "Review a pull request, and say what to do about it", "[number]"),
        )
    ),
    ev.ModelsListed(
        (
            ev.ModelChoice("default", "Default", "Opus 5.5, for most things", "claude-x"),
            ev.ModelChoice("opus", "Opus", "Best for everyday, complex tasks", "claude-o"),
            ev.ModelChoice("haiku", "Haiku", "Fastest for quick answers", "claude-h"),
        )
    ),
    ev.PromptAccepted("Prepare the release of 1.4.0", prompt_id="p-0"),
    ev.BlockFinished(
        ev.BlockKey("m", 0), ev.BlockKind.TEXT, "**Two things** are left: the version and the wheel."
    ),
    ev.PromptAccepted("Bump the version", prompt_id="p-1"),
    ev.PromptAccepted("Build the wheel, and look into it", prompt_id="p-2"),
    ev.TaskStarted("t1", "", "npm run dev", background=True),
    ev.TaskStarted("t2", "", "Look around", agent=True),
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
SAID = (("user", "It is broken since Monday, find out why"), ("assistant", "The cookie has no path."))
PATHS = ("src/api/", "src/api/prompt.py", "src/api/my notes.txt", "docs/prompt.md", "README.md")
PROMPTS = ("Write the docs", "Fix the login\nand test it", "Find out why the login takes so long")


class Album:
    """The program, with the ways into its lists.

    Args:
        run: The program.
        pilot: Its pilot.
        pictures: The pictures that there are.
    """

    def __init__(self, run: Driven, pilot: Pilot[int], pictures: Pictures) -> None:
        self.run = run
        self.pilot = pilot
        self._pictures = pictures

    async def offered(self, name: str, *keys: str) -> None:
        """Picture what the prompt offers after some keys."""
        prompt = self.run.screen.dock.prompt
        await self.pilot.press(*keys)
        await until(self.pilot, lambda: prompt.choices and prompt.choices.ready and prompt.choices.rows)
        await self._pictures.keep(self.pilot, name)

    async def picked(self, name: str, heading: str, *keys: str) -> None:
        """Picture the list that keys open."""

        def is_open() -> bool:
            screen = self.run.app.screen
            ready = not isinstance(screen, SessionPicker) or screen.state.rows
            return isinstance(screen, Picker) and screen.heading == heading and screen.is_mounted and ready

        await self.pilot.press(*keys)
        await until(self.pilot, is_open)
        self.run.app.screen.query_one(HintBar).wake()
        await self._pictures.keep(self.pilot, name)

    async def command(self, name: str, heading: str) -> None:
        """Picture the list of a command, and leave it."""
        self.run.screen.dock.prompt.put(f"/{name}")
        await self.picked(name, heading, "enter")
        await self.leave()

    async def leave(self) -> None:
        """Go back to the session."""
        await self.pilot.press("escape")
        await until(self.pilot, lambda: not isinstance(self.run.app.screen, Picker))
        self.run.screen.dock.notices.hush()


@asynccontextmanager
async def album(pictures: Pictures) -> AsyncIterator[Album]:
    """Start the program with something to choose from in every list."""
    run = Driven(Launch(settings=Settings(cwd=HERE)), clock=Clock())
    async with run.app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: run.screen.view.state is ev.SessionState.IDLE and run.screen.queue.earlier)
        for event in TOLD:
            run.told.tell(event)
        run.told.replies.update(REPLIES)
        await until(pilot, lambda: "look into it" in run.screen.transcript.text())
        yield Album(run, pilot, pictures)


@pytest.fixture(autouse=True)
def _things_to_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    async def earlier(_options: SessionOptions, *, everywhere: bool = False) -> tuple[EarlierSession, ...]:
        now = time.time()
        return (
            EarlierSession("aaaa-1", "Fix the login", now - 300, "main", "/usr", SAID),
            EarlierSession("bbbb-2", "Write the docs of all that can be configured", now - 9000, "docs"),
            EarlierSession("cccc-3", "Find out why the build is slow", now - 3 * 86400, ""),
        )

    def files(_directory: Path) -> Files:
        return Files(PATHS)

    monkeypatch.setattr(sessions, "earlier_sessions", earlier)
    monkeypatch.setattr("ccq_tui.prompts.files.list_files", files)
    for text in reversed(PROMPTS):
        PromptHistory(state_dir() / "history.jsonl", HERE).add(text)


async def test_lists(pictures: Pictures) -> None:
    async with album(pictures) as shown:
        await shown.offered("commands", "slash")
        await shown.pilot.press("ctrl+u")
        await shown.offered("files", "at", *"pro")
        await shown.pilot.press("ctrl+u")
        await shown.offered("history", "ctrl+r", *"log")
        await shown.pilot.press("escape")
        await shown.command("model", "Model")
        await shown.command("mcp", "MCP servers")
        await shown.command("tasks", "Running tasks")
        await shown.command("resume", "Resume which session?")
        shown.run.screen.dock.prompt.put("/rewind")
        await shown.picked("rewind", WHICH_PROMPT, "enter")
        await shown.picked("rewind_what", "Rewind to before: Build the wheel, and look into it", "enter")
        await shown.pilot.press("escape")
        await until(shown.pilot, lambda: "which prompt" in getattr(shown.run.app.screen, "heading", ""))
        await shown.leave()
