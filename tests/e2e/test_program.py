"""The program as a whole: starting, interrupting, ending, losing the CLI, going on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ccq_tui.questions import Option, Question
from ccq_tui.testing import Scenario, clean_environment
from ccq_tui.testing.scenarios import READY
from ccq_tui.testing.scenarios.hostile import ATTACKS, SENTINEL
from tests.e2e.conftest import Running, Start, program
from tests.e2e.terminal import Terminal

WHICH = Question("Which one?", "Which", (Option("First", "a"), Option("Second", "b")))
MORE = Question("And then?", "Then", (Option("Stop", "a"), Option("Go", "b")))
DONE = "Thank you, all clear."


def asking() -> Scenario:
    return Scenario("e2e").says("One moment.").asks(WHICH, MORE).says(DONE)


def processes_of(run: Running) -> list[int]:
    """Return the processes of the program and its children, found by the home they were started with."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            environment = (entry / "environ").read_bytes()
        except OSError:
            continue  # ended meanwhile
        if str(run.home.home).encode() in environment:
            found.append(int(entry.name))
    return found


def cli_of(run: Running) -> int:
    children = subprocess.run(
        ["pgrep", "-P", str(run.terminal.process.pid)], capture_output=True, text=True, check=True
    )
    return int(children.stdout.split()[0])


def test_interrupt_closes_the_panel_with_a_reason_and_the_draft_can_be_copied(start: Start) -> None:
    run = start(asking())
    run.terminal.wait_panel("Which one?")
    run.terminal.press("2 escape")
    run.terminal.wait("1 question waiting · 1/2 answered")
    run.terminal.type("my half prompt")
    run.terminal.wait("❯ my half prompt")
    run.terminal.press("escape")
    run.terminal.wait("Esc again interrupts")
    assert run.terminal.panel == "", "one stray Esc withdraws nothing"
    run.terminal.press("escape")
    run.terminal.wait("F8 copies your draft")
    run.terminal.wait("❯ my half prompt")
    run.terminal.press("f8")
    run.terminal.wait("Draft copied")
    assert b"\x1b]52;c;" in run.terminal.raw
    run.terminal.wait("ready")


def test_interrupt_while_the_answer_streams_keeps_the_prompt(start: Start) -> None:
    run = start(Scenario("e2e").says("word " * 4000).ends_turn().says(DONE), speed=2000.0)
    run.terminal.wait("word word")
    run.terminal.type("next")
    run.terminal.wait("❯ next")
    run.terminal.press("escape")
    run.terminal.wait("ready")
    run.terminal.press("enter")
    run.terminal.wait(DONE)


def test_a_prompt_sent_while_working_is_shown_as_queued(start: Start) -> None:
    run = start(Scenario("e2e").hangs().says("first").ends_turn().says(DONE))
    run.terminal.wait("working")
    run.terminal.type("and another thing")
    run.terminal.press("enter")
    run.terminal.wait("queued")
    run.model.release()
    run.terminal.wait(DONE)
    run.terminal.wait_gone("queued")


def test_a_killed_cli_closes_the_panel_and_says_so(start: Start) -> None:
    run = start(asking())
    run.terminal.wait_panel("Which one?")
    run.terminal.press("1")
    run.terminal.wait("● 1  First")
    os.kill(cli_of(run), signal.SIGKILL)
    run.terminal.wait("F8 copies your draft")
    run.terminal.wait("failed")
    run.terminal.press("ctrl+q")
    assert run.terminal.wait_end() == 0


@pytest.mark.parametrize(
    ("how", "code"), [("ctrl+q", 0), ("ctrl+c ctrl+c", 0), ("SIGTERM", 143), ("SIGHUP", 129)]
)
def test_every_end_restores_the_terminal_and_leaves_no_process(start: Start, how: str, code: int) -> None:
    run = start(asking())
    run.terminal.wait_panel("Which one?")
    if how.startswith("SIG"):
        run.terminal.process.send_signal(getattr(signal, how))
    else:
        run.terminal.press(how)
    assert run.terminal.wait_end() == code
    assert run.terminal.restored
    assert b"\x1b[?1049l" in run.terminal.raw, "the alternate screen is left"
    assert processes_of(run) == []


def test_closing_the_window_ends_everything(start: Start) -> None:
    run = start(asking())
    run.terminal.wait_panel("Which one?")
    run.terminal.hang_up()
    assert run.terminal.wait_end() == 129
    assert processes_of(run) == []


def test_one_ctrl_c_only_says_how_to_quit(start: Start) -> None:
    run = start(asking())
    run.terminal.wait_panel("Which one?")
    run.terminal.press("ctrl+c")
    run.terminal.wait("Ctrl+C again quits")
    assert run.terminal.process.poll() is None
    run.terminal.press("down enter")
    run.terminal.wait("And then?")


def test_continue_shows_what_was_said_and_goes_on(start: Start) -> None:
    first = start(Scenario("e2e").says("Noted: the sea is blue.").ends_turn().says("And the sky too."))
    first.terminal.wait("the sea is blue")
    first.terminal.wait("ready")
    first.terminal.press("ctrl+q")
    assert first.terminal.wait_end() == 0
    again = start(Scenario("e2e2").says("Welcome back."), "--continue", prompt="", home=first.home)
    again.terminal.wait("the sea is blue")
    again.terminal.wait("ready")
    again.terminal.type("hello again")
    again.terminal.press("enter")
    again.terminal.wait("Welcome back.")


OURS = re.compile(
    r"\x1b\[[0-9;:?<>=$]*[@-~]"  # cursor, colours, modes
    r"|\x1b\]0;[^\x00-\x1f\x7f-\x9f]*\x07|\x1b\]22;default\x07"  # the title, the pointer's shape
    r"|\x1b[=>78]"  # keypad, saved cursor
)
SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[^@-~]*[@-~]"  # with a final byte
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*",  # with text
    re.DOTALL,
)
"""Any sequence a terminal acts on, well formed or not."""


def test_hostile_text_leaves_no_control_byte_of_the_models_on_the_terminal(start: Start) -> None:
    ready = READY["hostile_text"]
    run = start(ready.scenario, prompt=ready.prompt)
    run.terminal.wait_panel("Which is safe")
    run.terminal.press("p")
    run.terminal.wait("clipboard (OSC 52)")
    run.terminal.press("p down down up up")
    run.terminal.wait(lambda terminal: "❯ ○ 1" in terminal.panel)
    run.terminal.press("enter")
    run.terminal.wait(lambda terminal: "A label that does not end" in terminal.panel)
    run.terminal.press("1 2 shift+tab tab tab")
    run.terminal.wait("❯ ✔ Submit answers")
    run.terminal.press("enter")
    run.terminal.wait("Still here.")
    run.terminal.wait("ready")
    assert run.terminal.process.poll() is None, "nothing it says quits the program"
    assert run.terminal.title.endswith("ccq-tui")
    run.terminal.press("ctrl+o pageup pageup ctrl+q")
    assert run.terminal.wait_end() == 0
    raw = bytes(run.terminal.raw).decode("utf-8")
    rest = OURS.sub("", raw)
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", rest)
    assert SENTINEL in rest, "the attacks were drawn"
    assert [found for found in SEQUENCE.findall(raw) if SENTINEL in found] == []


def test_every_attack_would_be_noticed() -> None:
    for name, attack in ATTACKS.items():
        if re.search(r"[\x1b\x9b\x9d]", attack):
            assert any(SENTINEL in found for found in SEQUENCE.findall(attack)), name


@pytest.mark.parametrize("theme", ["ccq-dark", "ccq-light"])
def test_themes(start: Start, theme: str) -> None:
    run = start(asking(), "--theme", theme)
    run.terminal.wait_panel("Which one?")
    background = {"ccq-dark": b"48;2;20;22;27", "ccq-light": b"48;2;250;248;244"}[theme]
    assert background in run.terminal.raw


def test_a_bad_theme_is_a_notice(start: Start) -> None:
    run = start(asking(), "--theme", "no-such-theme")
    run.terminal.wait("no-such-theme")
    run.terminal.wait_panel("Which one?")


def test_the_demo_runs_in_a_directory_of_its_own(start: Start) -> None:
    run = start(Scenario("unused"), prompt="")
    run.terminal.wait("Enter send")
    run.terminal.press("ctrl+q")
    run.terminal.wait_end()
    with Terminal([program(), "demo", "single", "--speed", "0"], run.home.env, run.home.project) as terminal:
        terminal.wait_panel("Which database")
        terminal.press("enter")
        terminal.wait("Noted:")
        terminal.press("ctrl+q")
        assert terminal.wait_end() == 0
    assert not any((run.home.config / "projects").glob("*/*.jsonl"))


LEFT_BEHIND = """
from pathlib import Path
from textual.drivers.linux_driver import LinuxDriver
from ccq_tui.app import run
from ccq_tui.config import Launch, Settings
for name in ("stop_application_mode", "disable_input", "close"):
    setattr(LinuxDriver, name, lambda driver: None)
run(Launch(settings=Settings(cwd=Path.cwd(), cli_path="/bin/false")))
"""


def test_no_thread_keeps_a_program_that_did_not_end_in_order(tmp_path: Path) -> None:
    home = clean_environment("http://127.0.0.1:9", root=tmp_path)
    with Terminal([sys.executable, "-c", LEFT_BEHIND], home.env, home.project) as terminal:
        terminal.wait("failed")
        terminal.press("ctrl+q")
        assert terminal.wait_end() == 0
