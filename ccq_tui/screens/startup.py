"""The start of the program: a session, the list of earlier ones, or the inbox."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from textual.app import App

from ccq_tui.config.keymap import with_keys
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.actors import Surface
from ccq_tui.screens.inbox.screen import ANSWERS, InboxScreen
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
        if first.program.inbox:
            work = partial(self._show_inbox, first.notices)
            start_work(self._app, work, name="inbox first", fatal=True)
            return
        if first.program.choose:
            start_work(self._app, partial(self._choose, first), name="choose a session")
        else:
            await self._manager.open(first)

    async def _choose(self, first: Launch) -> None:
        chosen = await self._manager.choose_earlier(first, leave="quit")
        if chosen is None:
            await self._app.action_quit()
            return
        # The rest of the command line applies to the chosen session.
        notices, fork = (*chosen.notices, *first.notices), first.fork or chosen.fork
        await self._manager.open(replace(chosen, prompt=first.prompt, notices=notices, fork=fork))

    async def _show_inbox(self, notices: tuple[str, ...]) -> None:
        """Show the inbox until a session is opened from it or it is left."""
        set_title(self._app, "ccq-tui inbox")
        said, manager = " · ".join(notices), self._manager
        while row := await self._app.push_screen_wait(InboxScreen(manager, clock=self._clock, said=said)):
            said = await manager.go_to(row, Surface.INBOX, request_id=row.key)
            if not said:
                return
        await self._answers_written()
        if sessions := manager.sessions:
            await sessions.show(sessions[-1])
            sessions.say(with_keys("{panel} shows the inbox · {quit} ends all sessions"), seconds=20.0)
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
