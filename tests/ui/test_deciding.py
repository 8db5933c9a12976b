"""Shift+Tab in the prompt changes the permission mode; in a panel it stays the panel's."""

from __future__ import annotations

from pathlib import Path

from ccq_tui.agent.events import ErrorReported, ModeChanged, ModelChoice, ModelsListed
from ccq_tui.config import Launch, Settings
from ccq_tui.widgets.status_line import StatusLine
from tests.ui.session import Driven, asked, until


def modes(run: Driven) -> list[object]:
    return [value for name, value in run.told.set if name == "mode"]


async def test_the_key_goes_round_and_the_status_follows() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.screen.view.mode == "default")
        await pilot.press("h", "shift+tab")
        assert "edits files unasked" in run.screen.dock.notices.text
        await pilot.press("shift+tab")
        assert modes(run) == ["acceptEdits", "plan"], "the CLI's yes is not waited for"
        run.told.tell(ModeChanged("acceptEdits"))
        run.told.tell(ModeChanged("plan"))
        await until(pilot, lambda: "plan mode" in str(run.screen.query_one(StatusLine).render()))
        await pilot.press("shift+tab", "i")
        assert modes(run)[2:] == ["default"]
        assert run.screen.dock.prompt.text == "hi"


async def test_auto_is_offered_where_the_cli_has_it_and_left_out_when_refused() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        run.told.tell(ModelsListed((ModelChoice("opus", "Opus", auto_mode=True),)))
        run.told.tell(ModeChanged("plan"))
        await until(pilot, lambda: run.screen.view.mode == "plan")
        await pilot.press("shift+tab")
        assert modes(run) == ["auto"]
        run.told.tell(ErrorReported("mode", "The mode is not auto: no"))
        await until(pilot, lambda: "The mode is not auto" in run.screen.transcript.text())
        await pilot.press("shift+tab")
        assert modes(run) == ["auto", "default"]


async def test_bypassing_is_gone_back_to_only_where_it_was_started_with() -> None:
    settings = Settings(cwd=Path("/"), permission_mode="bypassPermissions")
    run = Driven(Launch(settings=settings))
    async with run.app.run_test() as pilot:
        run.told.tell(ModeChanged("plan"))
        await until(pilot, lambda: run.screen.view.mode == "plan")
        await pilot.press("shift+tab")
        assert modes(run) == ["bypassPermissions"]
        run.told.tell(ModeChanged("bypassPermissions"))
        await until(pilot, lambda: "BYPASS" in str(run.screen.query_one(StatusLine).render()))


async def test_in_a_panel_the_key_is_the_panels() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        run.told.tell(asked())
        await until(pilot, lambda: run.screen.dock.panel and run.screen.dock.panel.has_focus)
        await pilot.press("shift+tab")
        assert modes(run) == []
        await pilot.press("f2", "shift+tab")
        assert modes(run) == ["acceptEdits"]
