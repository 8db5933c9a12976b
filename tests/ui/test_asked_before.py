"""A question that was answered before says so, in the session and in the inbox."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from ccq_tui.config.settings import Settings
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Answer, Answered
from ccq_tui.questions.recalled import Recalled
from ccq_tui.questions.state import PanelState
from ccq_tui.screens.session import SessionScreen
from ccq_tui.widgets.hints import HintBar
from tests.actors import PANEL
from tests.ui.asked import SINGLE
from tests.ui.host import Clock, PanelHost, press_later
from tests.ui.inboxed import Many, left_behind, open_inbox, request_of
from tests.ui.pictures import Pictures
from tests.ui.running import running
from tests.ui.session import panel_drawn, until

SECOND = Answered((Answer(("Second",), note="it scales"),))


async def keep_answer(run: Many, where: Path, session: str) -> None:
    """Keep an answer that an earlier session got."""
    request = replace(request_of(session), tool_use_id="toolu_before", asker_id="before")
    request = replace(request, questions=replace(request.questions, id="toolu_before"))

    def keep(store: Store) -> None:
        store.sessions.upsert("before", str(where))
        store.requests.add(request)
        store.requests.settle(request.id, SECOND, PANEL)

    await run.app.inbox.run(keep)


async def test_a_session_says_it_and_takes_it_over_by_a_key(tmp_path: Path) -> None:
    async with running(Many(tmp_path, clock=Clock())) as (run, pilot):
        await until(pilot, lambda: run.session_screen.view.session_id)
        await keep_answer(run, tmp_path, "s1")
        asking = asyncio.ensure_future(run.all[0].ask_person())
        await until(pilot, lambda: panel_drawn(run.session_screen))
        panel = run.session_screen.dock.panel
        assert isinstance(panel.state, PanelState)
        assert panel.state.recalled[0].answer == SECOND.answers[0]  # type: ignore[union-attr]
        assert not panel.state.has_draft, "nothing is selected by itself"
        await press_later(pilot, "r", seconds=2.0)
        await until(pilot, lambda: panel.state.page.answered)
        assert run.all[0].answers == [], "nothing is confirmed by it"
        await press_later(pilot, "enter", seconds=2.0)
        await until(pilot, lambda: run.all[0].answers == [("toolu_s1", SECOND, PANEL)])
        asking.cancel()


async def test_the_inbox_says_it_too_and_a_setting_turns_it_off(tmp_path: Path) -> None:
    for recalls in (True, False):
        where = tmp_path / str(recalls)
        where.mkdir()
        run = Many(where, settings=Settings(cwd=where, recall_answers=recalls), clock=Clock())
        async with run.app.run_test(size=(80, 24)) as pilot:
            await keep_answer(run, where, "old")
            await left_behind(run, where)
            await open_inbox(pilot, run, 1)
            await pilot.press("a")
            await until(pilot, lambda: run.inbox_screen.panel)  # noqa: B023
            panel = run.inbox_screen.panel
            assert bool(panel.state.recalled) is recalls
            await press_later(pilot, "r", seconds=2.0)
            await until(pilot, lambda: panel.state.has_draft)  # noqa: B023
            first = panel.state.pages[0].draft
            assert (first.selected, first.other) == (((1,), "") if recalls else ((), "r"))
            await pilot.press("escape", "escape", "escape")
            await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))  # noqa: B023


async def test_pictures(pictures: Pictures) -> None:
    for size, name in (((80, 24), "usual"), ((40, 12), "small")):
        app = PanelHost(SINGLE)
        async with app.run_test(size=size) as pilot:
            state = app.panel.state
            before = Recalled(Answer(("SQLite",), note="the service is small"), "on 3 Nov")
            app.panel.rest()
            app.panel.begin(replace(state, recalled=(before,)))
            await pilot.pause()
            app.panel.query_one(HintBar).wake()
            await pilot.pause()
            pictures.compare(app.export_screenshot(simplify=True), name)
