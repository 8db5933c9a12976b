"""What is really drawn, in every shipped theme: each word can be read on what is under it."""

from __future__ import annotations

from pathlib import Path

from rich.color import Color as RichColor
from rich.style import Style
from textual.color import Color
from textual.geometry import Offset
from textual.selection import Selection

from ccq_tui.agent.events import ErrorReported, NoticeGiven, SessionState
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.theming import load_themes
from tests.ui.scene import QUESTION, WORK
from tests.ui.session import Driven, asked, panel_drawn, until
from tests.unit.colours import contrast

TROUBLE = (
    NoticeGiven("The MCP server “docs” did not start", "warning"),
    ErrorReported("overloaded", "The API is overloaded"),
)
LEAST = {"ccq-contrast": 7.0}
ENOUGH = 4.5
TWO_FRAMES = 0.08
"""Seconds in which the transcript is drawn anew."""
FEW = 20
"""Words of a screen that is not drawn yet, at most."""
GIVEN_WAY = ("Ask Claude to do something", "Type to filter")
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
        text: round(value, 2)
        for text, value in words(run).items()
        if value < least and not any(text in hint for hint in GIVEN_WAY)
    }


async def test_every_word_on_the_screen_can_be_read() -> None:
    themes = [theme.name for theme in load_themes()[0]]
    run = Driven(Launch(settings=Settings(cwd=Path("/usr"), theme=themes[0])))
    wrong: dict[str, dict[str, float]] = {}
    async with run.app.run_test(size=(100, 60)) as pilot:

        async def read(state: str) -> None:
            await pilot.pause(TWO_FRAMES)
            assert len(words(run)) > FEW, state
            if found := weak(run, LEAST.get(run.app.theme, ENOUGH)):
                wrong[f"{state} in {run.app.theme}"] = found

        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        for event in (*WORK, *TROUBLE):
            run.told.tell(event)
        await until(pilot, lambda: "overloaded" in " ".join(words(run)))
        for run.app.theme in themes:
            await read("work and trouble")
            select_text(run)
            await read("text that is selected")
            run.screen.selections = {}
            run.screen.dock.prompt.field.load_text("")
        run.told.tell(asked("toolu_1", QUESTION))
        await until(pilot, lambda: panel_drawn(run.screen))
        await until(pilot, lambda: any("Show them last" in text for text in words(run)))
        run.screen.dock.panel.query_one("HintBar").wake()  # type: ignore[union-attr]
        await pilot.press("down", "space")
        for run.app.theme in reversed(themes):
            await read("a question")
            run.screen.take_command("/theme")
            # The panel under it has keys to move, too.
            await until(pilot, lambda: run.app.screen is not run.session_screen and len(words(run)) > FEW)
            await read("a list")
            await pilot.press("escape")
    assert not wrong


def select_text(run: Driven) -> None:
    """Select words in the prompt, and lines in the transcript."""
    field = run.screen.dock.prompt.field
    field.load_text("selected words")
    field.select_all()
    run.screen.selections = {run.screen.transcript: Selection(Offset(0, 0), Offset(80, 8))}
