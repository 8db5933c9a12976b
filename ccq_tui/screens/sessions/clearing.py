"""The program that clears away the worktrees of sessions that have ended, where nothing would be lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from ccq_tui.config import Launch
from ccq_tui.inbox import InboxError
from ccq_tui.inbox.store import Store
from ccq_tui.processes import alive, this_process
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.sessions.informing import Informing
from ccq_tui.worktrees.ending import held_by, remove
from ccq_tui.worktrees.git import GitError
from ccq_tui.worktrees.model import Worktree, is_ours, worktree_at
from ccq_tui.worktrees.saying import held_words, kept, removed

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
        try:
            known, why = await self.inbox.run(lambda store: _needed(store, str(worktree.path), session_id))
        except InboxError as error:
            return kept(worktree, f"it is not known what waits in it ({error})", session_id, in_use=True)
        session_id = session_id if known else ""
        if why:
            return kept(worktree, why, session_id, in_use=True)
        return await asyncio.to_thread(_cleared, worktree, session_id)

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


def own_worktree(launch: Launch) -> Worktree | None:
    """Return the worktree that goes with a session: made for it, or for the one that it goes on with."""
    if launch.worktree is not None:
        return launch.worktree
    if not (launch.resume or launch.continue_last):
        return None
    worktree = worktree_at(launch.settings.directory)
    return worktree if worktree is not None and is_ours(worktree) else None


def _needed(store: Store, directory: str, session_id: str) -> tuple[bool, str]:
    """Say whether a session can be gone on with, and why its directory is needed, or ""."""
    counts = store.waiting_counts()
    sessions = store.sessions(directory)
    known = any(one.id == session_id for one in sessions)
    if counts.get(session_id):
        return known, "a question waits in its session"
    for one in sessions:
        if one.id != session_id and counts.get(one.id):
            return known, "a question of another session waits in it"
        if one.owner is not None and one.owner != this_process() and alive(one.owner):
            return known, "another ccq-tui works in it"
    return known, ""


def _cleared(worktree: Worktree, session_id: str) -> tuple[str, ...]:
    """Remove a worktree that holds nothing; say what became of it. Runs git: for a thread."""
    try:
        held = held_by(worktree)
        if not held.nothing:
            return kept(worktree, held_words(held), session_id, held.branch)
        remove(worktree, held)
    except GitError as error:
        return kept(worktree, str(error), session_id)
    return (removed(worktree),)
