"""A recording on the screen: read, held, searched, and its open question answered."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from ccq_tui.cli.replay_app import ReplayApp, launch_for
from ccq_tui.config.launch import Launch
from ccq_tui.config.paths import state_dir
from ccq_tui.config.settings import Settings
from ccq_tui.questions.input_guard import GRACE
from ccq_tui.screens.replay import BroughtAnswer, ReplayScreen
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.status_line import StatusLine
from tests.ui.host import press_later
from tests.ui.pictures import Pictures
from tests.ui.running import running
from tests.ui.session import MovableClock, panel_drawn, until
from tests.unit.agent.recordings import (
    QUESTIONS,
    SESSION,
    back,
    call,
    init,
    opened,
    prompt,
    result,
    said,
    text,
)

ASKED = said(call("AskUserQuestion", QUESTIONS), message="m9")
MESSAGE = (
    "You asked this with AskUserQuestion, but the answer could not be delivered then. It is:\n\n"
    "1. Which approach?\n   [ ] Option A\n   [x] Option B"
)


class Replayed:
    """A replay, its screen and its clock."""

    def __init__(self, path: Path, *lines: Any, speed: float | None = None) -> None:
        self.clock = MovableClock()
        launch = Launch(settings=Settings(cwd=path))
        self.app = ReplayApp(launch, opened(path, *lines), speed, clock=self.clock)

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


async def panel_is_open(run: Replayed, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: run.is_up and panel_drawn(run.screen))
    run.clock.skip(GRACE + 0.1)


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
        assert run.screen.finder.bar.field.value == "faster"
        assert run.screen.dock.prompt.text == ""
        await press_later(pilot, "escape", "alt+up", "escape", "e", "e", "e", seconds=60.0)
        assert "e again writes it" in run.screen.dock.notices.text, "a key held down writes nothing"
        assert exported(tmp_path) == ""
        await press_later(pilot, "e", seconds=0.5)
        assert exported(tmp_path) == "", "the first repeat of a held key comes late"
        await press_later(pilot, "e")
        await until(pilot, lambda: "Make it faster" in exported(tmp_path))


def drafts() -> int:
    """Count what is kept, once whoever writes it is done."""
    for thread in threading.enumerate():
        if thread.name.startswith("answers"):
            thread.join(10)
    return len(list((state_dir() / "drafts").glob("*.json")))


async def test_the_answer_to_the_open_question_goes_to_its_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "config" / "projects" / "p"
    kept.mkdir(parents=True)
    (kept / f"{SESSION}.jsonl").write_text("{}\n")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    async with running(Replayed(tmp_path, init(cwd=str(tmp_path)), prompt("Hi"), ASKED)) as (run, pilot):
        await panel_is_open(run, pilot)
        assert "Your answer resumes the session" in run.screen.transcript.text()
        await pilot.press("2", "f2")
        await until(pilot, lambda: run.screen.dock.folded_at is not None)
        assert run.screen.dock.prompt.region.height == 0, "there is nobody to ask anything"
    assert run.app.answered is None
    assert drafts() == 1
    # What was chosen outlives the program until it is confirmed.
    run = Replayed(tmp_path, init(cwd=str(tmp_path)), prompt("Hi"), ASKED)
    async with run.app.run_test(size=(80, 24)) as pilot:
        await panel_is_open(run, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: run.app.answered)
    assert drafts() == 0
    assert run.app.answered == BroughtAnswer(SESSION, str(tmp_path), MESSAGE)
    launch = launch_for(run.app.answered, {})
    assert (launch.resume, launch.prompt) == (SESSION, MESSAGE)
    assert launch.settings.directory == tmp_path


async def test_where_the_session_is_gone_the_answer_can_be_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    run = Replayed(tmp_path, init(cwd=str(tmp_path / "gone")), ASKED)
    monkeypatch.setattr(run.app, "copy_to_clipboard", copied.append)
    async with run.app.run_test(size=(80, 24)) as pilot:
        await panel_is_open(run, pilot)
        assert "An answer cannot be sent: its directory" in run.screen.transcript.text().replace("\n", " ")
        await pilot.press("2", "enter")
        await until(pilot, lambda: "F8 copies your answer" in run.screen.dock.notices.text)
        await pilot.press("f8")
        assert copied == [MESSAGE]
        assert run.app.answered is None


async def test_a_question_of_nowhere_on_a_small_screen(tmp_path: Path, pictures: Pictures) -> None:
    async with running(Replayed(tmp_path, prompt("Make it faster"), ASKED), size=(40, 12)) as (run, pilot):
        await panel_is_open(run, pilot)
        assert "names no session" in run.screen.transcript.text()
        panel = run.screen.dock.panel
        await until(pilot, lambda: not panel.query_one(HintBar)._asleep)
        for move in (*["page_up"] * 5, "bottom"):  # what was never seen has a height that is only guessed
            run.screen.action_do(move)
        await pictures.keep(pilot, "question-40x12")


async def test_space_holds_a_replay_in_time_and_lets_it_go_on(tmp_path: Path, pictures: Pictures) -> None:
    lines = [prompt(f"Prompt {number}") for number in range(4)]
    async with running(Replayed(tmp_path, *lines, speed=0.001)) as (run, pilot):
        await until(pilot, lambda: run.is_up and "Prompt 0" in run.screen.transcript.text())
        await until(pilot, lambda: run.screen.recording.read == 2)  # it waits with the next one in hand
        await pilot.press("space")
        assert "‖ paused" in run.status
        await pictures.keep(pilot, "paused-80x24")
        await press_later(pilot, "space", seconds=3_600)
        assert "▶ replay" in run.status
        assert "Prompt 1" not in run.screen.transcript.text(), "the time it was held does not count"
        run.clock.skip(3_600)
        await until(pilot, lambda: "Prompt 1" in run.screen.transcript.text())
        assert "Prompt 3" not in run.screen.transcript.text()
