"""Panels that are used for one request after the other, and what an answer waits for."""

from __future__ import annotations

import asyncio
from typing import Any

from textual import events
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot

from ccq_tui.agent.events import PermissionAsked, RequestSettled, SessionState, StateChanged
from ccq_tui.inbox.requests import Allowed, Cancelled, RequestOutcome
from ccq_tui.inbox.verdicts import Verdict
from ccq_tui.questions import Answered, Kind, Question
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.notice_line import NoticeLine
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.question import QuestionPanel
from tests.ui.host import Clock
from tests.ui.pictures import rests
from tests.ui.session import Driven, ToldRequests, asked, keys_work, permission, until

WISH = Question("What shall it be called?", "Name", kind=Kind.TEXT)


async def make_ready(run: Driven, pilot: Pilot[int]) -> list[RequestPanel[Any]]:
    """Let the agent work, and wait for the panels that are made meanwhile."""
    run.told.tell(StateChanged(SessionState.WORKING))
    await until(pilot, lambda: len(run.screen.query(RequestPanel)) == 2)
    await until(pilot, lambda: all(panel._ready for panel in run.screen.query(RequestPanel)))
    return list(run.screen.query(RequestPanel))


async def settled(run: Driven, pilot: Pilot[int]) -> RequestOutcome:
    """Wait until the first answer has left the screen; tell that it is settled."""
    await until(pilot, lambda: run.told.answers)
    name, outcome, actor = run.told.answers.pop(0)
    run.told.tell(RequestSettled(name, outcome, actor))
    await until(pilot, lambda: run.screen.dock.prompt.display or run.screen.dock.panel)
    return outcome


async def test_requests_find_their_panels_made(monkeypatch: Any) -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        made = await make_ready(run, pilot)
        assert [type(panel) for panel in made] == [QuestionPanel, DecisionPanel]
        assert not any(panel.display for panel in made)
        assert run.screen.dock.panel is None
        looked_up: list[Any] = []
        apply, transcript = Stylesheet.apply, run.screen.transcript

        def noted(sheet: Stylesheet, node: Any, **how: Any) -> None:
            looked_up.append(node)
            apply(sheet, node, **how)

        monkeypatch.setattr(Stylesheet, "apply", noted)
        for number in range(2):
            for event, panel in (
                (asked(f"q{number}"), made[0]),
                (PermissionAsked(permission(f"p{number}")), made[1]),
            ):
                await until(pilot, lambda: rests(transcript))  # what became of the one before is drawn
                looked_up.clear()
                styled = transcript.counters.styled
                run.told.tell(event)
                await until(pilot, lambda: run.screen.dock.panel is not None)
                assert run.screen.dock.panel is panel, (number, event)
                await until(pilot, lambda: run.screen.focused is run.screen.dock.panel)
                assert not [node for node in looked_up if not isinstance(node, NoticeLine)], (number, event)
                # The lines of the transcript are those that were there, and what is told of the request.
                assert transcript.counters.styled - styled <= 5, (number, event)
                await keys_work(run, pilot)
                await pilot.press("enter" if isinstance(event, PermissionAsked) else "1", "enter")
                await settled(run, pilot)
        assert list(run.screen.query(RequestPanel)) == made


async def test_an_answer_goes_before_anything_is_drawn(monkeypatch: Any) -> None:
    drawn: list[str] = []
    when_answered: list[tuple[bool, int]] = []

    class Watched(ToldRequests):
        def answer(self, *answer: Any) -> asyncio.Future[Verdict]:
            panel = run.screen.query_one(QuestionPanel)
            when_answered.append((panel.display, len(drawn)))
            return super().answer(*answer)

    run = Driven()
    async with run.app.run_test() as pilot:
        run.told.requests = Watched()
        run.told.tell(asked("q1"))
        await keys_work(run, pilot)
        await pilot.press("1")
        await pilot.pause()  # all of it is drawn
        refresh = run.screen._compositor_refresh

        def paint() -> None:
            drawn.append("paint")
            refresh()

        monkeypatch.setattr(run.screen, "_compositor_refresh", paint)
        await pilot.press("enter")
        await until(pilot, lambda: run.screen.dock.prompt.display)
        assert when_answered == [(True, 0)]
        assert not run.screen.query_one(QuestionPanel).display
        assert run.told.answers[0][0] == "q1"
        assert isinstance(run.told.answers[0][1], Answered)


async def test_what_is_typed_right_after_an_answer_stays_in_the_prompt() -> None:
    run = Driven(clock=Clock())  # what is typed is typed without a pause, however long it takes
    async with run.app.run_test() as pilot:
        for name in ("q1", "q2"):
            run.clock.skip(1.0)
            run.told.tell(asked(name))
            await keys_work(run, pilot)
            await pilot.press("1")
            for event in (
                events.Key("enter", "\r"),
                events.Key("o", "o"),
                events.Paste("k, so"),
                events.Key("enter", "\r"),
            ):
                run.app.post_message(event)
            outcome = await settled(run, pilot)
            assert isinstance(outcome, Answered), name
            assert outcome.answers[0].selected == ("First",), name
            await until(pilot, lambda: run.screen.dock.prompt.text == "ok, so")
            assert run.told.sent == [], name
            run.screen.dock.prompt.put("")


async def test_nothing_of_a_request_reaches_the_next_one_in_its_panel() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        run.told.tell(asked("q1", WISH))
        await keys_work(run, pilot)
        await pilot.press("s", "e", "c", "r", "e", "t", "backspace", "backspace")
        panel = run.screen.dock.panel
        assert isinstance(panel, QuestionPanel)
        assert panel.state.text == "secr"
        # Settled elsewhere in the moment in which it is answered here and edited.
        panel.post_message(RequestPanel.EditorWanted(panel, "secr"))
        for key in ("x", "enter"):
            panel.post_message(events.Key(key, "\r" if key == "enter" else key))
        run.screen.dock.withdraw("q1@id-1")
        run.screen.dock.add(run.told.requests.ask(asked("q2", WISH).request))
        run.screen.dock.toggle_panel()
        await pilot.pause()
        assert run.screen.dock.panel is panel
        assert panel.turn > 1
        assert panel.state.questions.id == "q2"
        assert panel.state.text == ""
        assert panel.state.outcome is None
        assert run.told.answers == []
        await pilot.press("ctrl+underscore")
        assert panel.state.text == ""
        run.told.tell(RequestSettled("q2", Cancelled("interrupted")))
        await until(pilot, lambda: run.screen.dock.panel is None)
        assert panel.state.questions.id == ""
        assert panel.touched is None


async def test_another_title_or_focus_draws_no_whole_screen(monkeypatch: Any) -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        await make_ready(run, pilot)
        whole: list[str] = []
        refresh = run.screen.refresh

        def noted(*regions: Any, **how: Any) -> Any:
            if not regions and not how.get("layout"):
                whole.append("whole")
            return refresh(*regions, **how)

        monkeypatch.setattr(run.screen, "refresh", noted)
        title = run.screen.status.title
        run.told.tell(PermissionAsked(permission()))
        await keys_work(run, pilot)
        assert run.screen.status.title != title
        assert run.screen.focused is run.screen.dock.panel
        await pilot.press("enter")
        assert isinstance(await settled(run, pilot), Allowed)
        assert whole == []
