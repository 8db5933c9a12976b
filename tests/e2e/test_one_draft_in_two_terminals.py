"""The same question open in two terminals: neither overwrites what is typed in the other."""

from __future__ import annotations

from contextlib import suppress

from ccq_tui.questions import Option, Question
from ccq_tui.questions.input_guard import GRACE
from ccq_tui.testing import Scenario
from tests.e2e.conftest import Start, program
from tests.e2e.terminal import NotShownError, Terminal
from tests.steps import step

FEATURES = Question(
    "Which features?", "Features", (Option("Auth"), Option("Cache"), Option("Logs")), multi_select=True
)
TAKE_OVER = "Enter take over the draft changed in another terminal"


def test_a_draft_of_another_terminal_is_taken_over_and_overwrites_nothing(start: Start) -> None:
    run = start(Scenario("e2e").asks(FEATURES).says("Thanks."), size=(120, 30))
    terminal = run.terminal
    terminal.wait_panel("Which features?")
    terminal.press("1")
    terminal.wait("◼ 1  Auth")
    with Terminal([program(), "inbox"], run.home.env, run.home.project) as other:
        with step("the inbox of another terminal opens it as it is here"):
            other.wait("Which features?")
            other.press("right")
            other.wait(lambda seen: "◼ 1  Auth" in seen.panel and seen.keys_work)
        with step("what is selected there waits until it is taken over here, and no other key decides"):
            other.press("2")
            other.wait("◼ 2  Cache")
            terminal.wait(TAKE_OVER)
            terminal.press("3")
            terminal.press("tab")
            terminal.press("escape")
            terminal.wait("1 question waiting")
            terminal.press("f2")
            terminal.wait(TAKE_OVER)
            assert "◻ 2  Cache" in terminal.text
            assert "◻ 3  Logs" in terminal.text
            terminal.press("enter")
            terminal.wait("F8 copies yours")
            terminal.wait(lambda seen: "◼ 2  Cache" in seen.panel and seen.keys_work)
        with step("what is typed after that is shown in the other one by the same rule"):
            terminal.press("n")
            terminal.type("keep it")
            other.wait(TAKE_OVER)
            other.press("enter")
            other.wait("keep it")
            terminal.press("enter")
        with step("what is confirmed here is what is seen here, and the other one says where that was"):
            terminal.wait(lambda seen: "Enter go on with 2" in seen.panel)
            terminal.press("enter")
            terminal.wait("✔    Submit")
            confirm(terminal)
            result = run.result("toolu_e2e_1")
            assert '"Which features?"="Auth, Cache" notes: keep it' in result
            other.wait("Already answered in another terminal at")
        other.press("ctrl+q")
        assert other.wait_end() == 0
    terminal.wait("Thanks.")
    run.end("ctrl+q", 0)


def confirm(terminal: Terminal) -> None:
    """Press Enter until it counts: a change of this very moment holds it back."""
    for _ in range(5):
        terminal.press("enter")
        with suppress(NotShownError):
            terminal.wait("Thanks.", limit=2 * GRACE)
            return
