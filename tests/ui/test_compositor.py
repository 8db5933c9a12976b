"""The screen's lines are asked for where they are drawn, and look as Textual draws them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from textual._compositor import ChopsUpdate, Compositor
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from ccq_tui.compat.textual.compositor import FrugalCompositor
from tests.ui.running import running

REGIONS = st.builds(Region, st.integers(0, 39), st.integers(0, 19), st.integers(1, 40), st.integers(1, 20))


class Late(Widget):
    """Draws itself as if it were smaller than it is, as what has not been told of its new size."""

    def render_lines(self, crop: Region) -> list[Strip]:
        lines = [Strip([Segment("late")], 4)] * 2
        return [line.crop(crop.x, crop.right) for line in lines[crop.y : crop.bottom]]


class Layers(App[None]):
    """Widgets beside, within and over one another, of which some are scrolled out of sight in part."""

    CSS = """
    Screen { layers: below above; }
    #page { height: 1fr; }
    #side { width: 12; border: round red; }
    #box { layer: above; offset: 9 3; width: 15; height: 6; background: green 40%; border: heavy blue; }
    #behind { layer: above; offset: 28 9; width: 9; height: 3; background: yellow; }
    #foot { dock: bottom; height: 2; background: blue; }
    """

    def compose(self) -> ComposeResult:
        with Horizontal(id="page"):
            yield Static("\n".join(f"beside {n}" for n in range(30)), id="side")
            with VerticalScroll(id="list"):
                for number in range(9):
                    yield Static(f"item {number}\nits second line and more than fits in it", id=f"i{number}")
        with Vertical(id="box"):
            yield Static("[b]over[/b] all\nthat lies below", id="over")
        with Vertical(id="behind"):
            yield Late()
        yield Static("at the foot", id="foot")


def drawn(update: ChopsUpdate) -> dict[tuple[int, int], list[tuple[str, object]]]:
    """The cells that an update draws, by line and column, however it is cut into pieces."""
    cells = {}
    for y, left, right in update.spans:
        for (x, strip), end in zip(update.chops[y].items(), update.chop_ends[y], strict=True):
            if strip is None or x >= right or end <= left:
                continue
            for at, (character, style) in enumerate(_cells(strip), x):
                if left <= at < right:
                    cells[y, at] = [(character, style)]
    return cells


def _cells(strip: Strip) -> list[tuple[str, object]]:
    return [(character, segment.style) for segment in strip for character in segment.text]


async def test_what_is_drawn_is_what_textual_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textual.screen.Compositor", Compositor)
    async with running(Layers(), size=(40, 20)) as (app, pilot):
        app.query_one("#list").scroll_to(y=3, animate=False)
        await pilot.pause()
        plain = app.screen._compositor
        frugal = FrugalCompositor()
        frugal.__dict__.update(plain.__dict__)
        assert lines(frugal) == lines(plain)

        @given(st.sets(REGIONS, min_size=1, max_size=3))
        def same(regions: set[Region]) -> None:
            regions = {region.intersection(app.screen.size.region) for region in regions}
            updates = []
            for compositor in (plain, frugal):
                compositor._dirty_regions = set(regions)
                update = compositor.render_partial_update()
                assert update is not None
                updates.append(drawn(update))
            assert updates[0] == updates[1]
            assert updates[0].keys() == {
                (y, x) for r in regions for y in r.line_range for x in range(r.x, r.right)
            }

        same()


def lines(compositor: Compositor) -> list[list[tuple[str, object]]]:
    return [_cells(strip) for strip in compositor.render_strips()]
