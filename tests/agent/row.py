"""Processes one after another: where one must end, the next scene begins in the one that goes on with it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from ccq_tui.agent.events import SessionState
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from tests.agent.running import Running
from tests.steps import step, until_true


@dataclass
class Row:
    """The processes of some conversations, one at a time.

    Attributes:
        model: The model of all of them.
        home: Where they live.
        inbox: The inbox of all of them.
        run: The newest one.
    """

    model: ScriptedModel
    home: CleanHome
    inbox: Inbox
    run: Running | None = None

    async def begin(self, scenario: Scenario) -> Running:
        """Begin a conversation, in the process that runs if there is one."""
        run = self.run
        if run is None or run.task.done():
            run = await self.start()
        else:
            await until_true(lambda: run.state is SessionState.IDLE)
            await run.cleared()
        self.model.begin(scenario)
        return run

    async def start(self, session_id: str | None = None, **options: Any) -> Running:
        """Start a process, or go on with a conversation in one, once the last one has ended."""
        await self.close()
        run = self.run = Running(self.home, self.inbox, resume=session_id, **options)
        return await run.__aenter__()

    async def close(self) -> None:
        """End the process that runs, if there is one."""
        if self.run is not None:
            await self.run.__aexit__(None, None, None)

    async def play(self, *scenes: "Callable[[Row], Awaitable[None]]") -> None:
        """Play scenes, one after the other."""
        for scene in scenes:
            with step(str(getattr(scene, "__name__", scene))):
                await scene(self)
