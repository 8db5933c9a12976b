"""What a keyboard sends, as a terminal passes it on: joiners, and Esc right before a letter."""

import json

from ccq_tui.input.gate import QUIET, SEEN
from ccq_tui.questions import Kind, Option, Question
from ccq_tui.testing import Scenario
from tests.e2e.conftest import Start
from tests.steps import step

JOINED = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"


WHICH = Question("Which one?", "Which", (Option("First", "a"), Option("Second", "b")))
WHY = Question("Why?", "Why", kind=Kind.TEXT)
VS_CODE, XTERM, KITTY, BACKSLASH = "\\\r\n", "\x1b[27;2;13~", "\x1b[13;2u", "\\\r"


def test_joiners_new_lines_and_lines_without_marks_arrive(start: Start) -> None:
    scenario = Scenario("e2e").says("Fine.").ends_turn()
    for number, question in enumerate((WHICH, WHICH, WHICH, WHY), 1):
        scenario = scenario.says(f"Set {number}.").asks(question)
    scenario = scenario.runs("Bash", command="touch made").says("Done.").ends_turn()
    run = start(scenario.says("Read.").ends_turn(), prompt="")
    terminal = run.terminal
    with step("joiners are sent, and escape before a digit is a key of its own"):
        terminal.wait("○ ready").type("and a\x1b")
        run.rest(0.03)
        terminal.type("1")  # within the 100 ms in which Textual would make Alt+1 of it
        terminal.wait("and a1").type("\x1b1")  # Alt+1: goes to the first session, which is shown
        for character in f" {JOINED}":
            terminal.type(character)
        terminal.press("enter").wait("Fine.")
        sent = json.dumps(run.model.requests()[-1].body, ensure_ascii=False)
        assert f"and a1 {JOINED}" in sent
        terminal.wait("○ ready")
    with step("in the prompt"):
        terminal.type(f"one{VS_CODE}two{XTERM}three{KITTY}four{BACKSLASH}five\r")
        terminal.wait_panel("Which one?", after="Set 1.")
        assert '"one\\ntwo\\nthree\\nfour\\nfive"' in json.dumps(run.model.requests()[-1].body)
    texts = (
        ("Which one?", "o", "Ctrl+J new line", VS_CODE),
        ("Which one?", "n", "Ctrl+J new line", XTERM),
        ("Which one?", "c", "Ctrl+J new line", BACKSLASH),
        ("Why?", "", "Why?", VS_CODE),  # an answer that is text alone
        ("touch made", "e", "Enter back", VS_CODE),  # the reason for a denial
    )
    for number, (asked, key, opened, new_line) in enumerate(texts, 1):
        with step(f"in a text that {key!r} opens for {asked}"):
            terminal.wait_panel(asked, f"Set {number}." if number < 5 else "", QUIET if key else SEEN)
            terminal.press(key).wait_in_panel(opened)
            terminal.type(f"up{new_line}down").wait_in_panel("down")
            terminal.press("enter enter" if key == "n" else "enter")
            assert "up\ndown" in run.result(f"toolu_e2e_{number}")
    with step("lines without marks are one prompt, sent by Enter alone"):
        terminal.wait("○ ready")
        run.rest()
        asked = len(run.model.requests())
        terminal.type("first\rsecond\rthird\r").wait("second")
        terminal.type("last").wait("last")
        assert len(run.model.requests()) == asked
        terminal.press("enter").wait("Read.")
        assert '"first\\nsecond\\nthird\\nlast"' in json.dumps(run.model.requests()[-1].body)
    run.end("ctrl+q", 0)
