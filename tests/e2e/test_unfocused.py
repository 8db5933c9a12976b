"""What a terminal is told while somebody looks elsewhere, byte by byte."""

from __future__ import annotations

import re

from ccq_tui.questions import Option, Question
from ccq_tui.testing import Scenario
from tests.e2e.conftest import Start
from tests.e2e.terminal import Terminal

WHICH = Question("Which one; \x1b]0;evil\x07 really?", "Which", (Option("First", "a"), Option("Second", "b")))
FOCUS_OUT, FOCUS_IN = "\x1b[O", "\x1b[I"


def bars(terminal: Terminal) -> list[bytes]:
    return re.findall(rb"\x1b\]9;4;(\d);\d+\x1b\\", bytes(terminal.raw))


def test_a_question_is_told_to_who_looks_elsewhere_and_nothing_is_left_behind(start: Start) -> None:
    scenario = Scenario("unfocused").says("One moment.").asks(WHICH).says("Thank you.")
    run = start(
        scenario, prompt="", variables={"CCQ_NOTIFY": "osc777", "CCQ_PROGRESS": "on", "CCQ_KEYS": "vim"}
    )
    terminal = run.terminal
    terminal.wait("○ ready")
    # A key after it would say that somebody looks here all the same.
    terminal.type("go\r" + FOCUS_OUT)
    terminal.wait_panel("Which one")
    told = re.findall(rb"\x1b\]777;notify;([^;]*);(.*?)\x1b\\", bytes(terminal.raw))
    assert len(told) == 1
    assert told[0][0].decode() == f"ccq-tui · {run.home.project.name}"
    assert told[0][1].decode().startswith("Claude asks: Which one; ")
    assert not re.search(rb"[\x00-\x1f]", told[0][1])
    assert bars(terminal)[-1] == b"4"
    terminal.type(FOCUS_IN)
    terminal.wait(lambda screen: bars(screen)[-1] == b"0")
    terminal.type(FOCUS_OUT)
    terminal.wait(lambda screen: bars(screen)[-1] == b"4")
    run.end("SIGTERM", 143)
    terminal.wait(lambda screen: bars(screen)[-1] == b"0")
