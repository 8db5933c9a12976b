"""Another process commands a session of the program that is on the screen."""

from __future__ import annotations

import subprocess

from ccq_tui.testing import Scenario
from tests.e2e.conftest import Running, Start, program
from tests.steps import step


def other_process(run: Running, *words: str) -> tuple[int, str]:
    """Run ccq-tui in the same home; return its code and its output."""
    done = subprocess.run(
        [program(), *words], env=run.home.env, cwd=run.home.project, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_a_session_takes_a_prompt_an_interrupt_and_its_end(start: Start) -> None:
    scenario = Scenario("e2e").says("Begun.").ends_turn().runs("Bash", command="touch made")
    run = start(scenario.says("Here again.").ends_turn())
    run.terminal.wait("Begun.")
    name = other_process(run, "sessions")[1].splitlines()[-1].split()[0]
    with step("the prompt stands in the transcript, and its turn is interrupted"):
        assert other_process(run, "send", name, "And then?") == (0, "go has the prompt.\n")
        run.terminal.wait_panel("touch made")
        assert "❯ And then?" in run.terminal.text
        assert other_process(run, "interrupt", name) == (0, "go · And then? is interrupted.\n")
        run.terminal.wait("interrupted")
    with step("its end leaves the screen as after an end in order"):
        assert other_process(run, "end", name) == (0, "go · And then? has ended.\n")
        run.terminal.wait("ended")
        code, told = other_process(run, "send", name, "Again")
        assert (code, "is not running; ccq-tui resume" in told) == (2, True)
    run.end("ctrl+q", 0)
