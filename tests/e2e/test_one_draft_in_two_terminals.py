"""The same question open in two terminals: each shows the newer draft and says whose it is."""

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
CHANGED = "The draft was changed in another terminal"


def test_a_draft_follows_the_other_terminal_and_takes_nothing_from_who_types(start: Start) -> None:
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
        with step("what is selected there is selected here, and it is said who did it"):
            other.press("2")
            other.wait("◼ 2  Cache")
            terminal.wait("◼ 2  Cache")
            terminal.wait(CHANGED)
            assert "◼ 1  Auth" in terminal.text
        with step("what was selected there is undone here, and done again"):
            for row in ("◻ 2  Cache", "◼ 2  Cache"):
                terminal.press("2")
                terminal.wait(row)
                other.wait(row)
        with step("a note that is being typed here stays while the question changes there"):
            terminal.press("n")
            terminal.type("keep it")
            terminal.wait("keep it")
            other.wait("keep it")
            other.wait(CHANGED)
            other.press("3")
            other.wait("◼ 3  Logs")
            # Both within a moment: neither has heard of the other's.
            terminal.type(" small")
            terminal.wait("keep it small")
            terminal.wait("◼ 3  Logs")
        with step("what was typed last is what both show"):
            other.wait("keep it small")
        with step("what is confirmed here is what is seen here, and the other one says where that was"):
            terminal.press("enter")
            terminal.wait(lambda seen: "Enter go on with 3" in seen.panel)
            terminal.press("enter")
            terminal.wait("✔    Submit")
            confirm(terminal)
            result = run.result("toolu_e2e_1")
            assert '"Which features?"="Auth, Cache, Logs" notes: keep it small' in result
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
