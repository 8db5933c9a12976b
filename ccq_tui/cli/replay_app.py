"""The app that shows a recording, and resumes its session when its last question is answered."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from textual import on

from ccq_tui.agent.recorded import Recording
from ccq_tui.app import CcqApp
from ccq_tui.config.launch import Launch
from ccq_tui.screens.replay import BroughtAnswer, ReplayScreen


class ReplayApp(CcqApp):
    """App that shows one recording.

    Attributes:
        answered: The person's answer to the question that ends the recording, or None.
    """

    MAIN_SCREEN = ReplayScreen
    MAIN_COMMANDS = ()

    def __init__(
        self,
        launch: Launch,
        recording: Recording,
        speed: float | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(launch, clock=clock)
        self._replay = ReplayScreen(launch, recording, speed, clock=clock)
        self.answered: BroughtAnswer | None = None

    async def begin(self, first: Launch) -> None:
        """Show the recording where otherwise a session would begin."""
        self._replay.session.launch = first
        await self.push_screen(self._replay)

    async def action_quit(self) -> None:
        """End the replay, then the program."""
        self._replay.session.agent.close()
        await super().action_quit()

    @on(ReplayScreen.QuestionAnswered)
    async def _go_on(self, event: ReplayScreen.QuestionAnswered) -> None:
        self.answered = event.go_on
        await self.action_quit()


def play(launch: Launch, recording: Recording, speed: float | None) -> tuple[int, BroughtAnswer | None]:
    """Show a recording until the person leaves it; return the exit code and the answer to deliver.

    ``speed`` is a factor of the recorded speed; None shows all at once.
    """
    from ccq_tui.logs import start_logging

    start_logging(launch.settings.log_level)
    app = ReplayApp(launch, recording, speed)
    try:
        app.run()
    finally:
        app.end_threads()
    return app.return_code or 0, app.answered


def launch_for(answer: BroughtAnswer, given: dict[str, Any]) -> Launch:
    """Return the launch that resumes a session in its directory with an answer; raises `SettingsError`."""
    from ccq_tui.config.launch import launch_with

    there = {**given, "cwd": answer.cwd}
    return launch_with(there, prompt=answer.message, resume=answer.session_id)
