"""The start of the program: a session, the list of earlier ones, or the inbox; then those left over."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from textual.app import App

from ccq_tui.agent.options import session_options
from ccq_tui.config.errors import SettingsError
from ccq_tui.config.keymap import with_keys
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.prompts.unread import Unbegun
from ccq_tui.runtime.launches import launch_to_resume
from ccq_tui.runtime.unbegun import as_chosen, launch_of_unbegun, take_unbegun
from ccq_tui.screens.inbox.screen import ANSWERS, InboxScreen
from ccq_tui.screens.pickers import SessionPicker, Shelf
from ccq_tui.screens.sessions.open_sessions import OpenSessions
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.screens.sessions.trust_gate import TrustGate
from ccq_tui.screens.terminal import set_title
from ccq_tui.text import one_line
from ccq_tui.widgets.lifetime import start_work
from ccq_tui.worktrees.model import WorktreeError

_logger = logging.getLogger(__name__)

WRITE_SECONDS = 5.0
"""Seconds that leaving waits for an answer that is being written."""


@dataclass(eq=False)
class Startup:
    """Begins as the command line asks."""

    _app: App[Any]
    _manager: SessionManager
    _trust: TrustGate
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
        manager = self._manager
        back = partial(bring_back, manager.sessions, self._trust, manager.inbox, first)
        start_work(self._app, back, name="backlog")

    async def _choose(self, first: Launch) -> None:
        problem = ""
        while True:
            shelf = Shelf(session_options(first), self._manager.inbox)
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


LATER = "leave it for later"
"""Label for not trusting the directory of such a session now: it comes back with the next start."""
MOST_NAMED = 3
MOST_TITLE = 32


async def bring_back(sessions: OpenSessions, trust: TrustGate, inbox: Inbox, first: Launch) -> None:
    """Open the sessions left over from earlier runs behind the first session; for a worker."""
    await sessions.begun.wait()
    try:
        found = await take_unbegun(inbox, first.settings.directory)
    except (InboxError, OSError) as error:
        _logger.warning("Sessions that had not begun cannot be brought back: %s", error)
        return
    before = len(sessions)
    plain = not (first.prompt or first.draft)
    back = [one for one in found if await _opened(sessions, trust, one, inbox, plain=plain)]
    sessions.note([_back_words(back, before + 1)] if back else [])


async def _opened(
    sessions: OpenSessions, trust: TrustGate, one: Unbegun, inbox: Inbox, *, plain: bool
) -> bool:
    """Open one session, or let an identical one take its prompts over; return whether it was opened."""
    front = sessions.front
    if front is None:
        return False
    try:
        launch = await launch_of_unbegun(one, inbox, front.launch)
    except (SettingsError, WorktreeError, InboxError) as error:
        sessions.note([f"A queued session is kept for the next start: {error}"])
        return False
    if launch is None or (plain and launch.session_id and await front.queue.take_over(one)):
        return False
    trusted = await trust.let_in(launch, leave=LATER)
    if trusted is not None:
        await sessions.add_behind(as_chosen(one, trusted))  # the answer has read its settings again
    return trusted is not None


def _back_words(back: Sequence[Unbegun], number: int) -> str:
    """Say which sessions are back, the first of them at this place."""
    named = ", ".join(f"“{one_line(one.title, MOST_TITLE)}”" for one in back[:MOST_NAMED] if one.title)
    more = f" and {len(back) - MOST_NAMED} more" if len(back) > MOST_NAMED else ""
    names = f": {named}{more}" if named else ""
    if len(back) == 1:
        return f"1 queued session is back with its prompt{names} · Alt+{number} goes there"
    count = f"{len(back)} queued sessions are back with their prompts"
    return f"{count}{names} · Alt+{number} goes to the first"
