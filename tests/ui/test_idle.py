"""What a screen does while nobody does anything, counted: nothing that is not seen."""

from __future__ import annotations

import gc

import pytest
from textual.pilot import Pilot
from textual.timer import Timer
from textual.widgets import TextArea

from ccq_tui.agent.events import SessionState, StateChanged
from ccq_tui.widgets.panel import field
from tests.ui.session import Driven, until

BLINK = TextArea.__dict__["cursor_blink"]
"""As Textual has it: the other tests have no caret that blinks."""


def running(run: Driven) -> list[Timer]:
    """Return the timers that wake the program again and again."""
    pumps = [run.app, *run.app.screen.walk_children(with_self=True)]
    return [timer for pump in pumps for timer in pump._timers if timer._active.is_set()]


async def test_an_idle_session_counts_no_seconds(run: Driven, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
    run.screen.status.tick()
    await until(pilot, lambda: not running(run))
    run.told.tell(StateChanged(SessionState.WORKING))
    await until(pilot, lambda: run.screen.view.state is SessionState.WORKING)
    assert running(run), "how long it has been at work is shown"
    run.screen.status.tick()
    assert running(run)
    run.told.tell(StateChanged(SessionState.IDLE))
    await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
    run.screen.status.tick()
    await until(pilot, lambda: not running(run))


async def test_the_caret_blinks_for_a_while_after_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TextArea, "cursor_blink", BLINK)
    monkeypatch.setattr(field, "BLINK_SECONDS", 60.0)
    run = Driven()
    async with run.app.run_test() as pilot:
        run.app.animation_level = "full"
        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        caret = run.screen.dock.prompt.field
        run.screen.status.tick()
        await until(pilot, lambda: not running(run))
        assert caret._draw_cursor, "it stands still, and is seen"
        await pilot.press("a")
        assert caret.blink_timer in running(run)
        monkeypatch.setattr(field, "BLINK_SECONDS", 0.01)
        await pilot.press("b")
        await until(pilot, lambda: caret.blink_timer not in running(run))
        assert caret._draw_cursor


async def test_the_caret_is_where_the_keys_go(run: Driven, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
    prompt = run.screen.dock.prompt.field

    def drawn() -> list[object]:
        return [segment.style for segment in prompt.render_lines(prompt.size.region)[0]]

    await pilot.press("a", "b")
    with_caret = drawn()
    await pilot.press("ctrl+f")
    await until(pilot, lambda: run.app.focused is not prompt)
    assert drawn() != with_caret
    await pilot.press("escape")
    await until(pilot, lambda: run.app.focused is prompt)
    assert drawn() == with_caret


async def test_garbage_is_not_looked_for_in_what_was_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Driven()
    async with run.app.run_test():
        run.app._begun()
        searched = len(gc.get_objects())
        assert searched > 1_000, "tests come and go: what is loaded for one is not kept out"
        with monkeypatch.context() as patch:
            patch.setattr(type(run.app), "is_headless", property(lambda _: False))
            run.app._begun()
        assert len(gc.get_objects()) < searched // 10
