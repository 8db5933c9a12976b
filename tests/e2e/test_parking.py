"""The whole program ends while a question waits, and comes back to it."""

from __future__ import annotations

from ccq_tui.questions import Option, Question
from ccq_tui.testing import Scenario
from tests.e2e.conftest import Running, Start
from tests.steps import step

WHICH = Question("Which one?", "Which", (Option("First", "a"), Option("Second", "b"), Option("Third", "c")))
RESULT = (
    'The user answered: "Which one?"="my own" notes: soon. Read the answers carefully — they may request '
    "clarification, changes, or that you not proceed — and follow what they actually say."
)


def test_quitting_keeps_the_question_and_its_draft_for_the_same_call(start: Start) -> None:
    run = start(Scenario("e2e").asks(WHICH))
    with step("quit with a question open, without being asked"):
        run.terminal.wait_panel("Which one?")
        run.terminal.press("3")
        run.terminal.wait("● 3  Third")
        run.terminal.press("n")
        run.terminal.type("soon")
        run.terminal.press("enter o")
        run.terminal.type("my own")
        run.terminal.wait("my own")
        run.end("ctrl+q", 0)
    with step("a new session says what waits elsewhere, and a hang-up leaves nothing of it behind"):
        other = start(Scenario("other").says("Hello."), prompt="hello", home=run.home)
        other.terminal.wait("1 question waits for you in another session")
        other.end("SIGHUP", 129)
    with step("the session is continued: question, selection and note are there, the text is open"):
        again = start(Scenario("e2e").says("Thanks."), "--resume", session(run), prompt="", home=run.home)
        again.terminal.wait_panel("Which one?")
        again.terminal.wait("● 3  Third")
        assert "soon" in again.terminal.panel
    with step("it is the same call that gets the answer"):
        again.terminal.press("enter")
        again.terminal.wait("● 4  Other: my own")
        again.terminal.press("enter")
        assert again.result("toolu_e2e_1") == RESULT
        again.terminal.wait("Thanks.")
        again.end("ctrl+q", 0)


def session(run: Running) -> str:
    """Find the id of the session whose question waits."""
    (path,) = (
        path for path in run.home.config.glob("projects/*/*.jsonl") if "Which one?" in path.read_text()
    )
    return path.stem
