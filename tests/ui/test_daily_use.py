"""What a day of work by keys alone brought up, on one screen."""

from __future__ import annotations

from ccq_tui.widgets.prompt import Prompt
from tests.ui.session import Driven, until


async def test_a_backslash_and_enter_begin_a_new_line() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.session and run.screen.dock.prompt.field.has_focus)
        prompt: Prompt = run.screen.dock.prompt
        await pilot.press("a", "backslash", "enter", "b")
        assert prompt.text == "a\nb"
        await pilot.press("up", "backslash", "backslash", "left", "left", "enter", "enter")
        assert run.told.sent == ["a\\\\\nb"]  # only right before the caret
