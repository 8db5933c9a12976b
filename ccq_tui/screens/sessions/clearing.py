"""The program that clears away the worktrees of sessions that have ended, where nothing would be lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from ccq_tui.config import Launch
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.sessions.informing import Informing
from ccq_tui.supervisor.worktree_cleanup import clear_worktree, own_worktree
from ccq_tui.worktrees.saying import kept

_logger = logging.getLogger(__name__)

CLEAR_SECONDS = 10.0
"""How long the end of the program may take for that."""
UNSEEN = "the program ended before it was looked at"


class Clearing(Informing):
    """Removes a session's worktree with the session, or says why it is kept."""

    parting: tuple[str, ...] = ()
    """What is to be said on the terminal after the program has ended."""

    async def clear(
        self, launch: Launch, screen: SessionBase | None = None, beside: Sequence[SessionBase] | None = None
    ) -> tuple[str, ...]:
        """Remove the worktree of a session that has ended, unless somebody needs it or it holds something.

        Args:
            launch: What the session was started with.
            screen: The session; None for one that never began.
            beside: The sessions that go on; all others of this terminal unless told.

        Returns:
            What a person should know of it, a line each.
        """
        worktree = await asyncio.to_thread(own_worktree, launch)
        if worktree is None:
            return ()
        if screen is not None and screen.waits_to_begin:
            return kept(worktree, "a prompt that was not sent waits in it", in_use=True)
        session_id = (screen.view.session_id if screen is not None else "") or launch.resume
        others = [one for one in self.sessions if one is not screen] if beside is None else beside
        if any(one.launch.settings.directory == launch.settings.directory for one in others):
            return kept(worktree, "another session works in it", session_id, in_use=True)
        return await clear_worktree(self.inbox, worktree, session_id)

    async def clear_all(self, first: Launch, *, ended: bool) -> None:
        """Clear the worktrees of all sessions, at the end of the program; `parting` says what came of it.

        Args:
            first: What the program was started with; it may not have come to a session.
            ended: Whether the sessions did end: nothing is taken from under a process.
        """
        ends: list[tuple[Launch, SessionBase | None]] = [(one.launch, one) for one in self.sessions]
        ends = ends or [(self.unopened or first, None)]
        self.parting = tuple(
            line for launch, _one in ends if launch.worktree for line in kept(launch.worktree, UNSEEN)
        )
        if not ended:
            return
        said: list[str] = []
        try:
            async with asyncio.timeout(CLEAR_SECONDS):
                for launch, one in ends:
                    said.extend(await self.clear(launch, one, ()))
        except TimeoutError:
            _logger.warning("Worktrees were not looked at within %s s", CLEAR_SECONDS)
            return
        self.parting = tuple(said)
