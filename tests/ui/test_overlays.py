"""What is over a screen is left once, and nothing of it stays drawn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.text import Text
from textual import events
from textual._compositor import ChopsUpdate, Compositor
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.geometry import Region
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from ccq_tui.agent.events import AgentEvent, RequestAsked
from ccq_tui.compat.textual.compositor import FrugalCompositor, pieces_of
from ccq_tui.inbox.requests import Denied
from ccq_tui.questions import Answered
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.listing import Listing
from ccq_tui.widgets.lines import TextLines
from tests.ui.asked import SINGLE
from tests.ui.cases import in_one_program
from tests.ui.drawn import cursor_faults
from tests.ui.host import Host
from tests.ui.session import Driven, asked, idle, permission, press, running, until
from tests.ui.test_panels_in_session import settled


@in_one_program("f1", "f5", "ctrl+n", "ctrl+p", "f3", "f2")
async def test_what_is_opened_and_left_in_one_burst_is_gone(
    opened_by: str, run: Driven, pilot: Pilot[int]
) -> None:
    for key in (opened_by, opened_by, "escape", "escape", "escape"):
        run.app.post_message(events.Key(key, None))
    await pilot.pause()
    while not isinstance(run.app.screen, SessionScreen):
        await pilot.press("escape")
        await pilot.pause()
    await press(pilot, "x", then=lambda: run.screen.dock.prompt.text == "x")


async def test_work_that_fails_over_a_session_is_logged_and_said_in_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def surprise(*_: object) -> None:
        raise RuntimeError("surprise")

    run = Driven()
    monkeypatch.setattr(Listing, "_read", surprise)
    async with idle(run) as (run, pilot):
        await press(pilot, "f2", then=lambda: "ccq-tui (list)" in run.session_screen.transcript.text())
    assert "RuntimeError: surprise" in caplog.text


@in_one_program("f1", "f5", "ctrl+p", "f2")
async def test_what_is_typed_right_behind_the_key_that_leaves_a_list_is_the_prompts(
    opened_by: str, run: Driven, pilot: Pilot[int]
) -> None:
    await press(pilot, opened_by, then=lambda: not isinstance(run.app.screen, SessionScreen))
    await pilot.pause()
    run.app.post_message(events.Key("escape", None))
    for key in "typed":
        run.app.post_message(events.Key(key, key))
    run.app.post_message(events.Paste(" and pasted"))
    await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))
    await until(pilot, lambda: run.screen.dock.prompt.text == "typed and pasted")


async def in_turn(run: Driven, pilot: Pilot[int], event: AgentEvent, *keys: str) -> object:
    """Answer a request whose panel was drawn as it is."""
    await run.ask(pilot, event)
    assert not cursor_faults(run.app)
    await pilot.press(*keys)
    assert not cursor_faults(run.app)
    await pilot.press("enter")
    return await settled(run, pilot)


async def test_the_next_panel_with_the_same_rows_has_its_cursor_on_what_enter_takes(
    run: Driven, pilot: Pilot[int]
) -> None:
    for name in ("1", "2"):
        asks = RequestAsked(permission(f"p{name}"))
        assert isinstance(await in_turn(run, pilot, asks, "down"), Denied)
        assert isinstance(await in_turn(run, pilot, asked(f"q{name}", SINGLE), "down"), Answered)


async def test_lines_have_the_room_for_what_changed_while_nobody_saw_them() -> None:
    lines = TextLines()
    place = Vertical(lines)
    place.styles.height, lines.styles.height = 8, "auto"
    async with running(Host(place)) as (_, pilot):
        for count in (1, 2):
            place.display = False
            await pilot.pause()
            lines.show([Text("word " * 16)] * count)
            await pilot.pause()
            place.display = True
            await pilot.pause()
            assert lines.size.height == count


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
        assert (whole := lines(frugal)) == lines(plain)

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
            for y, pieces in enumerate(pieces_of(update)):
                for x, strip in pieces.items():
                    assert _cells(strip) == whole[y][x : x + strip.cell_length], "a frame has whole pieces"
            assert updates[0].keys() == {
                (y, x) for r in regions for y in r.line_range for x in range(r.x, r.right)
            }

        same()


def lines(compositor: Compositor) -> list[list[tuple[str, object]]]:
    return [_cells(strip) for strip in compositor.render_strips()]
