"""What is put off for a moment is done, however late the moment comes."""

from __future__ import annotations

import itertools

import pytest

from ccq_tui.agent.events import BlockGrew, BlockKey, BlockKind
from tests.ui.session import Driven, asked, until

KEY = BlockKey("msg_1", 0)


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let five milliseconds pass between any two looks of Textual's timers at the clock."""
    times = itertools.count(1.0, 0.005)
    monkeypatch.setattr("textual.timer._time.get_time", lambda: next(times))


async def test_text_and_a_question_are_shown_on_a_busy_machine(late: None) -> None:
    driven = Driven()

    def seen() -> str:
        return "\n".join(strip.text for strip in driven.app.screen._compositor.render_strips())

    async with driven.app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "❯" in seen())
        await pilot.press("x")
        for word in ("one", " two", " three"):
            driven.told.tell(BlockGrew(KEY, BlockKind.TEXT, word))
        await until(pilot, lambda: "one two three" in seen())
        driven.told.tell(asked())
        await until(pilot, lambda: "First" in seen())
