"""What is drawn when a part comes back to the screen or has another size: nothing of what was there."""

from __future__ import annotations

from rich.text import Text
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.pilot import Pilot

from ccq_tui import theming
from ccq_tui.agent.events import AgentEvent, PermissionAsked
from ccq_tui.inbox.requests import Denied
from ccq_tui.questions import Answered
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.lines import TextLines
from tests.ui.asked import SINGLE
from tests.ui.drawn import cursor_faults
from tests.ui.running import running
from tests.ui.session import Driven, asked, keys_work, permission
from tests.ui.test_panels_kept import settled


async def in_turn(run: Driven, pilot: Pilot[int], event: AgentEvent, *keys: str) -> object:
    """Answer a request whose panel was drawn as it is."""
    run.told.tell(event)
    await keys_work(run, pilot)
    assert not cursor_faults(run.app)
    await pilot.press(*keys)
    assert not cursor_faults(run.app)
    await pilot.press("enter")
    return await settled(run, pilot)


async def test_the_next_panel_with_the_same_rows_has_its_cursor_on_what_enter_takes(
    run: Driven, pilot: Pilot[int]
) -> None:
    for name in ("1", "2"):
        asks = PermissionAsked(permission(f"p{name}"))
        assert isinstance(await in_turn(run, pilot, asks, "down"), Denied)
        assert isinstance(await in_turn(run, pilot, asked(f"q{name}", SINGLE), "down"), Answered)


class Parts(App[None]):
    """Lines above a line of keys, in a place of one height."""

    CSS = "Vertical { height: 8; } TextLines { height: auto; } HintBar { dock: bottom; }"

    def compose(self) -> ComposeResult:
        with Vertical():
            yield TextLines()
            yield HintBar()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theming.variable_defaults()

    @property
    def heights(self) -> tuple[int, int]:
        return self.query_one(TextLines).size.height, self.query_one(HintBar).size.height

    def show(self, width: int, lines: int = 1, keys: int = 3) -> None:
        """Show lines as wide as the screen, and some keys."""
        self.query_one(TextLines).show([Text("word " * (width // 5))] * lines)
        self.query_one(HintBar).show((("Enter", "go to the next one"),) * keys, most_lines=2)


async def test_parts_have_the_room_for_what_changed_while_nobody_saw_them() -> None:
    async with running(Parts()) as (app, pilot):
        app.show(80)
        await pilot.pause()
        assert app.heights == (1, 1)
        app.query_one(Vertical).display = False
        await pilot.pause()
        app.show(80, lines=2, keys=6)
        await pilot.pause()
        app.query_one(Vertical).display = True
        await pilot.pause()
        assert app.heights == (2, 2)


async def test_parts_have_the_room_for_what_they_show_at_another_width() -> None:
    async with running(Parts()) as (app, pilot):
        for width, heights in ((80, (1, 1)), (40, (1, 2)), (80, (1, 1))):
            await pilot.resize_terminal(width, 24)
            app.show(width)
            await pilot.pause()
            assert app.heights == heights
