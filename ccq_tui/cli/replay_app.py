"""The app that shows a recording."""

from __future__ import annotations

import time
from collections.abc import Callable

from ccq_tui.agent.recorded import Recording
from ccq_tui.app import CcqApp
from ccq_tui.config.launch import Launch
from ccq_tui.screens.replay import ReplayScreen


class ReplayApp(CcqApp):
    """App that shows one recording."""

    MAIN_SCREEN = ReplayScreen
    MAIN_COMMANDS = ()

    def __init__(
        self, launch: Launch, recording: Recording, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(launch, clock=clock)
        self._replay = ReplayScreen(launch, recording, clock=clock)

    async def begin(self, first: Launch) -> None:
        """Show the recording where otherwise a session would begin."""
        self._replay.session.launch = first
        await self.push_screen(self._replay)

    async def action_quit(self) -> None:
        """End the replay, then the program."""
        self._replay.replayed.close()
        await super().action_quit()
