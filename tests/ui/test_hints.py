"""The line of keys, drawn at every width; and the preview of a row that has none."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.geometry import Offset

from ccq_tui import theming
from ccq_tui.key_uses import Does
from ccq_tui.widgets.hints import HintBar, HintLines
from tests.ui.asked import PLAIN
from tests.ui.running import running

ALL, OTHER, HIDE, SPACE = ("p", "all"), ("o", "other"), ("Esc", "hide"), ("Space", "select")
KEYS = (("Space", "select"), ("Enter", "next"), ("Esc", "hide"), ("a", "all/none"))


@given(st.integers(1, 120), st.integers(1, 3))
@example(len(" Space select · Enter next · Esc hide 1/2 "), 1)
@example(len(" Space select · Enter next · Esc hide  1/2 "), 1)
def test_the_word_at_the_right_never_touches_the_keys(width: int, most: int) -> None:
    hints = HintLines(KEYS, ("", "1/2"), most)
    lines = hints.text(width, PLAIN).plain.split("\n")
    assert len(lines) == hints.height(width) <= most
    assert all(cell_len(line) <= width for line in lines)
    if lines[0].endswith("1/2"):
        assert lines[0].removesuffix("1/2").endswith("  ")
        assert cell_len(lines[0]) == width - 1


@pytest.mark.parametrize(
    ("width", "keys", "line"),
    [
        (
            40,
            (("Enter", Does("send", "OAuth 2.0 with PKCE")), ALL, OTHER, HIDE),
            "Enter send OAuth 2… · p all · Esc · F1",
        ),
        (
            40,
            (("Enter", Does("take", "pydantic-settings")), ("p", "▤"), HIDE),
            "Enter take pydantic-… · p ▤ · Esc · F1",
        ),
        (
            40,
            (("Enter", Does("none", link=" of these")), SPACE, ALL, HIDE),
            "Enter none · Space · p all · Esc · F1",
        ),
        (40, (("Enter", Does("accept every file edit")), HIDE), "Enter accept every file edit · Esc · F1"),
        (
            40,
            (("Enter", Does("ask again", link=", 14 lines unseen")), ("Esc", "small again")),
            "Enter ask again · Esc small again · F1",
        ),
        (
            80,
            (("Enter", Does("send", "x" * 90)), OTHER, HIDE),
            f"Enter send {'x' * 31}… · o other · Esc hide",
        ),
        (
            80,
            (("Enter", Does("select", "A", " instead of ", "B")), OTHER, HIDE),
            "Enter select A instead of B · o other · Esc hide",
        ),
    ],
)
def test_the_verb_and_the_keys_that_leave_stay_and_the_object_is_cut(
    width: int, keys: tuple[tuple[str, str], ...], line: str
) -> None:
    shown = HintLines(keys, end=("F1", "keys")).text(width, PLAIN).plain
    if width < 60:
        assert shown == f" {line}"
    else:
        assert shown == f" {line}".ljust(width - 8) + "F1 keys"


@given(st.integers(40, 120), st.integers(0, 200))
def test_a_click_presses_the_key_under_it(width: int, x: int) -> None:
    hints = HintLines((("Enter", Does("send", "PostgreSQL")), OTHER, HIDE), end=("F1", "keys"))
    line, key = hints.text(width, PLAIN).plain, hints.key_at(width, Offset(x, 0))
    shown = {"enter": "Enter", "o": "o", "escape": "Esc", "f1": "F1", None: ""}[key]
    assert shown in line
    if key is not None:
        assert line[x] not in "·"


class Barred(App[None]):
    """A line of keys."""

    def compose(self) -> ComposeResult:
        bar = HintBar()
        bar.show(KEYS, "", 3)
        yield bar

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theming.variable_defaults()


async def test_keys_take_as_many_lines_as_they_need_at_each_width() -> None:
    async with running(Barred()) as (app, pilot):
        bar = app.query_one(HintBar)
        for width, lines in ((80, 1), (30, 2), (16, 3), (80, 1)):
            assert bar.get_content_height(app.size, app.size, width) == lines, "before it has that width"
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            assert bar.size.height == lines == len(bar.render().plain.split("\n")), width
