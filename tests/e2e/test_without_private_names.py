"""The program with a Textual and an SDK that have none of the private names it is built on."""

from pathlib import Path

from ccq_tui.questions import Option, Question
from ccq_tui.testing import Scenario
from tests.e2e.conftest import Start
from tests.steps import step

WHICH = Question("Which one?", "Which", (Option("First", "a"), Option("Second", "b")))
BLOCKED = (
    "sdk.process_transport",
    "textual.compositor",
    "textual.crash",
    "textual.lasting_driver",
    "textual.stylesheet",
    "textual.text_area",
)
"""Modules that cannot be imported then; the others look for a name where they use it."""
SITE = f"""
import sys
from ccq_tui.compat import private
sys.modules |= dict.fromkeys(("ccq_tui.compat." + name for name in {BLOCKED!r}), None)
private.has = lambda *_: False
"""


def test_it_is_slower_and_whole(start: Start, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(SITE)
    scenario = (
        Scenario("e2e")
        .says("One moment.")
        .asks(WHICH)
        .runs("Bash", command="echo ran > made; cat made")
        .says("Done.")
    )
    scenario = scenario.ends_turn().says("Read.")
    run = start(scenario, variables={"PYTHONPATH": str(tmp_path)}, prompt="")
    terminal = run.terminal
    with step("what was typed before the screen is there is kept"):
        terminal.type("typed ahead").wait("❯ typed ahead")
        terminal.wait("ready")
        terminal.wait("❯ typed ahead")
        run.rest()
        terminal.press("enter")
    with step("a question is answered with a text of one's own"):
        terminal.wait_panel("Which one?")
        terminal.press("o").type("neither, with a pa\x7fuse").wait("neither, with a puse")
        terminal.press("enter")
        assert '"Which one?"="neither, with a puse"' in run.result("toolu_e2e_1")
    with step("a permission is given"):
        terminal.wait_panel("echo ran > made")
        run.decide("y")
        assert run.result("toolu_e2e_2") == "ran"
        terminal.wait("Done.")
        terminal.wait("ready")
    with step("a prompt is written in lines, sent, and drawn anew in another size"):
        terminal.type("one\x1b\rtwo").wait("two")
        terminal.resize((60, 20))
        terminal.press("enter").wait("Read.")
    run.end("ctrl+q", 0)
