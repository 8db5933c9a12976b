"""The program that shows the inbox before any session, and starts one only for an answer."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from pathlib import Path

from ccq_tui.config import Launch
from ccq_tui.screens.inbox.answering import ANSWERS
from ccq_tui.screens.inbox.hosting import Inboxing
from ccq_tui.screens.inbox.screen import InboxScreen
from ccq_tui.screens.terminal import set_title
from ccq_tui.supervisor.launches import launch_in
from ccq_tui.widgets.lifetime import start_work

_logger = logging.getLogger(__name__)

WRITE_SECONDS = 5.0
"""How long leaving waits for an answer that is being written."""


class InboxFirst(Inboxing):
    """Shows the inbox first where the command line asks for it; the sessions it starts come behind it."""

    _base: Launch | None = None
    """What the sessions that are started from the inbox have from the command line."""

    async def open_session(self, launch: Launch) -> None:
        """Open a session and show it, or the inbox where the launch says so.

        Args:
            launch: What to start with.
        """
        if not launch.inbox:
            await super().open_session(launch)
            return
        self._base = launch
        start_work(self, partial(self._show_alone, launch.notices), name="inbox first", fatal=True)

    def way_back(self) -> str:
        """Say where leaving the inbox screen leads, in one or two words."""
        if self.front is not None:
            return super().way_back()
        return "to the session" if self.sessions else "leave"

    async def launch_for(self, directory: Path) -> Launch:
        """Say what a session in a directory is started with; here nobody has asked yet if it is trusted.

        Raises:
            SettingsError: The directory's own settings cannot be used.
        """
        if self.front is not None or self._base is None:
            return await super().launch_for(directory)
        return await asyncio.to_thread(launch_in, directory, "", self._base, asked=False)

    async def _show_alone(self, notices: tuple[str, ...]) -> None:
        """Show the inbox until a session is opened from it or it is left."""
        set_title(self, "ccq-tui inbox")
        said = " · ".join(notices)
        while row := await self.push_screen_wait(InboxScreen(self, clock=self.clock, said=said)):
            said = await self.go_to(row)
            if not said:
                return
        await self._answers_written()
        if self.sessions:
            await self.show_session(len(self.sessions))
            self.tell("F2 shows the inbox · Ctrl+Q ends all sessions")
        else:
            await self.action_quit()

    async def _answers_written(self) -> None:
        """Let an answer that was confirmed just now reach the disk and start its session."""
        writing = [worker.wait() for worker in self.workers if worker.group == ANSWERS]
        try:
            async with asyncio.timeout(WRITE_SECONDS):
                await asyncio.gather(*writing, return_exceptions=True)
        except TimeoutError:
            _logger.warning("An answer was not written within %s s", WRITE_SECONDS)
