"""The worktrees of sessions that have ended: removed if nothing would be lost with them, else kept."""

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from ccq_tui.config.launch import Launch
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.processes import alive, this_process
from ccq_tui.worktrees.git import GitError
from ccq_tui.worktrees.model import Worktree, is_ours, worktree_at
from ccq_tui.worktrees.removal import held_by, kept, remove, removed

_logger = logging.getLogger(__name__)

CLEAR_SECONDS = 10.0
"""Seconds that the removal may take at the end of the program."""
UNSEEN = "the program ended before it was checked"


@dataclass(frozen=True, slots=True)
class EndedSession:
    """A session that has ended, or that never began.

    Attributes:
        launch: The launch of the session.
        session_id: The Claude session id, or "".
    """

    launch: Launch
    session_id: str = ""


class WorktreeCleanup:
    """Removes a session's worktree with the session, or reports why it is kept.

    Args:
        inbox: Returns the inbox, which has the requests and the other sessions of a worktree.

    Attributes:
        parting: The lines to print on the terminal after the program has ended.
    """

    def __init__(self, inbox: Callable[[], Inbox]) -> None:
        self._inbox = inbox
        self.parting: tuple[str, ...] = ()

    async def clear(self, ended: EndedSession, beside: Collection[Path] = ()) -> tuple[str, ...]:
        """Remove the worktree of a session, unless it is needed or it holds something.

        Args:
            ended: The session.
            beside: The directories of the other sessions of this process.

        Returns:
            The lines for a person about it.
        """
        worktree = await asyncio.to_thread(_own_worktree, ended.launch)
        if worktree is None:
            return ()
        session_id = ended.session_id or ended.launch.resume
        if ended.launch.settings.directory in beside:
            return kept(worktree, "another session works in it", session_id, in_use=True)
        try:
            known, why = await self._inbox().run(lambda store: _needed(store, str(worktree.path), session_id))
        except InboxError as error:
            return kept(worktree, f"its waiting requests are unknown ({error})", session_id, in_use=True)
        session_id = session_id if known else ""
        if why:
            return kept(worktree, why, session_id, in_use=True)
        return await asyncio.to_thread(_cleared, worktree, session_id)

    async def clear_all(self, sessions: Sequence[EndedSession], *, ended: bool) -> None:
        """Clear the worktrees of all sessions, at the end of the program; `parting` gets the results.

        Args:
            sessions: All sessions.
            ended: Whether they did end: no worktree is removed under a process.
        """
        self.parting = _unseen(sessions)
        if not ended:
            return
        results: tuple[str, ...] = ()
        try:
            async with asyncio.timeout(CLEAR_SECONDS):
                for number, one in enumerate(sessions, 1):
                    results += await self.clear(one)
                    self.parting = results + _unseen(sessions[number:])
        except TimeoutError:
            _logger.warning("Not all worktrees were looked at within %s s", CLEAR_SECONDS)


def _unseen(sessions: Sequence[EndedSession]) -> tuple[str, ...]:
    """Return the lines about the worktrees that were not checked."""
    worktrees = (one.launch.worktree for one in sessions)
    return tuple(line for worktree in worktrees if worktree for line in kept(worktree, UNSEEN))


def _own_worktree(launch: Launch) -> Worktree | None:
    """Return the worktree made for a session, or for the session that it resumes; or None."""
    if launch.worktree is not None:
        return launch.worktree
    if not (launch.resume or launch.continue_last):
        return None
    worktree = worktree_at(launch.settings.directory)
    return worktree if worktree is not None and is_ours(worktree) else None


def _needed(store: Store, directory: str, session_id: str) -> tuple[bool, str]:
    """Return whether a session can be resumed, and why its directory is needed, or ""."""
    counts = store.requests.waiting_counts()
    sessions = store.sessions.page(directory)
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
    """Remove a worktree that holds nothing; return the lines about it. Runs git: for a thread."""
    try:
        held = held_by(worktree)
        if held.words:
            return kept(worktree, held.words, session_id, held.branch)
        remove(worktree, held)
    except GitError as error:
        return kept(worktree, str(error), session_id)
    return (removed(worktree),)
