"""Keys that a person chose, in lists that have a screen of their own, and where they would edit a text."""

from __future__ import annotations

from pathlib import Path

import pytest

from ccq_tui.config.settings import Settings
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.screens.inbox.screen import InboxScreen
from ccq_tui.screens.overview.screen import OverviewScreen
from ccq_tui.screens.session import SessionScreen
from tests.ui.host import Clock, press_later
from tests.ui.inboxed import Many, left_behind, state_of
from tests.ui.running import running
from tests.ui.session import until

KEYS: dict[str, str] = {"preset": "vim", "panel": "f9", "overview": "f7"}


async def test_what_shows_and_declines_in_the_inbox_has_the_keys_that_were_chosen(tmp_path: Path) -> None:
    clock = Clock()
    run = Many(tmp_path, settings=Settings(cwd=tmp_path, keys=KEYS), clock=clock)
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.session_screen.view.session_id)
        request = await left_behind(run, tmp_path, "old")
        for key in ("f9", "f9", "f9"):  # shown, left by its own key, shown
            before = run.app.screen
            await press_later(pilot, key, seconds=2.0)
            await until(pilot, lambda before=before: run.app.screen is not before)
        await until(pilot, lambda: len(run.inbox_screen.state.rows) == 1)
        await until(pilot, lambda: "Ctrl+X decline" in run.hints())
        await pilot.press("ctrl+d")  # half a page down
        assert not run.inbox_screen.declining
        await pilot.press("ctrl+x")
        assert run.inbox_screen.declining
        await press_later(pilot, "ctrl+x")
        await until(pilot, lambda: run.inbox_screen.state.rows == ())
        assert await state_of(run, request.id) is RequestState.DECLINED


@pytest.mark.parametrize("key", ["f7", "ctrl+k"])
async def test_a_key_that_was_chosen_does_not_edit_the_prompt(tmp_path: Path, key: str) -> None:
    run = Many(tmp_path, settings=Settings(cwd=tmp_path, keys={"overview": key}))
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.session_screen.view.session_id)
        await pilot.press("h", "i", "left", key)
        await until(pilot, lambda: isinstance(run.app.screen, OverviewScreen))
        await pilot.press(key)
        await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))
        await pilot.press("!")
        assert run.screen.dock.prompt.text == "h!i"


async def test_the_overview_has_the_keys_that_were_chosen(tmp_path: Path) -> None:
    async with running(Many(tmp_path, settings=Settings(cwd=tmp_path, keys=KEYS))) as (run, pilot):
        await until(pilot, lambda: run.session_screen.view.session_id)
        await pilot.press("f7")
        await until(pilot, lambda: isinstance(run.app.screen, OverviewScreen))
        await pilot.press("f5", "f2")
        hints = str(run.app.screen.query_one("HintBar").render())
        assert "F9 inbox" in hints
        await pilot.press("f9")
        await until(pilot, lambda: isinstance(run.app.screen, InboxScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))
        await pilot.press("f7")
        await until(pilot, lambda: isinstance(run.app.screen, OverviewScreen))
        await pilot.press("f7")
        await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))
