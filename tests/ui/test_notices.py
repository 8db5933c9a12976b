"""What is said above the prompt goes with what it belongs to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from ccq_tui import theming
from ccq_tui.agent import events as ev
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.requests import Cancelled
from ccq_tui.questions import Answer, Answered
from ccq_tui.screens.session.requests import PARKED
from ccq_tui.widgets.notice_line import NoticeLine, fitted
from tests.actors import PANEL
from tests.steps import step
from tests.ui.host import press_later
from tests.ui.running import running
from tests.ui.session import Driven, asked, keys_work, until
from tests.ui.test_sessions import Many


class Noticing(App[None]):
    """A line that notices pass on."""

    def compose(self) -> ComposeResult:
        yield NoticeLine()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theming.variable_defaults()


async def test_a_newer_text_covers_an_older_one_which_comes_back() -> None:
    app = Noticing()
    async with app.run_test():
        line = app.query_one(NoticeLine)
        line.say("it waits", of="a")
        line.say("copied")
        assert line.text == "copied"
        line.hush()
        assert line.text == "it waits"
        line.say("it waits longer", of="a")
        line.say("again quits", key="ctrl+c")
        line.pressed("ctrl+c")
        assert line.text == "again quits"
        line.pressed("x")
        assert line.text == "it waits longer"
        line.say("copied")
        line.say("another", of="b")
        line.hush("b")
        assert line.text == "it waits longer", "what belongs to nothing does not come back"
        line.say("", of="a")
        assert line.text == ""
        assert line.has_class("-empty")


async def test_what_belongs_to_a_request_goes_with_it(run: Driven, pilot: Pilot[int]) -> None:
    notices = run.screen.dock.notices
    with step("parked, then something else is said, then a process waits again"):
        run.told.tell(asked())
        await keys_work(run, pilot)
        run.told.tell(ev.RequestParked("toolu_1", deferred=True))
        await until(pilot, lambda: notices.text == PARKED)
        run.screen.say("Copied 12 characters")
        notices.hush()
        assert notices.text == PARKED, "it is still parked"
        run.told.tell(ev.StateChanged(ev.SessionState.STARTING))
        await until(pilot, lambda: notices.text == "")
    with step("closed, and asked again by the next process"):
        run.told.tell(ev.RequestSettled("toolu_1", Cancelled("the Claude process ended")))
        await until(pilot, lambda: "The request was closed: the Claude process ended" in notices.text)
        run.told.tell(asked("toolu_2"))
        await until(pilot, lambda: "The request was closed" not in notices.text)


async def test_a_key_that_quits_when_pressed_again_is_said_until_another_key_comes(
    run: Driven, pilot: Pilot[int]
) -> None:
    notices = run.screen.dock.notices
    await pilot.press("ctrl+c")
    await until(pilot, lambda: "Ctrl+C again quits" in notices.text)
    await pilot.press("a")
    assert notices.text == ""
    await press_later(pilot, "escape")
    assert "Esc again clears the prompt" in notices.text
    await pilot.press("b")
    assert notices.text == ""


async def test_why_a_prompt_was_not_sent_is_said_until_it_is_another_one(
    run: Driven, pilot: Pilot[int]
) -> None:
    run.told.tell(ev.CommandsListed(()))
    await until(pilot, lambda: run.screen.completions.listed)
    notices = run.screen.dock.notices
    run.screen.dock.prompt.put("/comapct")
    await pilot.press("enter")
    await until(pilot, lambda: "Unknown command /comapct" in notices.text)
    await pilot.press("backspace")
    await until(pilot, lambda: "Unknown command" not in notices.text)


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (80, "2 questions waiting · Library, Features · draft 1/2, nothing sent · F2 opens"),
        (60, "2 questions waiting · draft 1/2, nothing sent · F2 opens"),
        (38, "2 questions waiting · F2 opens"),
        (10, "2 questions waiting · F2 opens"),
    ],
)
def test_a_narrow_line_keeps_what_waits_and_the_key(width: int, line: str) -> None:
    words = "2 questions waiting · Library, Features · draft 1/2, nothing sent · F2 opens"
    assert fitted(words, width) == line


async def test_the_key_goes_to_the_session_of_the_news_on_the_screen(tmp_path: Path) -> None:
    launch = Launch(settings=Settings(cwd=tmp_path))
    async with running(Many(launch), size=(100, 30)) as (run, pilot):
        for count in (2, 3):
            await run.app.sessions.add(replace(launch, prompt=""))
            await until(pilot, lambda count=count: len(run.all) == count and run.number() == count)
        notices = run.session_screen.dock.notices
        for session in run.all[:2]:
            session.tell(ev.TitleChanged(f"Work {run.all.index(session) + 1}"))
            session.tell(asked())
            name = f"◆ Work {run.all.index(session) + 1}: "
            await until(pilot, lambda name=name: notices.text.startswith(name))
        await pilot.press("f4")
        await until(pilot, lambda: run.number() == 2)
        await pilot.press("f4")
        await until(pilot, lambda: run.number() == 1)


async def test_the_news_of_another_session_go_with_what_waits_there(tmp_path: Path) -> None:
    launch = Launch(settings=Settings(cwd=tmp_path))
    async with running(Many(launch), size=(100, 30)) as (run, pilot):
        await run.app.sessions.add(replace(launch, prompt=""))
        await until(pilot, lambda: len(run.all) == 2 and run.number() == 2)
        notices = run.session_screen.dock.notices
        run.all[0].tell(asked())
        await until(pilot, lambda: "F4 goes there" in notices.text)
        answer = ev.RequestSettled("toolu_1", Answered((Answer(("First",)),)), PANEL)
        run.all[0].tell(answer)
        await until(pilot, lambda: "F4 goes there" not in notices.text)
        run.all[0].tell(asked("toolu_2"))
        await until(pilot, lambda: "F4 goes there" in notices.text)
        await pilot.press("f4")
        await until(pilot, lambda: run.number() == 1)
        await pilot.press("alt+2")
        await until(pilot, lambda: run.number() == 2)
        assert "F4 goes there" not in notices.text
