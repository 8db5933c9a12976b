"""A question that was answered before says so, in the session and in the inbox."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ccq_tui.config.settings import Settings
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Answer, Answered
from ccq_tui.screens.session import SessionScreen
from tests.actors import PANEL
from tests.ui.host import Clock, press_later
from tests.ui.inboxed import Many, left_behind, open_inbox, request_of
from tests.ui.session import until

SECOND = Answered((Answer(("Second",), note="it scales"),))


async def keep_answer(run: Many, where: Path, session: str) -> None:
    """Keep an answer that an earlier session got."""
    request = replace(request_of(session), tool_use_id="toolu_before", asker_id="before")
    request = replace(request, questions=replace(request.questions, id="toolu_before"))

    def keep(store: Store) -> None:
        store.sessions.upsert("before", str(where))
        store.requests.add(request)
        store.requests.settle(request.id, SECOND, PANEL)

    await run.app.runtime.inbox.run(keep)


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
