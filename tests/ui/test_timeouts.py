"""Time limits on the screen: nothing ends under somebody's hands, and no limit chooses an option."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from ccq_tui.agent.events import QuestionAsked, RequestParked, RequestSettled, SessionState, StateChanged
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.questions import Expired
from ccq_tui.widgets.transcript.heads import NOT_IN_TIME
from tests.actors import LIMIT
from tests.ui.drawn import screen_text
from tests.ui.host import Clock, press_later
from tests.ui.inboxed import Many, open_by_key, request_of
from tests.ui.running import running
from tests.ui.session import Driven, asked, keys_work, panel_drawn, until
from tests.ui.test_commands import picker, say


def driven(**settings: Any) -> Driven:
    """The program with limits, and a clock that goes only with the test: seconds are counted here."""
    return Driven(Launch(settings=Settings(cwd=Path("/"), **settings)), clock=Clock())


async def ask(run: Driven, pilot: Pilot[int], name: str = "toolu_1") -> None:
    """Let a question wait, with its panel open."""
    await until(pilot, lambda: run.screen.view.session_id)
    run.told.tell(StateChanged(SessionState.AWAITING))
    run.told.tell(asked(name))
    await keys_work(run, pilot)


async def later(run: Driven, pilot: Pilot[int], seconds: float) -> None:
    """Let time pass, and the screen look at it as it does each second."""
    run.clock.skip(seconds)
    run.screen.changed()
    await pilot.pause()


async def test_a_question_that_nobody_looks_at_is_parked_and_never_under_somebodys_hands() -> None:
    async with running(driven(park_after="10m")) as (run, pilot):
        await ask(run, pilot)
        for key in ("down", "escape", "f2"):
            await later(run, pilot, 590)
            await pilot.press(key)
        await later(run, pilot, 590)
        assert not run.told.parked
        await later(run, pilot, 11)
        assert run.told.parked
        assert run.told.cause == "no answer for 10 min (park_after)"
        run.told.tell(RequestParked("toolu_1", deferred=True))
        run.told.tell(StateChanged(SessionState.PARKED))
        await until(pilot, lambda: "Parked after 10 min without an answer" in run.screen.transcript.text())
        assert run.told.answers == []


@pytest.mark.parametrize("what", ["park", "no_answer"])
async def test_the_last_minute_is_counted_down_and_the_question_ends_as_was_wanted(what: str) -> None:
    async with running(driven(question_timeout="5m", on_question_timeout=what)) as (run, pilot):
        await ask(run, pilot)
        await later(run, pilot, 200)
        assert "any key stops it" not in screen_text(run.app)
        await pilot.press("down", "space")
        await later(run, pilot, 255)
        words = "Parks in" if what == "park" else "Ends as “no answer” in"
        assert words in screen_text(run.app)
        await later(run, pilot, 46)
        if what == "park":
            assert run.told.parked
            assert run.told.cause == "no answer for 5 min (question_timeout)"
            assert run.told.answers == []
            return
        assert run.told.answers == [("toolu_1", Expired(), LIMIT)]
        await later(run, pilot, 5)
        assert len(run.told.answers) == 1
        assert not run.told.parked
        run.told.tell(RequestSettled("toolu_1", Expired(), LIMIT))
        await until(pilot, lambda: run.screen.dock.panel is None)
        # What had been selected is kept for the person, and is nobody's answer.
        assert "nobody answered in time; nothing was chosen · F8" in run.screen.dock.notices.text
        card = run.screen.transcript.text()
        assert NOT_IN_TIME in card
        assert "●" not in card.partition(NOT_IN_TIME)[2].partition("F8")[0]


async def test_a_session_that_nobody_uses_is_closed_with_a_line_and_goes_on_with_the_next_prompt() -> None:
    async with running(driven(session_timeout="1h")) as (run, pilot):
        await until(pilot, lambda: run.screen.view.session_id)
        await later(run, pilot, 3550)
        assert "Session ends in" in run.screen.dock.notices.text
        await pilot.press("x", "left")
        await later(run, pilot, 3000)
        assert run.screen.dock.notices.text == ""
        assert not run.told.closed
        await later(run, pilot, 601)
        assert run.told.closed
        assert run.told.cause == "no activity for 1 h (session_timeout)"
        run.told.tell(StateChanged(SessionState.ENDED))
        await until(pilot, lambda: "Closed after 1 h without activity" in run.screen.transcript.text())
        assert run.screen.dock.prompt.text == "x"
        await pilot.press("enter")
        await until(pilot, lambda: len(run.launches) == 2 and run.told.sent == ["x"])


async def test_a_session_that_gave_way_says_so_and_goes_on_with_the_next_prompt() -> None:
    async with running(driven()) as (run, pilot):
        await until(pilot, lambda: run.screen.view.session_id and run.screen.session.can_give_way)
        await say(pilot, run, "/theme")
        await picker(pilot)
        assert not run.session_screen.session.can_give_way, "a list is open"
        await pilot.press("escape")
        await until(pilot, lambda: run.session_screen.session.can_give_way)
        await pilot.press("x")
        assert run.screen.session.last_used >= run.screen.dock.prompt.last_typed
        run.screen.session.give_way()
        assert run.told.closed
        assert run.told.cause == "idle, while another session needed a process"
        assert not run.screen.session.can_give_way, "once is enough"
        run.told.tell(StateChanged(SessionState.ENDED))
        await until(pilot, lambda: "to make room for another session" in run.screen.transcript.text())
        assert run.screen.dock.prompt.text == "x"
        await pilot.press("enter")
        await until(pilot, lambda: len(run.launches) == 2 and run.told.sent == ["x"])


async def test_no_limit_passes_while_the_question_is_answered_in_the_inbox(tmp_path: Path) -> None:
    limits = Settings(cwd=tmp_path, question_timeout="5m", on_question_timeout="no_answer")
    run = Many(tmp_path, settings=limits)
    request = request_of("s1")
    async with run.app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: run.session_screen.view.session_id)
        told, session = run.all[0], run.session_screen.session
        told.tell(StateChanged(SessionState.AWAITING))
        told.tell(QuestionAsked(request))
        await until(pilot, lambda: panel_drawn(run.session_screen))
        await open_by_key(pilot, run)
        await pilot.press("right")
        await until(pilot, lambda: run.inbox_screen.panel)
        for key in ("down", "o", "x", "y"):
            await press_later(pilot, key, seconds=200)
            session.look()
        (opened,) = session.waiting
        run.clock.skip(301)
        session.look()
        assert await opened.outcome() == Expired()
