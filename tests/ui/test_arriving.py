"""A question set on the screen while it is still being written."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest
from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.inbox import waiting_line
from ccq_tui.inbox.requests import Allowed, Cancelled, QuestionRequest
from ccq_tui.questions import Answer, Answered, Question
from ccq_tui.questions.merge_partial import BACK_AGAIN, NOT_COMPLETE
from ccq_tui.questions.parse import parse_question_set
from ccq_tui.questions.partial_parse import ArrivingSet
from ccq_tui.questions.state import Arriving, PanelState
from ccq_tui.testing.tool_input import question_set_input
from ccq_tui.widgets.question import QuestionPanel
from tests.actors import PANEL, PHONE
from tests.ui.asked import MULTI, RECOMMENDED, SINGLE
from tests.ui.host import Clock, PanelHost, press_later
from tests.ui.pictures import Pictures
from tests.ui.running import running
from tests.ui.session import Driven, keys_work, panel_drawn, permission, until


def told(name: str, *questions: Question, size: int = 24) -> Iterator[ev.QuestionArriving]:
    """What is told of a set, and last that all of it is here."""
    source = question_set_input(questions)
    text, arriving = json.dumps(source), ArrivingSet(name)
    for at in range(0, len(text), size):
        arriving.feed(text[at : at + size])
        if look := arriving.look():
            yield ev.QuestionArriving(QuestionRequest(name, "id-1", look.questions), Arriving(look.complete))
    whole = QuestionRequest(name, "id-1", parse_question_set(name, source))
    yield ev.QuestionArriving(whole, Arriving(len(questions), whole=True))


def panel_of(run: Driven) -> QuestionPanel:
    panel = run.session_screen.dock.panel
    assert isinstance(panel, QuestionPanel)
    return panel


def state_of(run: Driven) -> PanelState:
    return panel_of(run).state


async def test_sets_on_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_line, "HELD_UP_SECONDS", 0.0)
    async with running(Driven(clock=Clock())) as (run, pilot):
        await until(pilot, lambda: run.screen.view.state is ev.SessionState.IDLE)
        for part in (
            a_set_is_answered_as_it_comes,
            a_set_comes_to_nothing_and_again,
            a_set_that_is_held_up_makes_way,
            typing_goes_on_while_a_set_comes,
        ):
            await part(run, pilot)
            run.told.answers.clear()
            run.screen.dock.prompt.put("")
            run.clock.skip(1.0)


async def a_set_is_answered_as_it_comes(run: Driven, pilot: Pilot[int]) -> None:
    events = list(told("r1", SINGLE, MULTI))
    run.told.tell(events[0])
    await keys_work(run, pilot)
    assert run.screen.dock.line.summary() == "1 question arriving"
    assert not run.screen.waiting.items
    assert "? 1" not in run.screen.status.title
    await pilot.press("1", "n", "s", "o")
    for event in events[1:6]:
        run.told.tell(event)
    await until(pilot, lambda: state_of(run).questions == events[5].request.questions)
    await pilot.press("o", "n", "enter", "enter")
    assert state_of(run).aside == NOT_COMPLETE
    assert not run.told.answers
    for event in events[6:]:
        run.told.tell(event)
    await until(pilot, lambda: len(state_of(run).pages) == 2)
    await pilot.press("tab", "2", "3", "enter", "enter")
    assert not run.told.answers
    asked, inbox = events[-1].request, run.app.runtime.inbox
    asking = asyncio.ensure_future(inbox.ask(asked))
    await until(pilot, lambda: inbox.pending)
    run.told.tell(ev.QuestionAsked(asked))
    await until(pilot, lambda: run.screen.waiting.items)
    assert "? 1" in str(run.screen.status.title)
    opened = inbox.known(asked.id)
    await until(pilot, lambda: isinstance(opened.draft, PanelState))
    assert opened.draft.pages[0].draft.note == "soon", "what was typed as it came is kept once it is asked"
    await press_later(pilot, "enter")
    first, second = Answer(("PostgreSQL",), note="soon"), Answer(("Cache", "Logs"))
    assert await asking == Answered((first, second))
    assert opened.stored.actor == PANEL


async def a_set_comes_to_nothing_and_again(run: Driven, pilot: Pilot[int]) -> None:
    *_, event, _whole = told("r2", SINGLE)
    run.told.tell(event)
    await keys_work(run, pilot)
    await pilot.press("2", "n", "h", "i", "enter")
    run.told.tell(ev.ArrivingEnded("r2", "its stream broke"))
    await until(pilot, lambda: run.screen.dock.panel is None)
    assert "The question was closed: its stream broke" in run.screen.dock.notices.text
    await pilot.press("x")
    assert run.screen.dock.prompt.text == "x"
    run.clock.skip(2.0)
    run.told.tell(event)  # it would be another name; what counts is the question
    await keys_work(run, pilot)
    assert not state_of(run).page.draft.selected
    assert run.screen.dock.notices.text == ""
    run.told.tell(ev.QuestionAsked(list(told("r2", SINGLE))[-1].request))
    await until(pilot, lambda: state_of(run).arriving is None)
    assert state_of(run).aside == BACK_AGAIN
    await press_later(pilot, "enter")
    await until(pilot, lambda: run.told.answers)
    assert run.told.answers[0][1] == Answered((Answer(("SQLite",), note="hi"),))
    run.told.tell(ev.QuestionAsked(list(told("r3", SINGLE))[-1].request))
    await keys_work(run, pilot)
    assert not state_of(run).has_draft  # what was answered is no draft any more
    run.told.tell(ev.RequestSettled("r3", Cancelled("over")))
    await until(pilot, lambda: run.screen.dock.panel is None)


async def a_set_that_is_held_up_makes_way(run: Driven, pilot: Pilot[int]) -> None:
    *_, event, whole = told("r4", SINGLE)
    run.told.tell(event)
    await keys_work(run, pilot)
    await pilot.press("2")
    run.told.tell(ev.PermissionAsked(permission("p1")))
    await until(pilot, lambda: len(run.screen.dock.line.items) == 2)
    assert isinstance(run.screen.dock.panel, QuestionPanel)
    run.told.tell(whole)
    await until(pilot, lambda: run.screen.dock.line.held_up)
    await pilot.pause(0.05)  # it would have made way by now
    assert isinstance(run.screen.dock.panel, QuestionPanel), "somebody is typing in it"
    run.clock.skip(1.0)
    await until(pilot, lambda: not isinstance(run.screen.dock.panel, QuestionPanel | None))
    assert run.screen.dock.line.items[0].request.tool_use_id == "p1"
    run.told.tell(ev.RequestSettled("p1", Allowed(), PHONE))
    await until(pilot, lambda: isinstance(run.screen.dock.panel, QuestionPanel))
    assert state_of(run).page.draft.selected == (1,)
    run.told.tell(ev.ArrivingEnded("r4", "over"))
    await until(pilot, lambda: run.screen.dock.panel is None)


async def typing_goes_on_while_a_set_comes(run: Driven, pilot: Pilot[int]) -> None:
    await pilot.press("h", "e")
    events = list(told("r5", RECOMMENDED, size=80))
    for event in events:
        run.told.tell(event)
        await pilot.press("y")
    await until(pilot, lambda: "1 question arriving" in run.screen.dock.notices.text)
    assert run.screen.dock.panel is None
    assert run.screen.dock.prompt.text == "he" + "y" * len(events)
    run.told.tell(ev.QuestionAsked(events[-1].request))
    run.clock.skip(2.0)
    await until(pilot, lambda: panel_drawn(run.screen))
    assert state_of(run).page.cursor == 1  # nobody looked at it before: it opens on the recommendation


def at(share: float, *questions: Question) -> ev.QuestionArriving:
    events = list(told("toolu_1", *questions, size=4))
    return events[int(len(events) * share)]


async def test_pictures(pictures: Pictures) -> None:
    app = PanelHost(SINGLE)

    async def grow(event: ev.QuestionArriving) -> None:
        app.panel.grow(event.request.questions, event.arriving)
        await pilot.pause()

    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.put(SINGLE)
        await grow(at(0.25, SINGLE, MULTI))
        await pilot.press("2", "enter")
        pictures.compare(app.export_screenshot(simplify=True), "selected")
        await grow(at(0.7, SINGLE, MULTI))
        await pilot.press("tab", "space", "tab", "enter")
        pictures.compare(app.export_screenshot(simplify=True), "review")
        await pilot.resize_terminal(40, 12)
        await pilot.put(SINGLE)
        await grow(at(0.25, SINGLE, MULTI))
        await pilot.press("2", "enter")
        pictures.compare(app.export_screenshot(simplify=True), "low")
