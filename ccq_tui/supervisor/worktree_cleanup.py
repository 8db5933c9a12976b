"""The worktree of a session that has ended: removed where nothing would be lost with it, else kept."""

from __future__ import annotations

import asyncio

from ccq_tui.config import Launch
from ccq_tui.inbox import InboxError
from ccq_tui.inbox.durable import DurableInbox
from ccq_tui.inbox.store import Store
from ccq_tui.processes import alive, this_process
from ccq_tui.worktrees.ending import held_by, remove
from ccq_tui.worktrees.git import GitError
from ccq_tui.worktrees.model import Worktree, is_ours, worktree_at
from ccq_tui.worktrees.saying import held_words, kept, removed


def own_worktree(launch: Launch) -> Worktree | None:
    """Return the worktree of a session: made for it, or for the session that it resumes; or None."""
    if launch.worktree is not None:
        return launch.worktree
    if not (launch.resume or launch.continue_last):
        return None
    worktree = worktree_at(launch.settings.directory)
    return worktree if worktree is not None and is_ours(worktree) else None


async def clear_worktree(inbox: DurableInbox, worktree: Worktree, session_id: str) -> tuple[str, ...]:
    """Remove the worktree of a session that has ended, unless something waits in it or would be lost with it.

    Args:
        inbox: The inbox, which has what waits there and who else works there.
        worktree: The worktree; no session of this process works in it.
        session_id: The Claude session id, or "" where the session never began.

    Returns:
        What a person should know of it, a line each.
    """
    try:
        known, why = await inbox.run(lambda store: _needed(store, str(worktree.path), session_id))
    except InboxError as error:
        return kept(worktree, f"it is not known what waits in it ({error})", session_id, in_use=True)
    session_id = session_id if known else ""
    if why:
        return kept(worktree, why, session_id, in_use=True)
    return await asyncio.to_thread(_cleared, worktree, session_id)


def _needed(store: Store, directory: str, session_id: str) -> tuple[bool, str]:
    """Say whether a session can be resumed, and why its directory is needed, or ""."""
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
