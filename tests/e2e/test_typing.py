"""Words meant for the prompt, typed as a question comes, in a real terminal."""

from __future__ import annotations

import json

from ccq_tui.questions import Option, Question
from ccq_tui.testing import Scenario
from tests.e2e.conftest import Start
from tests.steps import step

FEATURES = Question(
    "Which features?", "Features", (Option("Auth", "a"), Option("Cache", "b"), Option("Logs", "c")), True
)
WAITS = "opens when you pause typing"
WORDS = "check the backups of 2024"


def test_words_typed_as_a_question_comes_are_a_prompt_and_answer_nothing(start: Start) -> None:
    run = start(Scenario("e2e").hangs(gate="ask").asks(FEATURES).says("Done.").ends_turn().says("Read."))
    terminal = run.terminal
    with step("a question comes in the middle of a sentence, and waits in its line"):
        terminal.wait("working")
        typed = "Before that, "
        terminal.type(typed)
        terminal.wait(f"❯ {typed}".rstrip())
        run.model.release("ask")
        for _ in range(100):
            if WAITS in terminal.text:
                break
            terminal.type(".")
            typed += "."
            run.rest(0.3)
        assert WAITS in terminal.text
        typed += WORDS
        terminal.type(f"{WORDS}\r")
        terminal.wait_gone(WAITS)
    with step("it opens once nobody types, as it came"):
        terminal.wait_panel("Which features?")
        assert "◼" not in terminal.panel
        assert run.model.tool_results() == []
        terminal.press("2 enter")
        terminal.wait_in_panel("✔    Submit")
        terminal.press("enter")
        assert run.result("toolu_e2e_1").startswith(
            'Your questions have been answered: "Which features?"="Cache".'
        )
        run.model.wait_for_sync(
            lambda model: any(typed in json.dumps(request.body) for request in model.requests())
        )
    run.end("ctrl+q", 0)
