"""A picture of the panel in each of its states."""

from __future__ import annotations

from collections.abc import Iterable

from ccq_tui.questions import Question
from ccq_tui.widgets.hints import HintBar
from tests.ui.asked import CITIES, DAYS, MULTI, NAME, PREVIEWED, RECOMMENDED, SINGLE
from tests.ui.host import PanelHost
from tests.ui.pictures import Pictures

ALL = (RECOMMENDED, MULTI, PREVIEWED, DAYS)
MANY_KEYS = ("2", "tab", "1", "3", "o", *"dark mode", "enter", "up", "n", *"keep it small", "enter")
ANSWER_ALL = (*MANY_KEYS, "tab", "1", "tab", "enter")
STATES: dict[str, tuple[tuple[Question, ...], tuple[str, ...]]] = {
    "single_selected": ((RECOMMENDED,), ("1",)),
    "elsewhere": ((SINGLE,), ("o", *"MySQL", "escape", "up")),
    "multi_selected": ((MULTI, SINGLE), ("1", "down", "down", "space", "o", *"dark mode", "enter", "up")),
    "filter_open": ((CITIES,), ("slash", *"city")),
    "preview_scrolled": ((PREVIEWED,), ("down", "shift+down", "shift+down")),
    "preview_large": ((PREVIEWED,), ("down", "p")),
    "discuss_open": ((SINGLE, MULTI), ("c", *"Neither: what about SQLite", "ctrl+j", *"and no cache?")),
    "decline_asked": ((SINGLE, MULTI), ("1", "ctrl+d")),
    "review_complete": (ALL, ANSWER_ALL),
    "review_gaps": ((SINGLE, RECOMMENDED, MULTI), ("1", "tab", "tab", "enter")),
    "text_answered": ((NAME, SINGLE), (*"tidy-bookmarks", "escape")),
    "number_error": ((DAYS, SINGLE), (*"400", "enter")),
}
LIGHT = ("elsewhere", "multi_selected", "review_gaps")


async def keep(pictures: Pictures, states: Iterable[str], theme: str) -> None:
    """Keep a picture of each state, all of one program."""
    app = PanelHost(NAME, theme=theme)
    async with app.run_test() as pilot:
        for state in states:
            questions, keys = STATES[state]
            await pilot.put(*questions, session="")
            await pilot.press(*("space" if key == " " else key for key in keys))
            app.panel.query_one(HintBar).wake()
            await pilot.pause()
            pictures.compare(app.export_screenshot(simplify=True), state)


async def test_dark(pictures: Pictures) -> None:
    await keep(pictures, STATES, "ccq-dark")


async def test_light(pictures: Pictures) -> None:
    await keep(pictures, LIGHT, "ccq-light")
