"""What the program begins with: a session, the list of earlier ones, or the inbox."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any

from textual.app import App

from ccq_tui.agent.launching import session_options
from ccq_tui.config import Launch, SettingsError
from ccq_tui.screens.inbox.inbox_controller import InboxController
from ccq_tui.screens.pickers import SessionPicker, shelf_of
from ccq_tui.screens.sessions.backlog import Backlog
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.supervisor.launches import launch_to_resume
from ccq_tui.widgets.lifetime import start_work


class Startup:
    """Begins as the command line asks.

    Args:
        app: The program.
        manager: Opens the first session.
        inbox: Shows the inbox alone.
        backlog: Brings sessions back that had not begun.
    """

    def __init__(
        self, app: App[Any], manager: SessionManager, inbox: InboxController, backlog: Backlog
    ) -> None:
        self._app = app
        self._manager = manager
        self._inbox = inbox
        self._backlog = backlog

    async def begin(self, first: Launch) -> None:
        """Show what the launch asks for."""
        if first.inbox:
            work = partial(self._inbox.show_alone, first.notices)
            start_work(self._app, work, name="inbox first", fatal=True)
            return
        if first.choose:
            start_work(self._app, partial(self._choose, first), name="choose a session")
        else:
            await self._manager.open(first)
        start_work(self._app, partial(self._backlog.bring_back, first), name="backlog")

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
