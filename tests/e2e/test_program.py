"""The program as a whole: starting, interrupting, ending, going on."""

import base64
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ccq_tui.compat.textual.decoder import ANSWER, ASK
from ccq_tui.compat.textual.frames import GAVE_UP, MOST
from ccq_tui.questions import Option, Question
from ccq_tui.testing import Scenario, clean_environment
from tests.e2e.conftest import Running, Start, program
from tests.e2e.terminal import Terminal
from tests.long_markdown import long_markdown
from tests.steps import step

WHICH = Question("Which one?", "Which", (Option("First", "a"), Option("Second", "b")))
MORE = Question("And then?", "Then", (Option("Stop", "a"), Option("Go", "b")))
DARK = b"48;2;20;22;27"
"""The background of ccq-dark."""
DONE = "Thank you, all clear."


def asking() -> Scenario:
    return Scenario("e2e").says("One moment.").asks(WHICH, MORE).says(DONE)


def test_a_session_is_interrupted_ended_and_continued(start: Start) -> None:
    scenario = asking().ends_turn().says("word " * 4000).ends_turn()
    scenario = scenario.hangs().says("first").ends_turn().says(DONE).ends_turn()
    scenario = scenario.says(f"{long_markdown(3_000)}\n\nThe end.\n").ends_turn()
    run = start(scenario, "--theme", "ccq-dark", speed=3_000, delta_size=20)
    terminal = run.terminal
    with step("one Ctrl+C only says how to quit"):
        terminal.wait_panel("Which one?")
        assert DARK in terminal.raw
        terminal.press("ctrl+c").wait("Ctrl+C again quits")
        assert terminal.process.poll() is None
        terminal.press("down enter").wait_in_panel("And then?")
    with step("an interrupt closes the panel with a reason, and the draft can be copied"):
        terminal.press("escape").wait("draft 1/2, nothing sent")
        terminal.type("my half prompt").wait("❯ my half prompt")
        run.rest()
        terminal.press("escape").wait("Esc again interrupts")
        assert terminal.panel == "", "one stray Esc withdraws nothing"
        run.press_again("escape", "F8 copies your draft")
        terminal.wait("❯ my half prompt").press("f8").wait("Draft copied")
        assert b"\x1b]52;c;" in terminal.raw
        terminal.wait("ready")
    with step("an interrupt while the answer streams keeps the prompt"):
        run.rest()
        terminal.press("enter").wait("word word")
        terminal.type("next").wait("❯ next")
        terminal.press("escape").wait("ready")
        terminal.wait("❯ next")
    with step("a prompt sent while working is shown as queued"):
        terminal.press("enter").wait("working")
        terminal.type("and another thing").press("enter").wait("queued")
        run.model.release()
        terminal.wait(DONE)
        terminal.wait_absent("queued")
        terminal.wait("ready")
    with step("a terminal that draws slowly gets two frames, and then the last"):
        is_drawn_slowly(run)
    with step("the end, and going on where it ended"):
        run.end("ctrl+q", 0)
        again = start(
            Scenario("e2e2").says("Welcome back.").asks(WHICH), "--continue", prompt="", home=run.home
        )
        again.terminal.wait("The end.")
        again.terminal.wait("ready")
        again.terminal.type("hello again").press("enter").wait("Welcome back.")
    with step("closing the window while a question is open"):
        again.terminal.wait_panel("Which one?")
        again.end("window closed", 129)


def is_drawn_slowly(run: Running) -> None:
    """Have a long answer written while the terminal says of no frame that it is drawn, and then of each."""
    terminal = run.terminal
    run.rest()
    terminal.type(ANSWER * 2)  # from now on it reports what it has drawn
    terminal.type("more").wait("❯ more")
    frames = terminal.written.count(ASK)
    terminal.press("enter")
    run.wait_recorded("The end.")
    sent, shown = terminal.written.count(ASK) - frames, "The end." in terminal.text
    # On a busy machine the program may have given up to wait for an answer, which it logs.
    log = "".join(path.read_text() for path in run.home.home.rglob("ccq-tui.log"))
    assert (sent <= MOST and not shown) or GAVE_UP in log

    def drawn(terminal: Terminal) -> bool:
        terminal.type(ANSWER)
        return "The end." in terminal.text and "○ ready" in terminal.text

    terminal.wait(drawn)


def test_the_demo_runs_in_a_directory_of_its_own(tmp_path: Path) -> None:
    home = clean_environment("http://127.0.0.1:9", root=tmp_path)
    with Terminal([program(), "demo", "single", "--speed", "0"], home.env, home.project) as terminal:
        terminal.wait_panel("Which database").press("enter").wait("Noted:")
        terminal.press("ctrl+q")
        assert terminal.wait_end() == 0
    assert not any((home.config / "projects").glob("*/*.jsonl"))


LEFT_BEHIND = """
import asyncio
from pathlib import Path
from textual.drivers.linux_driver import LinuxDriver
from ccq_tui.app import run
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
for name in ("stop_application_mode", "disable_input", "close"):
    setattr(LinuxDriver, name, lambda driver: None)
asyncio.run(run(Launch(settings=Settings(cwd=Path.cwd(), cli_path="/bin/false"))))
"""


def test_no_thread_keeps_a_program_that_did_not_end_in_order(tmp_path: Path) -> None:
    home = clean_environment("http://127.0.0.1:9", root=tmp_path)
    with Terminal([sys.executable, "-c", LEFT_BEHIND], home.env, home.project) as terminal:
        terminal.wait("failed").press("ctrl+q")
        assert terminal.wait_end() == 0


def test_a_terminal_that_is_closed_during_the_start_is_no_crash(tmp_path: Path) -> None:
    home = clean_environment("http://127.0.0.1:9", root=tmp_path)
    with Terminal([program()], home.env, home.project) as terminal:
        terminal.wait("starting")
        terminal.hang_up()
        assert terminal.wait_end() == 129
    assert not any("crashed" in log.read_text() for log in home.home.rglob("*.log"))


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_a_copy_inside_tmux_reaches_its_terminal(tmp_path: Path) -> None:
    copies = "from ccq_tui.screens.clipboard import copy_to_programs as copy; copy('taken'); input('copied')"
    socket = str(tmp_path / "tmux")
    tmux = ["tmux", "-S", socket, "-f", "/dev/null", "new-session", sys.executable, "-c", copies]
    env = {name: value for name, value in os.environ.items() if name != "TMUX"}
    with Terminal(tmux, env, tmp_path) as terminal:
        try:
            terminal.wait("copied")
            shown = subprocess.run(
                ["tmux", "-S", socket, "show-buffer"], capture_output=True, text=True, check=True
            )
            assert shown.stdout == "taken"
            terminal.wait(lambda one: base64.b64encode(b"taken") in one.raw)
        finally:
            subprocess.run(["tmux", "-S", socket, "kill-server"], check=True)
