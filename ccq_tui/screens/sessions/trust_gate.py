"""What stands before a session in an untrusted directory: the question, and what its answer does."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import events

from ccq_tui.config import Launch, SettingsError, state_dir
from ccq_tui.config.trust import Carried, remember
from ccq_tui.config.trust_question import Row
from ccq_tui.prompts.drafts import directory_key, leave_text
from ccq_tui.screens.sessions.starting import made, with_notices
from ccq_tui.screens.trust import TrustScreen
from ccq_tui.widgets.keys import text_of
from ccq_tui.worktrees.model import WorktreeError

if TYPE_CHECKING:
    from ccq_tui.screens.sessions.hosting import Hosting

_logger = logging.getLogger(__name__)


class TrustGate:
    """Asks before anything of a directory acts, and keeps what is typed meanwhile.

    Args:
        host: The program.
    """

    def __init__(self, host: Hosting) -> None:
        self._host = host
        self._between: str | None = None

    async def let_in(self, launch: Launch, leave: str) -> Launch | None:
        """Ask until nothing is left to be trusted; for a worker.

        Args:
            launch: What is to be started.
            leave: What it is called to start nothing, or "" where that may end the program.

        Returns:
            What to start with, or None for nothing.
        """
        wanted: Launch | None = launch
        # A worktree that is made after the answer can carry other files than its repository.
        while wanted is not None and wanted.carried is not None:
            wanted = await self._ask(wanted, wanted.carried, leave)
        return wanted

    async def _ask(self, launch: Launch, carried: Carried, leave: str) -> Launch | None:
        host, first = self._host, not self._host.sessions
        words = leave or ("quit" if first else "not now")
        asking = TrustScreen(carried, leave=words, draft=launch.draft, clock=host.clock)
        await host.push_screen(asking)
        answer = await asking.answer()
        trusted: Launch | None = None
        problem = ""
        if answer is not Row.LEAVE:
            try:
                trusted = await asyncio.to_thread(made, await self._answered(launch, carried, answer))
            except (SettingsError, WorktreeError) as error:
                problem = f"There is no session in {launch.settings.directory}: {error}"
        if trusted is None and first and (problem or not leave):
            host.problem = problem
            await self._quit(launch, asking)
            return None
        asking.pop_until_active()  # help may lie over it
        # Read last: somebody may be typing on.
        typed = asking.typed
        self._between = "" if trusted is not None else None
        asking.dismiss()
        if trusted is not None:
            return replace(trusted, draft=typed)
        host.type_on(typed.removeprefix(launch.draft))
        host.note([problem] if problem else () if leave else await host.clear(launch))
        return None

    async def _answered(self, launch: Launch, carried: Carried, answer: Row) -> Launch:
        """Say what is to be started after the answer."""
        answered = replace(launch, carried=None, trusted_settings=None)
        if answer is Row.WITHOUT:
            notice = "Settings, hooks and MCP servers of this project are left out, as you chose."
            return replace(with_notices(answered, notice), project_settings=False)
        settings = launch.trusted_settings or launch.settings
        notices = self._host.obey(carried, settings)
        answered = with_notices(replace(answered, settings=settings), *notices)
        try:
            notice = await asyncio.to_thread(remember, carried)
        except OSError as error:
            words = f"That you trust this directory could not be kept: {error.strerror or error}"
            return with_notices(answered, words)
        return with_notices(answered, notice) if notice else answered

    async def _quit(self, launch: Launch, asking: TrustScreen) -> None:
        """End the program; what was typed is kept for the directory, and no shell gets any of it."""
        await asking.quiet()
        state, key = launch.state or state_dir(), launch.resume or directory_key(launch.settings.directory)
        try:
            await asyncio.to_thread(leave_text, state / "drafts", key, asking.typed)
        except OSError as error:
            _logger.warning("What was typed could not be kept: %s", error)
        self._host.unopened = launch
        await self._host.action_quit()

    # -- between the question and the first session ---------------------------------------------------------

    def key_came(self, event: events.Key) -> None:
        """Keep a key that no screen took."""
        if self._between is not None:
            self._between += text_of(event)

    def paste_came(self, event: events.Paste) -> None:
        """Keep a paste that no screen took."""
        if self._between is not None:
            self._between += event.text

    def typed_between(self) -> str:
        """Return what was kept, for the session that is shown from now on."""
        typed, self._between = self._between or "", None
        return typed
