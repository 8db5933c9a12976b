"""The whole program when the CLI is killed."""

from __future__ import annotations

import json

from ccq_tui.questions import Option, Question
from ccq_tui.testing import Scenario, ScriptedModel
from tests.e2e.conftest import Start
from tests.steps import step

WHICH = Question("Which one?", "Which", (Option("First", "a"), Option("Second", "b")))
MORE = Question("And then?", "Then", (Option("Stop", "a"), Option("Go", "b")))


def last_request(model: ScriptedModel) -> str:
    """All that the model was told last."""
    return json.dumps(model.requests()[-1].body)


def test_a_killed_cli_is_reconnected_and_goes_on(start: Start) -> None:
    run = start(Scenario("e2e").says("Half of it").hangs().ends_turn().asks(WHICH, MORE))
    terminal = run.terminal
    with step("killed while it answers"):
        terminal.wait("Half of it")
        run.wait_recorded('"content":"go"')
        run.kill_cli()
        terminal.wait("F6 reconnect")
        # The dock says it at once, the transcript with its next frame.
        terminal.wait("ended by signal 9 (SIGKILL)")
        assert "Traceback" not in terminal.text
    with step("reconnected"):
        terminal.type("and more")
        terminal.press("f6")
        terminal.wait("F6 continue")
        assert terminal.text.count("Half of it") == 1
        assert "❯ and more" in terminal.text
    with step("killed while a question is open"):
        terminal.press("f6")
        terminal.wait("↓ to the question")  # its letters and digits are for the prompt, which holds a text
        terminal.press("down")
        terminal.wait_panel("Which one?")
        assert "Go on." in last_request(run.model), "Claude has read the prompt"
        terminal.press("1")
        terminal.wait("● 1  First")
        run.kill_cli()
        terminal.wait("✖ failed")
        assert "● 1  First" in terminal.panel, "it still waits, with its draft"
    with step("its answer starts Claude again, and goes to it as a message"):
        terminal.press("c")
        terminal.type("First, please")
        terminal.press("enter")
        terminal.wait("Instead of choosing, I reply")
        run.model.wait_for_sync(lambda model: "First, please" in last_request(model))
        assert last_request(run.model).count("First, please") == 1
        terminal.wait("○ ready")
        run.end("ctrl+q", 0)
