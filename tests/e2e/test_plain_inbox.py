"""What waits, answered line by line in a terminal that cannot move its cursor."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from ccq_tui.questions import Answer, Answered
from tests.actors import PANEL
from tests.e2e.conftest import program
from tests.e2e.terminal import Terminal
from tests.steps import step
from tests.unit.stocked import CACHE, FEATURES, PERMISSION, PLAN, asked, id_of, stock


def walking(place: Path) -> Terminal:
    return Terminal(["env", "TERM=dumb", program(), "inbox"], os.environ, place, (200, 60))


def saw(terminal: Terminal, text: str) -> None:
    terminal.wait(lambda now: text in now.written)


def test_lines_answer_what_waits_across_an_end(tmp_path: Path) -> None:
    stock()
    with asked() as store:
        with walking(tmp_path) as terminal:
            with step("answered elsewhere while a line was begun"):
                saw(terminal, "Kind: question. Asked: ")
                saw(terminal, "request 1 of 4: question from session api-refactor")
                saw(terminal, "Choose 1 to 3, o TEXT for your own words, ? for help: ")
                terminal.type("2")
                saw(terminal, "? for help: 2")
                store.requests.settle(id_of(CACHE), Answered((Answer(("None",)),)), PANEL)
                saw(terminal, "note: The line you had begun is not used: 2")
                saw(terminal, "note: Already answered in another terminal at ")
            with step("Ctrl+C asks"):
                saw(terminal, "question 1 of 3: Which features should it have?")
                terminal.press("ctrl+c")
                saw(terminal, "Continue with the next request? The draft is kept. y leaves")
                terminal.type("no\n")
                terminal.type("1,3\n")
                saw(terminal, "question 2 of 3: How many workers?")
            terminal.wait(lambda _: any(one.has_draft for one in store.requests.waiting()))
            os.killpg(terminal.process.pid, signal.SIGKILL)
            first = terminal.written
        with walking(tmp_path) as terminal:
            saw(terminal, "note: A draft is here: 1 of 3 answered, nothing sent.")
            terminal.type("9\n4\napi\ny\n")
            saw(terminal, "note: out of range; 1 to 8.")
            saw(terminal, "permission: Claude wants to use Bash")
            terminal.type("e use pnpm\n")
            saw(terminal, "plan: Claude proposes a plan")
            terminal.press("ctrl+d")
            saw(terminal, "note: 1 request waits.")
            assert terminal.wait_end() == 0
            assert terminal.restored
            written = first + terminal.written
        assert "\x1b" not in written
        assert written.count("\a") == 5, "one for each request that was shown"
        assert not set("─│╭❯○●✔◆") & set(written)
        found = {call: store.requests.get(id_of(call)) for call in (FEATURES, PERMISSION, PLAN)}
    outcomes = [one and one.outcome for one in found.values()]
    assert outcomes[0] == Answered((Answer(("Auth", "Search")), Answer(other="4"), Answer(other="api")))
    assert (getattr(outcomes[1], "text", ""), outcomes[2]) == ("use pnpm", None)
