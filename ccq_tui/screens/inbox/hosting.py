"""The program as what stands around the inbox screen: it shows, wakes and opens the sessions that asked."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from textual import on

from ccq_tui.agent.recorded.origin import recorded_sessions
from ccq_tui.config import Launch, SettingsError
from ccq_tui.config.trust import trusts
from ccq_tui.inbox import InboxError
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.elsewhere import runs_elsewhere
from ccq_tui.inbox.waiting import Draft
from ccq_tui.screens.inbox.listing import InboxRow, Place
from ccq_tui.screens.inbox.port import AtRest
from ccq_tui.screens.inbox.screen import InboxScreen
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.sessions.informing import Informing
from ccq_tui.supervisor.launches import launch_in
from ccq_tui.widgets.lifetime import is_live, start_work
from ccq_tui.worktrees.making import back_in
from ccq_tui.worktrees.model import WorktreeError

INBOX = "the inbox of another ccq-tui"
"""Who wishes it, for the history of whoever parks."""
_logger = logging.getLogger(__name__)


class Inboxing(Informing):
    """Opens the inbox screen, and does what it asks of the sessions; see `InboxHost`."""

    @on(SessionScreen.InboxWanted)
    def _show_inbox(self) -> None:
        if self.front is None:
            # A recording, which has no sessions around it.
            if isinstance(self.screen, SessionBase):
                self.screen.dock.notices.say("Nothing waits for an answer")
        elif not isinstance(self.screen, InboxScreen):
            self.push_screen(InboxScreen(self, clock=self.clock), self._chosen_in_inbox)

    def _chosen_in_inbox(self, row: InboxRow | None) -> None:
        if row is not None:
            start_work(self, partial(self._chosen, row), name="go to session", group="sessions")

    async def _chosen(self, row: InboxRow) -> None:
        if problem := await self.go_to(row):
            self.tell(problem)

    def way_back(self) -> str:
        """Say where leaving the inbox screen leads, in one or two words."""
        return "back"

    async def recorded(self) -> frozenset[str] | None:
        """Return the sessions that Claude Code keeps, or None where that is not known."""
        environment = self.sessions[0].launch.environment if self.sessions else {}
        return await asyncio.to_thread(recorded_sessions, {**os.environ, **environment})

    def open_here(self) -> Mapping[str, str]:
        """Return what the sessions of this terminal are called, or "", by Claude session id."""
        return {name: screen.view.title for screen in self.sessions if (name := screen.session.known_id)}

    def draft_here(self, row: InboxRow) -> Draft | None:
        """Return the draft of a request as its session in this terminal has it, or None."""
        screen = self._screen_of(row)
        return screen.dock.draft_of(row.id) if screen is not None and is_live(screen) else None

    def keep_draft_here(self, row: InboxRow, draft: Draft) -> None:
        """Give a draft to the session in this terminal that has the request, if there is one."""
        screen = self._screen_of(row)
        if screen is not None and is_live(screen):
            screen.dock.put_draft(row.id, draft)

    def touch_here(self, row: InboxRow) -> None:
        """Count the limits of the session in this terminal that has the request from now, if there is one."""
        screen = self._screen_of(row)
        if screen is not None:
            screen.touch()

    async def park(self, row: InboxRow) -> str:
        """Park the session of a request, whichever process runs it; return in words how that went."""
        try:
            words = await self.supervisor.park(row.session_id, Actor.here(Surface.INBOX))
        except InboxError as error:
            return f"{row.session} was not parked: {error}"
        return f"{row.session} {words}" if words else "Parked: it waits without a process"

    def tell(self, text: str) -> None:
        """Say something in the session on the screen, after the inbox screen was left."""
        self._say(text, seconds=20.0)

    async def go_to(self, row: InboxRow) -> str:
        """Show the session of a request, resumed where it rests.

        Args:
            row: The request.

        Returns:
            Why that cannot be, in words, or "".
        """
        screen = self._screen_of(row)
        if screen is None:
            return await self.resume(row, behind=False)
        await self.show_session(self.sessions.index(screen) + 1)
        screen.dock.unfold(row.id)
        return ""

    async def deliver(self, row: InboxRow) -> str:
        """See to it that the agent gets what was decided; return in words how it does."""
        name = row.session
        if self._screen_of(row) is not None:
            return f"Answered · {name} goes on"
        if row.place is Place.OTHER or await self._runs_elsewhere(row.session_id):
            return f"Answered · the ccq-tui that runs {name} delivers it"
        if row.place is Place.GONE:
            return "Not delivered: its session is gone"
        problem = await self.resume(row, behind=True)
        return problem or f"Answered · {name} is started in the background to get it"

    async def resume(self, row: AtRest, *, behind: bool) -> str:
        """Open a session that rests.

        Args:
            row: The session, or a request of it.
            behind: Whether the session is not shown.

        Returns:
            Why it was not opened, in words, or "".
        """
        if await self._runs_elsewhere(row.session_id):
            return f"{row.session} runs in another ccq-tui now"
        directory = Path(row.directory)
        try:
            # A worktree in which nothing was left is made anew.
            await asyncio.to_thread(back_in, directory, trusts=trusts)
            launch = replace(await self.launch_for(directory), resume=row.session_id)
        except (SettingsError, WorktreeError, OSError) as error:
            return f"There is no session in {row.directory}: {error}"
        trusted = await self.if_trusted(launch, leave="not now")
        if trusted is None:
            return f"{row.session} was not started: you did not trust its directory"
        await (self.add_behind if behind else self._add)(trusted)
        return ""

    async def _runs_elsewhere(self, session_id: str) -> bool:
        try:
            return await self.inbox.run(lambda store: runs_elsewhere(store, session_id)) is not None
        except InboxError as error:
            _logger.warning("It is not known whether a session runs elsewhere: %s", error)
            return False

    async def launch_for(self, directory: Path) -> Launch:
        """Say what a session in a directory is started with.

        Raises:
            SettingsError: The directory's own settings cannot be used.
        """
        front = self.front or self.sessions[-1]
        return await asyncio.to_thread(launch_in, directory, "", front.launch)

    def _screen_of(self, row: InboxRow) -> SessionScreen | None:
        return next((screen for screen in self.sessions if screen.session.known_id == row.session_id), None)
