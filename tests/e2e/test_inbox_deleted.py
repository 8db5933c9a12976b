"""The inbox's file is deleted while a question is open: nothing of it is lost."""

from __future__ import annotations

from ccq_tui.testing import Scenario
from tests.e2e.conftest import Start
from tests.e2e.test_parking import WHICH
from tests.results import replied
from tests.steps import step

RESULT = replied('"Which one?"="Third" notes: soon')


def test_a_question_outlives_the_file_of_the_inbox(start: Start) -> None:
    run = start(Scenario("e2e").asks(WHICH).says("Thanks."), size=(120, 30))
    terminal = run.terminal
    with step("a question is open, and its draft is in the inbox"):
        terminal.wait_panel("Which one?")
        terminal.press("3")
        terminal.wait("● 3  Third")
        terminal.wait(lambda _: "Which one?" in run.ccq("inbox"))
    with step("the file is deleted: one notice, and a new one has the question for other processes"):
        (database,) = run.home.home.rglob("inbox.db")
        database.unlink()
        terminal.wait("The inbox was moved, deleted or replaced while in use")
        assert "Which one?" in run.ccq("inbox")
        assert terminal.text.count("The inbox was moved") == 1
    with step("typing goes on, and the answer is what was selected before and typed after"):
        terminal.press("n")
        terminal.type("soon")
        terminal.press("enter enter")
        assert run.result("toolu_e2e_1") == RESULT
        terminal.wait("Thanks.")
        assert run.ccq("inbox") == "Nothing waits.\n"
        assert len(run.model.tool_results()) == 1
        run.end("ctrl+q", 0)
