"""The same question open in two terminals: each shows the newer draft and says whose it is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ccq_tui.questions import Option, Question
from ccq_tui.testing import Scenario
from tests.e2e.conftest import Start, program
from tests.e2e.terminal import Terminal
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
        with step("a note that is being typed here stays while the question changes there"):
            terminal.press("n")
            terminal.type("keep it")
            terminal.wait("keep it")
            other.wait("keep it")
            other.wait(CHANGED)
            other.press("3")
            other.wait("◼ 3  Logs")
            # On disk before the note goes on: of two that write at once, the disk keeps the later one.
            other.wait(lambda _: "Logs" in drafts_in(run.home.home))
            terminal.type(" small")
            terminal.wait("keep it small")
        with step("what was typed last is what both show"):
            other.wait("keep it small")
        with step("what is confirmed here is what is seen here, and the other one says where that was"):
            terminal.press("enter")
            terminal.wait(lambda seen: "n note" in seen.panel or "note:" in seen.panel)
            shown = [label for label in ("Auth", "Cache", "Logs") if f"{label}" in selected(terminal)]
            terminal.press("enter")
            terminal.wait("Submit answers")
            terminal.press("enter")
            result = run.result("toolu_e2e_1")
            assert f'"Which features?"="{", ".join(shown)}" notes: keep it small' in result
            other.wait("Already answered in another terminal at")
        other.press("ctrl+q")
        assert other.wait_end() == 0
    terminal.wait("Thanks.")
    run.end("ctrl+q", 0)


def selected(terminal: Terminal) -> str:
    return "\n".join(line for line in terminal.text.splitlines() if "◼" in line)


def drafts_in(home: Path) -> str:
    """Return the drafts that are on disk."""
    (file,) = home.glob("**/inbox.db")
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as store:
        return "\n".join(str(body) for (body,) in store.execute("SELECT body FROM drafts"))
