"""Scene after scene on one CLI: its start costs as much as a dozen turns.

A scene has a cleared conversation, an empty project and a script of its own. What a scene changed beyond that
(the mode, the model, permissions for the session) the next one finds changed.
"""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from tests.agent.running import Running
from tests.steps import step


def emptied(home: CleanHome) -> None:
    """Take everything out of the project; the directory itself stays, for a CLI works in it."""
    for path in home.project.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


class Stage:
    """A running session on which scenes are played; leaving closes it as leaving ``Running`` does."""

    def __init__(self, model: ScriptedModel, home: CleanHome, **options: Any) -> None:
        self.model = model
        self.home = home
        self.run = Running(home, **options)
        self._scenes = 0

    @asynccontextmanager
    async def scene(self, name: str, scenario: Scenario) -> AsyncIterator[Running]:
        """Clear what was, and play a scenario; ``run`` and ``model`` know nothing of earlier scenes."""
        with step(name):
            if self._scenes:
                await self.run.cleared()
                emptied(self.home)
            self._scenes += 1
            self.model.begin(scenario)
            yield self.run


@asynccontextmanager
async def staged(played: tuple[ScriptedModel, CleanHome], **options: Any) -> AsyncIterator[Stage]:
    """Start a session for scenes.

    Args:
        played: What the fixture ``play`` made.
        options: Options of the session.
    """
    stage = Stage(*played, **options)
    async with stage.run:
        yield stage
