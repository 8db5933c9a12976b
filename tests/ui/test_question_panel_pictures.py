"""A picture of the panel in each of its states."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from ccq_tui.questions import Question
from tests.ui.asked import CITIES, DAYS, MULTI, NAME, PREVIEWED, RECOMMENDED, SINGLE
from tests.ui.host import PanelHost

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
    "multi_selected": ((MULTI, SINGLE), ("1", "3", "o", *"dark mode", "enter", "up")),
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

Compare = Callable[..., bool]


def pressing(keys: tuple[str, ...]) -> Callable[[Pilot[None]], Awaitable[None]]:
    async def run(pilot: Pilot[None]) -> None:
        app: Any = pilot.app
        app.burst(*("space" if key == " " else key for key in keys))
        await pilot.pause()
        await pilot.pause()

    return run


def picture(compare: Compare, state: str, size: tuple[int, int], theme: str = "ccq-dark") -> bool:
    questions, keys = STATES[state]
    app = PanelHost(*questions, theme=theme)
    return compare(app, terminal_size=size, run_before=pressing(keys))


@pytest.mark.parametrize("state", STATES)
def test_at_80x24(snap_compare: Compare, state: str) -> None:
    assert picture(snap_compare, state, (80, 24))


@pytest.mark.parametrize("state", SMALL)
def test_at_40x12(snap_compare: Compare, state: str) -> None:
    assert picture(snap_compare, state, (40, 12))


@pytest.mark.parametrize("state", LARGE)
def test_at_160x50(snap_compare: Compare, state: str) -> None:
    assert picture(snap_compare, state, (160, 50))


@pytest.mark.parametrize("state", STATES)
def test_in_light(snap_compare: Compare, state: str) -> None:
    assert picture(snap_compare, state, (80, 24), "ccq-light")


@pytest.mark.parametrize("state", SMALL)
def test_in_light_at_40x12(snap_compare: Compare, state: str) -> None:
    assert picture(snap_compare, state, (40, 12), "ccq-light")


@pytest.mark.parametrize("state", LARGE)
def test_in_light_at_160x50(snap_compare: Compare, state: str) -> None:
    assert picture(snap_compare, state, (160, 50), "ccq-light")
