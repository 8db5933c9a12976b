"""A recording on the screen: read and searched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from ccq_tui.cli.replay_app import ReplayApp
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.call_results import UNANSWERED
from ccq_tui.screens.replay import ReplayScreen
from ccq_tui.widgets.status_line import StatusLine
from tests.ui.host import Clock, press_later
from tests.ui.pictures import Pictures
from tests.ui.running import running
from tests.ui.session import MovableClock, until
from tests.unit.agent.recordings import QUESTIONS, back, call, init, opened, prompt, result, said, text

ASKED = said(call("AskUserQuestion", QUESTIONS), message="m9")


class Replayed:
    """A replay, its screen and its clock."""

    def __init__(self, path: Path, *lines: Any, clock: MovableClock | Clock | None = None) -> None:
        self.clock = clock or MovableClock()
        launch = Launch(settings=Settings(cwd=path))
        self.app = ReplayApp(launch, opened(path, *lines), clock=self.clock)

    @property
    def screen(self) -> ReplayScreen:
        screen = self.app.screen
        assert isinstance(screen, ReplayScreen)
        return screen

    @property
    def status(self) -> str:
        return str(self.screen.query_one(StatusLine).render())

    @property
    def is_up(self) -> bool:
        return isinstance(self.app.screen, ReplayScreen) and self.app.screen.is_mounted


def exported(path: Path) -> str:
    return "".join(file.read_text(encoding="utf-8") for file in path.glob("session-*.md"))


async def ended(run: Replayed, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: run.is_up and "■ replay" in run.status)


async def test_all_of_it_is_shown_with_the_readers_keys_and_without_a_prompt(tmp_path: Path) -> None:
    run = Replayed(
        tmp_path,
        init(),
        prompt("Make it faster"),
        b"{cut",
        said(text("I look.")),
        said(call("Bash", {"command": "make all"}), message="m2"),
        back("built"),
        result(),
        clock=Clock(),
    )
    async with run.app.run_test(size=(80, 24)) as pilot:
        await ended(run, pilot)
        shown = run.screen.transcript.text()
        for words in ("Make it faster", "I look.", "make all", "built", "1 line could not be read: 3"):
            assert words in shown
        assert "recording.jsonl" in run.status
        assert "7 lines" in run.status
        assert "1 unreadable" in run.status
        assert not run.screen.dock.prompt.display
        assert run.app.focused is None
        await pilot.press(*"hello", "ctrl+f", *"faster")
        assert run.screen.search_bar.field.value == "faster"
        assert run.screen.dock.prompt.text == ""
        await press_later(pilot, "escape", "alt+up", "escape", "e", seconds=60.0)
        assert "e again writes it" in run.screen.dock.notices.text
        assert exported(tmp_path) == ""
        await press_later(pilot, "e")
        await until(pilot, lambda: "Make it faster" in exported(tmp_path))


async def test_a_question_that_nobody_answered_stays_in_the_transcript(
    tmp_path: Path, pictures: Pictures
) -> None:
    async with running(Replayed(tmp_path, prompt("Make it faster"), ASKED), size=(60, 16)) as (run, pilot):
        await ended(run, pilot)
        run.screen.action_do("unfold")
        shown = run.screen.transcript.text()
        for words in ("Which approach?", "Option A", "Option B", UNANSWERED):
            assert words in shown
        assert run.screen.dock.panel is None
        await pictures.keep(pilot, "question-60x16")
