"""A question open in two terminals, and one whose inbox is deleted: nothing that is typed is lost."""

from contextlib import suppress

from ccq_tui.input.gate import QUIET
from ccq_tui.questions import Option, Question
from ccq_tui.testing import Scenario
from tests.e2e.conftest import Running, Start, program
from tests.e2e.terminal import NotShownError, Terminal
from tests.e2e.test_parking import WHICH
from tests.results import replied
from tests.steps import step

FEATURES = Question(
    "Which features?", "Features", (Option("Auth"), Option("Cache"), Option("Logs")), multi_select=True
)
RESULT = replied('"Which one?"="Third" notes: soon')
TAKE_OVER = "Enter take over the draft changed in another terminal"


def test_a_draft_is_taken_over_in_two_terminals_and_outlives_the_inbox(start: Start) -> None:
    scenario = Scenario("e2e").asks(FEATURES).says("Thanks.").ends_turn().asks(WHICH).says("Thanks again.")
    run = start(scenario, size=(120, 30))
    terminal = run.terminal
    terminal.wait_panel("Which features?").press("1").wait("◼ 1  Auth")
    with Terminal([program(), "inbox"], run.home.env, run.home.project) as other:
        with step("the inbox of another terminal opens it as it is here"):
            other.wait("Which features?")
            other.press("right").wait(lambda seen: "◼ 1  Auth" in seen.panel and seen.keys_work)
        with step("what is selected there waits until it is taken over here, and no other key decides"):
            other.press("2").wait("◼ 2  Cache")
            terminal.wait(TAKE_OVER).press("3").press("tab").press("escape").wait("1 question waiting")
            terminal.press("f2").wait(TAKE_OVER)
            assert "◻ 2  Cache" in terminal.text
            assert "◻ 3  Logs" in terminal.text
            terminal.press("enter").wait("F8 copies your draft")
            terminal.wait(lambda seen: "◼ 2  Cache" in seen.panel and seen.keys_work)
        with step("what is typed after that is shown in the other one by the same rule"):
            terminal.press("n").type("keep it")
            other.wait(TAKE_OVER).press("enter").wait("keep it")
            terminal.press("enter")
        with step("what is confirmed here is what is seen here, and the other one says where that was"):
            terminal.wait(lambda seen: "Enter choose 2 options" in seen.panel)
            terminal.press("enter").wait("→    Submit")
            confirm(terminal)
            result = run.result("toolu_e2e_1")
            assert '"Which features?"="Auth, Cache" notes: keep it' in result
            other.wait("was answered in another terminal")
        other.press("ctrl+q")
        assert other.wait_end() == 0
    terminal.wait("Thanks.")
    terminal.wait("○ ready")
    run.rest()
    terminal.type("go on\r")
    the_inbox_is_deleted(run)
    run.end("ctrl+q", 0)


def the_inbox_is_deleted(run: Running) -> None:
    terminal = run.terminal
    with step("a question is open, and its draft is in the inbox"):
        terminal.wait_panel("Which one?").press("3").wait("● 3  Third")
        terminal.wait(lambda _: "Which one?" in run.ccq("inbox"))
    with step("the file is deleted: one notice, and a new one has the question for other processes"):
        (database,) = run.home.home.rglob("inbox.db")
        database.unlink()
        terminal.wait("Questions are on disk again")
        assert "Which one?" in run.ccq("inbox")
        assert terminal.text.count("Questions are on disk again") == 1
    with step("typing goes on, and the answer is what was selected before and typed after"):
        terminal.press("n").type("soon").press("enter enter")
        assert run.result("toolu_e2e_2") == RESULT
        terminal.wait("Thanks again.")
        assert run.ccq("inbox") == "Nothing waits.\n"
        assert len(run.model.tool_results()) == 2


def confirm(terminal: Terminal) -> None:
    """Press Enter until it counts: a change of this very moment holds it back."""
    for _ in range(5):
        terminal.press("enter")
        with suppress(NotShownError):
            terminal.wait("Thanks.", limit=2 * QUIET)
            return
