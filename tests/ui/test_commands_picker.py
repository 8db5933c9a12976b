"""A picker: its keys, its field, its preview."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Static

from ccq_tui import theming
from ccq_tui.commands.command import PickRow
from ccq_tui.questions.input_guard import GRACE, Presses
from ccq_tui.screens.pickers import Picker
from tests.ui.drawn import screen_text
from tests.ui.host import Clock, press_later
from tests.ui.running import running

MODELS = (
    PickRow("default", "Default", "Opus 5.5, for most things", current=False),
    PickRow("opus", "Opus", "Best for everyday, complex tasks", current=True),
    PickRow("haiku", "Haiku", "Fastest for quick answers"),
)
MANY = tuple(PickRow(f"v{n}", f"/command-{n}", f"Does thing {n}", right=f"Ctrl+{n}") for n in range(12))


class Host(App[None]):
    """A page with a picker over it."""

    ENABLE_COMMAND_PALETTE = False
    clock: Callable[[], float] = staticmethod(time.monotonic)

    def __init__(self, rows: Sequence[PickRow], **options: Any) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.results: list[str | None] = []
        self.picker = Picker("Model", rows, preview=self.seen.append, **options)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theming.variable_defaults()

    def compose(self) -> ComposeResult:
        yield Static("● The transcript stays in sight above the list.")

    def on_mount(self) -> None:
        theming.install(self, "ccq-dark")
        self.push_screen(self.picker, self.results.append)


async def test_enter_chooses_what_the_cursor_is_on_which_begins_on_what_holds_now() -> None:
    async with running(Host(MODELS)) as (app, pilot):
        assert "● Opus" in screen_text(app)
        assert app.picker.state.cursor == 1
        await pilot.press("down", "enter")
        assert app.results == ["haiku"]
        assert app.seen == ["haiku"]


async def test_escape_leaves_and_takes_the_preview_back() -> None:
    async with running(Host(MODELS)) as (app, pilot):
        await pilot.press("up", "escape")
        assert app.results == [None]
        assert app.seen == ["default", "opus"]


async def test_letters_find_and_escape_empties_the_field_first() -> None:
    async with running(Host(MANY)) as (app, pilot):
        await pilot.press(*"thing 1")
        assert [row.value for row in app.picker.state.shown] == ["v1", "v10", "v11"]
        assert "3 of 12" in screen_text(app)
        await pilot.press("ctrl+n", "escape")
        assert app.results == []
        assert len(app.picker.state.shown) == 12
        await pilot.press("ctrl+p", "enter")
        assert app.results == ["v11"]


async def test_enter_where_nothing_fits_chooses_nothing() -> None:
    async with running(Host(MODELS)) as (app, pilot):
        await pilot.press(*"zzz", "enter", "down", "enter")
        assert app.results == []
        assert "No match" in screen_text(app)


async def test_a_list_gives_no_row_right_after_what_covered_it() -> None:
    app = Host(MODELS)
    app.clock = Clock()
    async with app.run_test() as pilot:
        await pilot.press("down")
        app.push_screen(Picker("Theme", MODELS))
        await pilot.pause()
        await pilot.press("escape")
        assert app.screen is app.picker
        await pilot.press("enter")
        assert app.results == []
        await press_later(pilot, "up", "enter", seconds=GRACE / 2)
        assert app.results == []
        await press_later(pilot, "enter")
        assert app.results == ["opus"]


async def test_a_click_moves_and_a_second_one_chooses() -> None:
    async with running(Host(MODELS), size=(80, 24)) as (app, pilot):
        y = next(y for y, line in enumerate(screen_text(app).splitlines()) if "Haiku" in line)
        await pilot.click(offset=(10, y))
        assert app.results == []
        await pilot.click(offset=(10, y))
        assert app.results == ["haiku"]


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
def test_pictures(snap_compare: Any, size: tuple[int, int]) -> None:
    rows = (*MODELS, *MANY[:5])
    assert snap_compare(Host(rows, about="The model answers from the next prompt on."), terminal_size=size)


async def test_enter_held_down_takes_no_row_of_a_list_that_came_up_behind_it() -> None:
    app = Host(MODELS)
    app.clock = clock = Clock()
    app.presses = Presses().pressed("enter", clock.now)  # type: ignore[attr-defined]
    app.picker.by_itself = True
    async with app.run_test() as pilot:
        clock.skip(0.5)
        for _ in range(20):
            await pilot.press("enter")
            clock.skip(0.03)
        assert app.results == []
        await pilot.press("down", "enter")
        assert app.results == ["haiku"]
