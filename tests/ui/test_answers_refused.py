"""An answer that the inbox did not keep is not lost: its question is there again, with what was selected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent.events import QuestionAsked, SessionState, StateChanged
from ccq_tui.inbox.verdicts import InboxUnavailable
from ccq_tui.questions import Answer, Answered
from ccq_tui.questions.state import PanelState
from tests.actors import PANEL
from tests.ui.host import press_later
from tests.ui.inboxed import Many, left_behind, open_by_key, open_inbox, request_of
from tests.ui.running import running
from tests.ui.session import SESSION_ID, Driven, keys_work, panel_drawn, until

FIRST = Answered((Answer(("First",)),))


async def refuses(*_: Any) -> None:
    raise InboxUnavailable("the disk is full")


async def test_the_panel_of_the_session_comes_back() -> None:
    run = Driven()
    request = request_of(SESSION_ID)
    async with run.app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: run.session_screen.view.session_id)
        session, screen = run.told, run.session_screen
        session.tell(StateChanged(SessionState.AWAITING))
        session.tell(QuestionAsked(request))
        await keys_work(run, pilot)
        await pilot.press("1", "enter")
        await until(pilot, lambda: session.answers and screen.dock.panel is None)
        session.requests.refuse(request.id, InboxUnavailable("the disk is full"))
        await until(pilot, lambda: screen.dock.panel is not None)
        state = screen.dock.panel.state if screen.dock.panel else None
        assert isinstance(state, PanelState)
        assert state.pages[0].draft.selected == (0,)
        assert "The answer was not kept: the disk is full" in screen.transcript.text()
        assert screen.session.waiting
        await keys_work(run, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: len(session.answers) == 2)
        assert session.answers[-1] == (request.tool_use_id, FIRST, PANEL)


@pytest.mark.parametrize("here", [False, True])
async def test_the_panel_of_the_inbox_can_be_opened_and_answered_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: bool
) -> None:
    async with running(Many(tmp_path)) as (run, pilot):
        await until(pilot, lambda: run.session_screen.view.session_id)
        if here:
            request = request_of("s1")
            await run.app.runtime.inbox.run(lambda store: store.requests.add(request, ""))
            run.all[0].tell(StateChanged(SessionState.AWAITING))
            run.all[0].tell(QuestionAsked(request))
            await until(pilot, lambda: panel_drawn(run.session_screen))
            await open_by_key(pilot, run)
        else:
            request = await left_behind(run, tmp_path)
            await open_inbox(pilot, run, 1)
        with monkeypatch.context() as refused:
            refused.setattr(run.app.runtime.inbox, "answer", refuses)
            await pilot.press("right")
            await until(pilot, lambda: run.inbox_screen.panel)
            await pilot.press("1", "enter")
            await until(pilot, lambda: "the disk is full" in run.said())
        await press_later(pilot, "right", seconds=5)
        await until(pilot, lambda: run.inbox_screen.panel)
        panel = run.inbox_screen.panel
        assert isinstance(panel.state, PanelState)
        assert panel.state.pages[0].draft.selected == (0,)
        await press_later(pilot, "enter", seconds=5)
        await until(pilot, lambda: run.inbox_screen.panel is None)
        await until(pilot, lambda: "continues" in run.said() or "starts" in run.said())
        stored = await run.app.runtime.inbox.run(lambda store: store.requests.get(request.id))
        assert stored.outcome == FIRST
