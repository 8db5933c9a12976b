"""A person who leaves the terminal is notified of what waits there; one who sits at it is not."""

import json
from contextlib import closing
from pathlib import Path

from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Option, Question
from ccq_tui.testing import Scenario
from tests.e2e.conftest import Start
from tests.steps import step
from tests.unit.remote.notify.doubles import serving

WHICH = Question("Which one?", "Which", (Option("First", "a"), Option("Second", "b")))


def test_a_notification_comes_once_the_person_has_left(start: Start) -> None:
    scenario = Scenario("notify").says("One moment.").asks(WHICH).says("Thank you.").ends_turn()
    with serving() as ntfy:
        variables = {"CCQ_NOTIFY_URLS": f"ntfy://{ntfy.place}/topic", "CCQ_NOTIFY_WAIT": "3600"}
        run = start(scenario, prompt="", variables=variables)
        terminal, state = run.terminal, Path(run.home.env["XDG_STATE_HOME"]) / "ccq-tui"

        def focused() -> list[object]:
            with closing(Store(state / "inbox.db")) as store:
                return [one.focused for one in store.listeners.presences()]

        with step("keys prove a person, and so does the terminal's report"):
            terminal.wait("ready")
            assert focused() == []
            terminal.type("go").wait(lambda _: focused() == [None])
            terminal.type("\x1b[I").wait(lambda _: focused() == [True])
        with step("nothing is sent while the terminal is in focus"):
            terminal.press("enter").wait_panel("Which one?")
            log = state / "log" / "ccq-tui.log"
            terminal.wait(lambda _: "a person is at a terminal" in log.read_text("utf-8"))
            assert ntfy.got == []
        with step("it is once the terminal has lost the focus"):
            terminal.type("\x1b[O").wait(lambda _: focused() == [False])
            terminal.wait(lambda _: ntfy.got)
            assert ntfy.contents[0]["title"].endswith(" · Which")
            assert "Which one?" not in json.dumps(ntfy.contents)
        with step("the proof ends with the program"):
            run.end("SIGHUP", 129)
            assert focused() == []
