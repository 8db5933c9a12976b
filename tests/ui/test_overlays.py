"""Screens over a session are left once, however fast keys follow one another."""

from __future__ import annotations

import pytest
from textual import events
from textual.pilot import Pilot

from ccq_tui.agent.events import SessionState
from ccq_tui.screens.inbox.inbox_feed import InboxFeed
from ccq_tui.screens.overview.screen import CardFeed
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.session_manager import SessionManager
from tests.ui.session import Driven, until


@pytest.mark.parametrize("opened_by", ["f1", "f5", "ctrl+n", "ctrl+p", "f3", "f2"])
async def test_what_is_opened_and_left_in_one_burst_is_gone(
    opened_by: str, run: Driven, pilot: Pilot[int]
) -> None:
    await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
    for key in (opened_by, opened_by, "escape", "escape", "escape"):
        run.app.post_message(events.Key(key, None))
    await pilot.pause()
    while not isinstance(run.app.screen, SessionScreen):
        over = run.app.screen
        await pilot.press("escape")
        await until(pilot, lambda: run.app.screen is not over)  # noqa: B023
    await pilot.press("x")
    await until(pilot, lambda: run.screen.dock.prompt.text == "x")


async def test_work_that_fails_over_a_session_is_logged_and_said_in_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def surprise(*_: object) -> None:
        raise RuntimeError("surprise")

    run = Driven()
    monkeypatch.setattr(InboxFeed, "read_all", surprise)
    monkeypatch.setattr(CardFeed, "read_all", surprise)
    monkeypatch.setattr(SessionManager, "open_another", surprise)
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        for key, work in (("f2", "inbox list"), ("f5", "overview"), ("ctrl+n", "new session")):
            await pilot.press(key)
            await until(pilot, lambda: f"ccq-tui ({work})" in run.session_screen.transcript.text())  # noqa: B023
            while not isinstance(run.app.screen, SessionScreen):
                await pilot.press("escape")
    assert caplog.text.count("RuntimeError: surprise") == 3


@pytest.mark.parametrize("opened_by", ["f1", "f5", "ctrl+p", "f2"])
async def test_what_is_typed_right_behind_the_key_that_leaves_a_list_is_the_prompts(
    opened_by: str, run: Driven, pilot: Pilot[int]
) -> None:
    await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
    await pilot.press(opened_by)
    await until(pilot, lambda: not isinstance(run.app.screen, SessionScreen))
    await pilot.pause()
    run.app.post_message(events.Key("escape", None))
    for key in "typed":
        run.app.post_message(events.Key(key, key))
    run.app.post_message(events.Paste(" and pasted"))
    await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))
    await until(pilot, lambda: run.screen.dock.prompt.text == "typed and pasted")
