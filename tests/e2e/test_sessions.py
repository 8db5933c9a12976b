"""Every errand of the list of sessions by keys alone: with details beside it, without, and on few lines."""

from collections.abc import Iterator

from ccq_tui.questions import Option, Question
from ccq_tui.screens.sessions.model import CARET
from ccq_tui.testing import Replies, Scenario
from tests.e2e.conftest import Start
from tests.e2e.terminal import LIMIT, Terminal
from tests.steps import step

SIZES = ((200, 50), (80, 24), (SMALLEST := 40, 12))


def asks(replies: Replies) -> Scenario:
    """Ask one question about the prompt."""
    question = Question(f"How is {replies.prompt} done?", "How", (Option("Fast", "a"), Option("Well", "b")))
    return Scenario().asks(question).says(f"I did {replies.prompt}.")


def sizes(terminal: Terminal) -> Iterator[None]:
    """Give the terminal each size in turn; the smallest is the last."""
    for size in SIZES:
        with step("at {}x{}".format(*size)):
            terminal.resize(size)
            yield


def test_the_errands_of_the_list_are_done_by_keys_alone(start: Start) -> None:
    run = start(Scenario("list").then(asks), prompt="")
    terminal = run.terminal
    with step("from a session to all, to a new one, whose prompt waits in the row meanwhile, and back"):
        terminal.wait("ready").type("kept")
        typed = ""
        for _ in sizes(terminal):
            terminal.wait("❯ kept").press("f5").wait("─ Sessions ─ nothing waits")
            terminal.press("n").wait(f"{typed or 'Prompt     '}{CARET}")
            if not typed:
                terminal.type(typed := "part one").wait(f"part one{CARET}")
            terminal.press("escape").wait(lambda seen: "Directory" not in seen.text)
            terminal.press("escape")
        terminal.wait("❯ kept").press("ctrl+n").wait(f"part one{CARET}")
        terminal.press("enter").wait_panel("How is part one done?")
    with step("what waits there is found, and opened from the other one"):
        for _ in sizes(terminal):
            terminal.type("\x1b1")  # Alt+1
            terminal.wait("❯ kept").press("f2").wait("❯   ?  How")
            terminal.press("/").type("part").wait("1 of 2")
            terminal.press("enter").wait("Enter send Fast")
            if terminal.screen.columns > SMALLEST:
                terminal.press("escape").wait_absent("Enter send Fast")
        terminal.press("2").wait("Enter send Well")
        terminal.press("enter")
        run.model.wait_for_sync(lambda model: bool(model.tool_results()), LIMIT)
        assert '"How is part one done?"="Well"' in run.model.tool_results()[0].text
        terminal.wait("Enter go to it")
    with step("gone to, closed, and resumed from the earlier ones"):
        terminal.press("enter")
        terminal.wait(lambda seen: "─ Sessions" not in seen.text and "I did part one." in seen.text)
        run.rest()
        terminal.type("/close\r").wait("❯ kept")
        for _ in sizes(terminal):
            terminal.type("\x15/resume\r").wait(f" / {CARET}")
            terminal.wait("Earlier  1").type("part").wait(f" / part{CARET}")
            if terminal.screen.columns > SMALLEST:
                terminal.press("escape").wait_absent(f" / part{CARET}")
                terminal.press("escape").wait_absent("─ Sessions")
        terminal.press("enter").wait("I did part one.")
    run.end("ctrl+q", 0)
