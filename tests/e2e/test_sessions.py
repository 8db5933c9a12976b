"""Every errand of the list of sessions by keys alone, at four sizes."""

import pytest

from ccq_tui.questions import Option, Question
from ccq_tui.screens.sessions.model import CARET
from ccq_tui.testing import Replies, Scenario
from tests.e2e.conftest import Start
from tests.e2e.terminal import LIMIT
from tests.steps import step

SIZES = ((40, 12), (80, 24), (120, 36), (200, 50))


def asks(replies: Replies) -> Scenario:
    """Ask one question about the prompt."""
    question = Question(f"How is {replies.prompt} done?", "How", (Option("Fast", "a"), Option("Well", "b")))
    return Scenario().asks(question).says(f"I did {replies.prompt}.")


@pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)
def test_the_errands_of_the_list_are_done_by_keys_alone(start: Start, size: tuple[int, int]) -> None:
    run = start(Scenario("list").then(asks), prompt="", size=size)
    terminal = run.terminal
    with step("from a session to all, and back"):
        terminal.wait("ready")
        terminal.type("kept")
        terminal.press("f5")
        terminal.wait("─ Sessions ─ nothing waits")
        terminal.press("escape")
        terminal.wait("❯ kept")
    with step("a new session, whose prompt waits in the row while somebody looks elsewhere"):
        terminal.press("ctrl+n")
        terminal.wait(f"Prompt     {CARET}")
        terminal.type("part one")
        terminal.press("escape")
        terminal.wait(lambda seen: "Directory" not in seen.text)
        terminal.press("escape")
        terminal.wait("❯ kept")
        terminal.press("ctrl+n")
        terminal.wait(f"part one{CARET}")
        terminal.press("enter")
        terminal.wait_panel("How is part one done?")
    with step("what waits there is answered from the other one"):
        terminal.type("\x1b1")  # Alt+1
        terminal.wait("❯ kept")
        terminal.press("f2")
        terminal.wait("❯   ?  How")
        terminal.press("enter")
        terminal.wait("Enter send Fast")
        terminal.press("2")
        terminal.wait("Enter send Well")
        terminal.press("enter")
        run.model.wait_for_sync(lambda model: bool(model.tool_results()), LIMIT)
        assert '"How is part one done?"="Well"' in run.model.tool_results()[0].text
        terminal.wait("nothing waits")
    with step("found, gone to, closed, and resumed from the earlier ones"):
        terminal.press("/")
        terminal.type("part")
        terminal.wait("1 of 2")
        terminal.press("enter")
        terminal.wait(lambda seen: "─ Sessions" not in seen.text and "I did part one." in seen.text)
        terminal.type("/close\r")
        terminal.wait("❯ kept")
        terminal.type("\x15/resume\r")
        terminal.wait(f" / {CARET}")
        terminal.wait("Earlier  1")
        terminal.type("part")
        terminal.press("enter")
        terminal.wait("I did part one.")
    run.end("ctrl+q", 0)
