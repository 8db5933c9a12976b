"""What drawing costs, counted: keys that move cost a repaint, a huge text costs what is seen of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from rich.text import Text
from textual.screen import Screen
from textual.strip import Strip

from ccq_tui.questions import Option, Question
from ccq_tui.widgets.lines import FOLD_SIGN, Flow, LineView, flowing, verbatim
from tests.ui.asked import CITIES, MULTI, SINGLE
from tests.ui.host import PanelHost

HUGE = 1_000_000


class Wraps:
    """Counts wrapping: how often, and how many characters."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.times = self.characters = 0
        wrap = Text.wrap

        def counted(text: Text, *args: object, **kwargs: object) -> object:
            self.times += 1
            self.characters += len(text)
            return wrap(text, *args, **kwargs)  # type: ignore[arg-type]

        patch.setattr(Text, "wrap", counted)

    def restart(self) -> None:
        self.times = self.characters = 0


@pytest.fixture
def wraps(monkeypatch: pytest.MonkeyPatch) -> Wraps:
    return Wraps(monkeypatch)


class Draws:
    """Counts what a screen does: layouts, pictures, and the lines made anew of one view."""

    def __init__(self, screen: Screen[object], view: LineView, patch: pytest.MonkeyPatch) -> None:
        self.layouts = self.pictures = self.lines = 0
        screen.screen_layout_refresh_signal.subscribe(view, self._laid_out, immediate=True)
        draw, picture = view.render_line, screen._compositor.render_update

        def drawn(y: int) -> Strip:
            self.lines += 1
            return draw(y)

        def pictured(*args: object, **kwargs: object) -> object:
            self.pictures += 1
            return picture(*args, **kwargs)  # type: ignore[arg-type]

        patch.setattr(view, "render_line", drawn)
        patch.setattr(screen._compositor, "render_update", pictured)

    def _laid_out(self, _: object) -> None:
        self.layouts += 1


async def test_a_move_draws_two_rows_and_lays_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async with PanelHost(SINGLE).shown() as (app, pilot):
        draws = Draws(app.screen, app.panel.query_one("#list", LineView), monkeypatch)
        await pilot.press("down")
        assert (draws.layouts, draws.lines) == (0, 2)
        assert draws.pictures <= 2, "one, or two where the moment to draw comes between the parts of a panel"
        assert "SQLite" in app.cursor_line
        await pilot.put(CITIES)
        await pilot.press("end")
        assert "Other" in app.cursor_line, "scrolled: all rows are drawn"
        assert len([line for line in app.panel_lines if line.startswith(" ❯")]) == 1


async def test_moving_wraps_nothing_and_keeps_the_lines(wraps: Wraps) -> None:
    async with PanelHost(MULTI, SINGLE).shown() as (app, pilot):
        view = app.panel.query_one("#list", LineView)
        await pilot.pause()
        lines = view.lines
        wraps.restart()
        await pilot.press("down", "down", "up", "end", "home")
        assert wraps.times == 0
        assert view.lines is lines


async def test_a_huge_label_and_preview_cost_what_is_seen(wraps: Wraps) -> None:
    options = (Option("go on " * (HUGE // 6), "d" * HUGE, preview="line\n" * (HUGE // 5)), Option("B"))
    app = PanelHost(Question("why? " * (HUGE // 5), "h" * HUGE, options), title="t" * HUGE)
    async with app.run_test() as pilot:
        assert wraps.characters < 30_000
        wraps.restart()
        await pilot.press("p")
        await pilot.press("shift+down", "shift+down", "down", "up", "escape")
        assert wraps.characters < 30_000


def test_a_flow_makes_lines_as_they_are_asked_for(wraps: Wraps) -> None:
    flow = Flow(flowing("word and " * 100_000, "", 60))  # type: ignore[arg-type]
    assert flow.reach(50)
    assert wraps.characters <= 6_000
    assert not flow.reach(10)


def as_written(text: str, style: Any, width: int) -> Iterator[Text]:
    for line in text.split("\n"):
        yield from verbatim(line, Text(), style, width, style)


@pytest.mark.parametrize("text", ["", "a\n\nb", "word " * 3_000, "x" * 9_000, "漢字" * 4_000, "a b\n" * 900])
@pytest.mark.parametrize("make", [flowing, as_written])
def test_a_flow_loses_nothing(make: object, text: str) -> None:
    lines = [line.plain for line in make(text, "", 31)]  # type: ignore[operator]
    lines = [line.removeprefix(FOLD_SIGN) for line in lines]
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(Text(line).cell_len <= 31 for line in lines)
    assert lines


async def test_scrolling_a_huge_preview_makes_more_of_it() -> None:
    app = PanelHost(
        Question("W?", "W", (Option("A", preview="\n".join(map(str, range(1_000)))), Option("B")))
    )
    async with app.run_test() as pilot:
        await pilot.press("p")
        assert "↓ over 133 more lines · PgDn" in app.panel_text
        await pilot.press(*["pagedown"] * 80)
        assert "999" in app.panel_text
        assert "↓" not in app.panel_lines[-2]
