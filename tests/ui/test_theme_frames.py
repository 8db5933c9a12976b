"""What is really drawn, in every shipped theme: each word can be read on what is under it."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.style import Style
from textual.color import Color
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from ccq_tui.agent.events import ErrorReported, NoticeGiven, SessionState
from ccq_tui.config import Launch, Settings
from ccq_tui.theming import load_themes
from tests.ui.scene import QUESTION, WORK
from tests.ui.session import Driven, asked, until
from tests.unit.colours import contrast

TROUBLE = (
    NoticeGiven("The MCP server “docs” did not start", "warning"),
    ErrorReported("overloaded", "The API is overloaded"),
)
LEAST = {"ccq-contrast": 7.0}
ENOUGH = 4.5
GIVEN_WAY = "Ask Claude to do something"
"""The hint in an empty field may be fainter: it is gone with the first key."""


def colour(found: RichColor | None) -> Color | None:
    return Color.from_rich_color(found) if found is not None and found.triplet is not None else None


def seen(style: Style) -> tuple[Color, Color] | None:
    """The colours of text and background as they are drawn."""
    text, ground = colour(style.color), colour(style.bgcolor)
    if text is None or ground is None:
        return None
    return (ground, text) if style.reverse else (text, ground)


def words(run: Driven) -> dict[str, float]:
    """The contrast of each run of letters on the screen with what it stands on."""
    found = {}
    for strip in run.app.screen._compositor.render_strips():
        for segment in strip:
            if segment.style and any(map(str.isalnum, segment.text)) and (pair := seen(segment.style)):
                found[segment.text.strip()] = contrast(*pair)
    return found


def weak(run: Driven, least: float) -> dict[str, float]:
    return {
        text: round(value, 2) for text, value in words(run).items() if value < least and text not in GIVEN_WAY
    }


@pytest.mark.parametrize("theme", [theme.name for theme in load_themes()[0]])
async def test_every_word_on_the_screen_can_be_read(theme: str) -> None:
    least = LEAST.get(theme, ENOUGH)
    run = Driven(Launch(settings=Settings(cwd=Path("/usr"), theme=theme)))
    async with run.app.run_test(size=(100, 60)) as pilot:
        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        for event in (*WORK, *TROUBLE):
            run.told.tell(event)
        await until(pilot, lambda: "overloaded" in " ".join(words(run)))
        assert weak(run, least) == {}
        await selected_text_can_be_read(run, pilot, least)
        run.told.tell(asked("toolu_1", QUESTION))
        await until(pilot, lambda: run.screen.dock.panel)
        await until(pilot, lambda: any("Show them last" in text for text in words(run)))
        run.screen.dock.panel.query_one("HintBar").wake()  # type: ignore[union-attr]
        await pilot.press("down", "space")
        await pilot.pause()
        assert len(words(run)) > 20
        assert weak(run, least) == {}
        run.screen.action_pick_theme()
        await until(pilot, lambda: any("from the list" in text or "move" in text for text in words(run)))
        assert weak(run, least) == {}


async def selected_text_can_be_read(run: Driven, pilot: Pilot[int], least: float) -> None:
    """What is selected in the prompt, and in the transcript."""
    field = run.screen.dock.prompt.field
    field.load_text("selected words")
    field.select_all()
    transcript = run.screen.transcript
    run.screen.selections = {transcript: Selection(Offset(0, 0), Offset(80, 8))}
    await pilot.pause()
    assert weak(run, least) == {}
    run.screen.selections = {}
    field.load_text("")
