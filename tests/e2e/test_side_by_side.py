"""Four sessions ask at once and are answered from the inbox."""

from __future__ import annotations

from ccq_tui.questions import Option, Question
from ccq_tui.screens.sessions.new_row import CARET
from ccq_tui.testing import Replies, Scenario
from tests.e2e.conftest import Start
from tests.e2e.terminal import Terminal
from tests.steps import step

FOUR = range(1, 5)
WAYS = 4
PROMPT_FIELD = f"Prompt     {CARET}"
"""The field of a new session's prompt, while it has the keys."""
OPTIONS = tuple(Option(f"Way {number}", "one of four") for number in range(1, WAYS + 1))


def asks_for_its_part(replies: Replies) -> Scenario:
    """Ask one question, each session its own."""
    name = replies.prompt
    question = Question(f"Which way for {name}?", name, OPTIONS)
    return Scenario().hangs(gate="ask", limit=300.0).asks(question).says(f"I know it for {name}.")


def open_behind(terminal: Terminal, number: int) -> None:
    """Open another session by keys."""
    terminal.press("ctrl+n")
    terminal.wait(PROMPT_FIELD)
    terminal.type(f"part {number}")
    terminal.wait(f"part {number}{CARET}")
    terminal.press("enter")
    terminal.wait(f"❯ part {number}")


def test_four_sessions_are_answered_from_the_inbox(start: Start) -> None:
    run = start(Scenario("four").then(asks_for_its_part), prompt="", size=(110, 30))
    terminal, model = run.terminal, run.model
    with step("four sessions work behind one in which something is being written"):
        terminal.wait("○ ready")
        for number in FOUR:
            open_behind(terminal, number)
        model.wait_for_sync(lambda seen: len(seen.requests()) == len(FOUR), 60.0)
        terminal.type("\x1b1")  # Alt+1
        terminal.wait(lambda seen: "○ ready ·" in seen.text and "❯ part" not in seen.text)
        terminal.type("half a thought")
        terminal.wait("❯ half a thought")
    with step("all ask at once, and nothing of it is in front"):
        model.release("ask")
        terminal.wait("? 4 elsewhere")
        assert terminal.panel == ""
        assert "❯ half a thought" in terminal.text
    with step("each is answered where it is listed"):
        terminal.press("f2")
        terminal.wait("─ Sessions ─ 4 wait")
        for _ in FOUR:
            answer_the_first(terminal)
    with step("none had another's answer, and nothing came to the one in front"):
        model.wait_for_sync(lambda seen: len(seen.tool_results()) == len(FOUR), 60.0)
        results = model.tool_results()
        for number in FOUR:
            (result,) = [one.text for one in results if f"Which way for part {number}?" in one.text]
            assert f'"Which way for part {number}?"="Way {way_of(number)}"' in result
        terminal.press("escape")
        terminal.wait("❯ half a thought")
        assert "Claude asked" not in terminal.text
    run.end("ctrl+q", 0)


def way_of(number: int) -> int:
    """Return what is chosen for a part."""
    return number % WAYS + 1


def answer_the_first(terminal: Terminal) -> None:
    """Open the panel of the request under the cursor, and choose the way of its part."""
    terminal.wait("❯   ?  Which way")  # a key comes to nothing before there is a row for it
    terminal.press("enter")
    terminal.wait(lambda seen: "Which way for part " in seen.panel and seen.keys_work)
    number = int(terminal.panel.partition("Which way for part ")[2][0])
    way = way_of(number)
    terminal.press(str(way))
    terminal.wait(lambda seen: f"● {way}  Way {way}" in seen.panel)
    terminal.press("enter")
    terminal.wait(lambda seen: f"Which way for part {number}?" not in seen.text)
