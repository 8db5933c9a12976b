"""Pictures of the main screen with a piece of work and a question: every theme, and every size in one."""

from __future__ import annotations

from pathlib import Path

from ccq_tui.agent.events import SessionState, StateChanged
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.theming import load_themes
from tests.ui.host import Clock
from tests.ui.pictures import Pictures
from tests.ui.scene import QUESTION, WORK
from tests.ui.session import Driven, asked, panel_drawn, until

THEMES = [theme.name for theme in load_themes()[0]]
SIZES = [(80, 24), (40, 12), (160, 50), (250, 80)]


async def test_in_every_theme_and_at_every_size(pictures: Pictures) -> None:
    clock = Clock()
    run = Driven(Launch(settings=Settings(cwd=Path("/usr"), theme=THEMES[0])), clock=clock)
    async with run.app.run_test(size=SIZES[0]) as pilot:
        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        for event in (*WORK, StateChanged(SessionState.AWAITING), asked("toolu_1", QUESTION)):
            run.told.tell(event)
        await until(pilot, lambda: panel_drawn(run.screen))
        clock.skip_grace()
        run.screen.dock.panel.query_one("HintBar").wake()  # type: ignore[union-attr]
        await pilot.press("space", "down")
        await until(pilot, lambda: run.screen.dock.panel.state.page.draft.selected)  # type: ignore[union-attr]
        run.screen.changed()
        for theme in THEMES:
            run.app.theme = theme
            for width, height in SIZES if theme == "ccq-dark" else SIZES[:1]:
                await pilot.resize_terminal(width, height)
                await pilot.pause(0.1)
                await pictures.keep(pilot, f"{width}x{height}-{theme}")
