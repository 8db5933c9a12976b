"""The start of the program: a session, or the list of all."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from textual.app import App

from ccq_tui.config.keymap import with_keys
from ccq_tui.config.launch import Launch
from ccq_tui.screens.sessions.model import SessionList
from ccq_tui.screens.sessions.screen import ANSWERS, SessionsScreen
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.screens.terminal import set_title
from ccq_tui.widgets.lifetime import start_work

_logger = logging.getLogger(__name__)

WRITE_SECONDS = 5.0
"""Seconds that leaving waits for an answer that is being written."""


@dataclass(eq=False)
class Startup:
    """Begins as the command line asks."""

    _app: App[Any]
    _manager: SessionManager
    _clock: Callable[[], float]

    async def begin(self, first: Launch) -> None:
        """Show what the launch asks for."""
        if first.program.inbox or first.program.choose:
            start_work(self._app, partial(self._show_sessions, first), name="sessions first", fatal=True)
        else:
            await self._manager.open(first)

    async def _show_sessions(self, first: Launch) -> None:
        """Show all sessions until one is opened from there or the list is left."""
        set_title(self._app, "ccq-tui inbox" if first.program.inbox else "ccq-tui")
        manager, choose = self._manager, first.program.choose
        said, aim = " · ".join(first.notices), SessionList.on_earlier if choose else SessionList.on_waiting
        base = first if choose else None
        while going := await self._app.push_screen_wait(
            SessionsScreen(manager, clock=self._clock, aim=aim, base=base, finds=choose, said=said)
        ):
            said = await going()
            if not said:
                return
        await self._answers_written()
        if sessions := manager.sessions:
            await sessions.show(sessions[-1])
            sessions.say(with_keys("{panel} shows what waits · {quit} ends all sessions"), seconds=20.0)
        else:
            await self._app.action_quit()

    async def _answers_written(self) -> None:
        """Let an answer that was confirmed just now reach the disk and start its session."""
        writing = [worker.wait() for worker in self._app.workers if worker.group == ANSWERS]
        try:
            async with asyncio.timeout(WRITE_SECONDS):
                await asyncio.gather(*writing, return_exceptions=True)
        except TimeoutError:
            _logger.warning("An answer was not written within %s s", WRITE_SECONDS)
