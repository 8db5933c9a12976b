"""A picture of the panel in each of its states."""

from __future__ import annotations

from ccq_tui.questions import Question
from ccq_tui.widgets.hints import HintBar
from tests.ui.asked import CITIES, DAYS, MULTI, NAME, PREVIEWED, RECOMMENDED, SINGLE
from tests.ui.host import PanelHost
from tests.ui.pictures import Pictures

ALL = (RECOMMENDED, MULTI, PREVIEWED, DAYS)
MANY_KEYS = ("2", "tab", "1", "3", "o", *"dark mode", "enter", "n", *"keep it small", "enter")
ANSWER_ALL = (*MANY_KEYS, "tab", "1", "tab", "enter")
STATES: dict[str, tuple[tuple[Question, ...], tuple[str, ...]]] = {
    "single": ((RECOMMENDED,), ()),
    "single_selected": ((SINGLE,), ("2",)),
    "cursor_on_other": ((SINGLE,), ("end",)),
    "other_open": ((SINGLE,), ("o", *"MySQL, we know it")),
    "other_selected": ((SINGLE,), ("o", *"MySQL", "enter", "up")),
    "note_open": ((SINGLE,), ("2", "n", *"only for now")),
    "note_set": ((SINGLE,), ("2", "n", *"only for now", "enter")),
    "multi": ((MULTI,), ()),
    "multi_selected": ((MULTI, SINGLE), ("1", "down", "down", "space", "o", *"dark mode", "enter", "up")),
    "filter_open": ((CITIES,), ("slash", *"city 3")),
    "filter_applied": ((CITIES,), ("slash", *"city 3", "enter", "2")),
    "long_list_end": ((CITIES,), ("end", "up")),
    "preview": ((PREVIEWED,), ()),
    "preview_scrolled": ((PREVIEWED,), ("down", "shift+down", "shift+down")),
    "preview_large": ((PREVIEWED,), ("down", "p")),
    "discuss_open": ((SINGLE, MULTI), ("c", *"Neither: what about SQLite", "ctrl+j", *"and no cache?")),
    "decline_asked": ((SINGLE, MULTI), ("1", "ctrl+d")),
    "review_complete": (ALL, ANSWER_ALL),
    "review_gaps": ((SINGLE, RECOMMENDED, MULTI), ("1", "shift+tab")),
    "review_empty_multi": ((MULTI,), ("enter",)),
    "text_question": ((NAME, SINGLE), ()),
    "text_answered": ((NAME, SINGLE), (*"tidy-bookmarks", "escape")),
    "number_error": ((DAYS, SINGLE), (*"400", "enter")),
}
SMALL = ("single", "multi_selected", "other_open", "filter_open", "decline_asked", "review_gaps", "note_open")
LARGE = ("multi_selected", "preview", "preview_large", "review_complete", "filter_applied")

SIZES = {(80, 24): tuple(STATES), (40, 12): SMALL, (160, 50): LARGE}


async def keep(pictures: Pictures, size: tuple[int, int], theme: str = "ccq-dark") -> None:
    """Keep a picture of each state at a size, all of one program."""
    app = PanelHost(NAME, theme=theme)
    async with app.run_test(size=size) as pilot:
        for state in SIZES[size]:
            questions, keys = STATES[state]
            await pilot.put(*questions)
            await pilot.press(*("space" if key == " " else key for key in keys))
            app.panel.query_one(HintBar).wake()
            await pilot.pause()
            pictures.compare(app.export_screenshot(simplify=True), state)


async def test_at_80x24(pictures: Pictures) -> None:
    await keep(pictures, (80, 24))


async def test_at_40x12(pictures: Pictures) -> None:
    await keep(pictures, (40, 12))


async def test_at_160x50(pictures: Pictures) -> None:
    await keep(pictures, (160, 50))


async def test_in_light(pictures: Pictures) -> None:
    await keep(pictures, (80, 24), "ccq-light")


async def test_in_light_at_40x12(pictures: Pictures) -> None:
    await keep(pictures, (40, 12), "ccq-light")


async def test_in_light_at_160x50(pictures: Pictures) -> None:
    await keep(pictures, (160, 50), "ccq-light")
