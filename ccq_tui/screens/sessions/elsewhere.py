"""The program that takes no session away from another one: it offers to go on with a copy."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace

from ccq_tui.agent.earlier import earlier_sessions
from ccq_tui.agent.launching import session_options
from ccq_tui.agent.reader import ReaderError
from ccq_tui.config import Launch
from ccq_tui.inbox import InboxError
from ccq_tui.inbox.elsewhere import run_elsewhere
from ccq_tui.inbox.owners import Owner
from ccq_tui.screens.pickers import Picker, PickRow
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.sessions.informing import Informing

_logger = logging.getLogger(__name__)


class Elsewhere(Informing):
    """Asks before it goes on with a session that another ccq-tui runs."""

    async def open_session(self, launch: Launch) -> None:
        """Open a session and show it; one that runs elsewhere only as a copy, and if that is wanted.

        Args:
            launch: What to start it with.
        """
        # Awaited here: what is typed meanwhile waits for the session's screen.
        if await self._others(launch):
            self.run_worker(self._open_once(launch), name="open session", group="sessions")
        else:
            await super().open_session(launch)

    async def _open_once(self, launch: Launch) -> None:
        alone = await self._alone(launch)
        if alone is not None:
            await super().open_session(alone)
        elif not self.sessions:
            await self.action_quit()

    async def _replace(self, screen: SessionBase, launch: Launch) -> None:
        places = (at for at, one in enumerate(self.sessions, 1) if one.view.session_id == launch.resume)
        if launch.resume and not launch.fork and (number := next(places, None)):
            await self.show_session(number)
            self._say("It is open here already")
            return
        alone = await self._alone(launch)
        if alone is not None:
            await super()._replace(screen, alone)

    async def _alone(self, launch: Launch) -> Launch | None:
        """Return with what no other process is disturbed, or None for nothing."""
        owner = await self._other(launch)
        if owner is None:
            return launch
        rows = (
            PickRow("leave", "Leave it there"),
            PickRow("fork", "Go on with a copy", "under a new id; the session over there stays as it is"),
        )
        about = f"Process {owner.pid} runs it. Both at once would each know only half of what is said."
        picker = Picker("This session is open in another ccq-tui", rows, about=about)
        if await self.push_screen_wait(picker) != "fork":
            return None
        return replace(launch, fork=True)

    async def _other(self, launch: Launch) -> Owner | None:
        """Return the other process that runs the session a launch goes on with, or None."""
        running = await self._others(launch)
        if not running or launch.resume:
            return running.get(launch.resume)
        try:
            # Those of other worktrees of the same repository are not what --continue means.
            here = ("", str(launch.settings.directory))
            found = await earlier_sessions(session_options(launch))
            newest = next((one for one in found if one.directory in here), None)
        except ReaderError as error:
            _logger.warning("It is not known which session is the newest: %s", error)
            return None
        return running.get(newest.session_id) if newest is not None else None

    async def _others(self, launch: Launch) -> Mapping[str, Owner]:
        """Return the sessions that other processes run, of those that a launch may go on with."""
        if launch.fork or not (launch.resume or launch.continue_last):
            return {}
        name, directory = launch.resume, str(launch.settings.directory)
        try:
            return await self.inbox.run(lambda store: run_elsewhere(store, name, directory))
        except InboxError as error:
            _logger.warning("It is not known whether the session runs elsewhere: %s", error)
            return {}
