"""The program that asks first with which session to go on."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

from ccq_tui.agent.launching import session_options
from ccq_tui.config import Launch, SettingsError
from ccq_tui.screens.pickers import SessionPicker, shelf_of
from ccq_tui.screens.sessions.elsewhere import Elsewhere
from ccq_tui.supervisor.launches import launch_to_resume
from ccq_tui.widgets.lifetime import start_work


class Choosing(Elsewhere):
    """Shows the list of sessions before the first one, where the command line asks for it."""

    async def open_session(self, launch: Launch) -> None:
        """Open a session and show it, chosen first where the launch says so.

        Args:
            launch: What to start it with.
        """
        if not launch.choose:
            await super().open_session(launch)
            return
        start_work(self, partial(self._choose, launch), name="choose a session")

    async def _choose(self, launch: Launch, problem: str = "") -> None:
        picker = SessionPicker(shelf_of(self, session_options(launch)), about=problem, leave="quit")
        await self.push_screen_wait(picker)
        if picker.way is None:
            await self.action_quit()
            return
        try:
            chosen = await asyncio.to_thread(launch_to_resume, picker.way, launch)
        except SettingsError as error:
            where = picker.way.session.directory
            await self._choose(launch, f"The session cannot be resumed in {where}: {error}")
            return
        # What the command line said besides holds for the session that was chosen.
        await super().open_session(
            replace(
                chosen,
                prompt=launch.prompt,
                notices=(*chosen.notices, *launch.notices),
                fork=launch.fork or chosen.fork,
            )
        )
