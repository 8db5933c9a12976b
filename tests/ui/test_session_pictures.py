"""Pictures of the whole screen: few, one for each thing that can take the prompt's place."""

from __future__ import annotations

from pathlib import Path

from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.requests import PermissionRequest, PlanRequest
from tests.ui.host import Clock
from tests.ui.pictures import Pictures, rests
from tests.ui.running import running
from tests.ui.session import Driven, asked, panel_drawn, permission, until

SAID = (
    ev.PromptAccepted("Prepare the release of 1.4.0"),
    ev.BlockFinished(
        ev.BlockKey("m", 0),
        ev.BlockKind.TEXT,
        "I read the changelog. **Two things** are left:\n\n"
        "1. bump the version in `pyproject.toml`\n2. build the wheel",
    ),
)
EDIT = PermissionRequest(
    "e",
    "id-1",
    "Edit",
    {
        "file_path": "/srv/api/pyproject.toml",
        "old_string": 'name = "api"\nversion = "1.3.9"',
        "new_string": 'name = "api"\nversion = "1.4.0"',
    },
)
PLAN = PlanRequest(
    "p", "id-1", "# Import from browsers\n\n1. Read the export file\n2. Skip what is known\n3. Report"
)
THEMES = ("ccq-dark", "ccq-light")
SIZES = [(40, 12), (80, 24), (160, 50)]
"""From the smallest on: what is out of sight is measured anew for another width only when it is seen."""


class Shown:
    """The program, of which pictures are taken one after the other.

    Args:
        pictures: Where they are compared.
    """

    def __init__(self, pictures: Pictures) -> None:
        self.clock = Clock()
        self.run = Driven(Launch(settings=Settings(cwd=Path("/usr"), theme=THEMES[0])), clock=self.clock)
        self._pictures = pictures

    async def begin(self, pilot: Pilot[int]) -> None:
        """Tell what was said."""
        self.pilot = pilot
        await until(pilot, lambda: self.run.screen.view.state is ev.SessionState.IDLE)
        for event in SAID:
            self.run.told.tell(event)
        transcript = self.run.screen.transcript
        # Seen before a panel makes less of it fit: what was never seen has a height that is only guessed.
        await until(pilot, lambda: len(transcript.model.blocks) == len(SAID) and rests(transcript))

    async def asks(self, event: ev.QuestionAsked | ev.PermissionAsked | ev.PlanProposed) -> None:
        """Let the session ask for something, and wait until its panel takes keys."""
        self.run.told.tell(event)
        await until(self.pilot, lambda: panel_drawn(self.run.screen))
        self.clock.skip_grace()
        self.run.screen.dock.panel.query_one("HintBar").wake()  # type: ignore[union-attr]

    async def keep(self, name: str, *sizes: tuple[int, int]) -> None:
        """Take a picture in each size."""
        for width, height in sizes:
            if self.run.app.size != (width, height):
                await self.pilot.resize_terminal(width, height)
            await self.pilot.pause(0.1)
            await self._pictures.keep(self.pilot, f"{name}-{width}x{height}")


async def test_the_prompt_and_a_permission_in_its_place(pictures: Pictures) -> None:
    shown = Shown(pictures)
    async with running(shown.run, size=SIZES[0]) as (run, pilot):
        await shown.begin(pilot)
        run.screen.dock.prompt.put("Also update the docs")
        for run.app.theme in reversed(THEMES):
            await shown.keep(f"idle-{run.app.theme}", *SIZES[: None if run.app.theme == THEMES[0] else 1])
        run.screen.dock.prompt.put("")
        await shown.asks(ev.PermissionAsked(permission()))
        for run.app.theme in THEMES:
            await shown.keep(f"command-{run.app.theme}", *SIZES[: None if run.app.theme == THEMES[0] else 1])
        run.app.theme = THEMES[0]
        await pilot.resize_terminal(80, 24)
        await pilot.press("e")
        await shown.keep("denying", (80, 24))
        await pilot.press("enter")
        await shown.keep("denying_without_a_text", (80, 24))
        await pilot.press(*"use", "ctrl+j", *"make")
        await shown.keep("denying_with_a_text", (80, 24))


async def test_permission_for_an_edit(pictures: Pictures) -> None:
    shown = Shown(pictures)
    async with shown.run.app.run_test(size=(80, 24)) as pilot:
        await shown.begin(pilot)
        await shown.asks(ev.PermissionAsked(EDIT))
        await shown.keep(shown.run.app.theme, (80, 24))


async def test_plan(pictures: Pictures) -> None:
    shown = Shown(pictures)
    async with shown.run.app.run_test(size=SIZES[0]) as pilot:
        await shown.begin(pilot)
        await shown.asks(ev.PlanProposed(PLAN))
        for move in (*["page_up"] * 5, "bottom"):  # what was never seen has a height that is only guessed
            shown.run.screen.action_do(move)
        await shown.keep("plan", *SIZES[:2])


async def test_a_hidden_question(pictures: Pictures) -> None:
    shown = Shown(pictures)
    async with shown.run.app.run_test(size=SIZES[0]) as pilot:
        await shown.begin(pilot)
        await shown.asks(asked())
        await pilot.press("2", "escape")
        await shown.keep("hidden", *SIZES[:2])
