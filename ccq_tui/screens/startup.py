"""What the program begins with: a session, the list of earlier ones, or the inbox."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from textual.app import App

from ccq_tui.agent.launch_options import session_options
from ccq_tui.config import Launch, SettingsError
from ccq_tui.inbox.actors import Surface
from ccq_tui.screens.inbox.screen import ANSWERS, InboxScreen
from ccq_tui.screens.pickers import SessionPicker, shelf_of
from ccq_tui.screens.sessions.backlog import bring_back
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.screens.sessions.trust_gate import TrustGate
from ccq_tui.screens.terminal import set_title
from ccq_tui.supervisor.launches import launch_to_resume
from ccq_tui.widgets.lifetime import start_work

_logger = logging.getLogger(__name__)

WRITE_SECONDS = 5.0
"""How long leaving waits for an answer that is being written."""


class Startup:
    """Begins as the command line asks.

    Args:
        app: The program.
        manager: Opens the first session.
        trust: Asks about directories.
        clock: Returns seconds of a monotonic clock.
    """

    def __init__(
        self,
        app: App[Any],
        manager: SessionManager,
        trust: TrustGate,
        clock: Callable[[], float],
    ) -> None:
        self._app = app
        self._manager = manager
        self._clock = clock
        self._trust = trust

    async def begin(self, first: Launch) -> None:
        """Show what the launch asks for."""
        if first.inbox:
            work = partial(self._show_inbox, first.notices)
            start_work(self._app, work, name="inbox first", fatal=True)
            return
        if first.choose:
            start_work(self._app, partial(self._choose, first), name="choose a session")
        else:
            await self._manager.open(first)
        start_work(self._app, partial(bring_back, self._manager.sessions, self._trust, first), name="backlog")

    async def _choose(self, first: Launch) -> None:
        problem = ""
        while True:
            shelf = shelf_of(self._app, session_options(first))
            picker = SessionPicker(shelf, about=problem, leave="quit")
            await self._app.push_screen_wait(picker)
            if picker.way is None:
                await self._app.action_quit()
                return
            try:
                chosen = await asyncio.to_thread(launch_to_resume, picker.way, first)
            except SettingsError as error:
                problem = f"The session cannot be resumed in {picker.way.session.directory}: {error}"
            else:
                break
        # What the command line said besides holds for the session that was chosen.
        notices, fork = (*chosen.notices, *first.notices), first.fork or chosen.fork
        await self._manager.open(replace(chosen, prompt=first.prompt, notices=notices, fork=fork))

    async def _show_inbox(self, notices: tuple[str, ...]) -> None:
        """Show the inbox until a session is opened from it or it is left."""
        set_title(self._app, "ccq-tui inbox")
        said, manager = " · ".join(notices), self._manager
        while row := await self._app.push_screen_wait(InboxScreen(manager, clock=self._clock, said=said)):
            said = await manager.go_to(row, Surface.INBOX, request_id=row.id)
            if not said:
                return
        await self._answers_written()
        if sessions := manager.sessions:
            await sessions.show(sessions[-1])
            sessions.say("F2 shows the inbox · Ctrl+Q ends all sessions", seconds=20.0)
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
