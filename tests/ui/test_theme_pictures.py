"""Pictures of the main screen with a piece of work and a question: every theme, every size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from ccq_tui.agent.events import SessionState, StateChanged
from ccq_tui.config import Launch, Settings
from ccq_tui.theming import load_themes
from tests.ui.host import Clock
from tests.ui.scene import QUESTION, WORK
from tests.ui.session import Driven, asked, until

Compare = Callable[..., bool]


def compare(snap_compare: Compare, size: tuple[int, int], theme: str) -> bool:
    clock = Clock()
    run = Driven(Launch(settings=Settings(cwd=Path("/usr"), theme=theme)), clock=clock)

    async def before(pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        for event in (*WORK, StateChanged(SessionState.AWAITING), asked("toolu_1", QUESTION)):
            run.told.tell(event)
        await until(pilot, lambda: run.screen.dock.panel and run.screen.dock.panel.state.shown_at)
        clock.skip_grace()
        run.screen.dock.panel.query_one("HintBar").wake()  # type: ignore[union-attr]
        await pilot.press("space", "down")
        await until(pilot, lambda: run.screen.dock.panel.state.page.draft.selected)  # type: ignore[union-attr]
        run.screen.changed()
        await pilot.pause(0.2)

    return snap_compare(run.app, terminal_size=size, run_before=before)


SIZES = [(40, 12), (80, 24), (160, 50), (250, 80)]


@pytest.mark.parametrize("theme", [theme.name for theme in load_themes()[0]])
@pytest.mark.parametrize("size", SIZES, ids=["40x12", "80x24", "160x50", "250x80"])
def test_in_every_theme_at_every_size(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    assert compare(snap_compare, size, theme)
