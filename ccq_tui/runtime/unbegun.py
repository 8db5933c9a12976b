"""Sessions that had not begun when their program ended, and the launch that starts each again."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path
from uuid import uuid4

from ccq_tui.agent.claude.orphans import end_leftovers
from ccq_tui.agent.claude.record import Recorded, recorded, taken
from ccq_tui.agent.options import SessionOptions, session_options
from ccq_tui.config.launch import Launch
from ccq_tui.config.trust import trusts
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.store.store import Store
from ccq_tui.prompts.unread import Unbegun
from ccq_tui.runtime.launches import LONGEST_PATH, launch_in
from ccq_tui.text import one_line
from ccq_tui.worktrees.creation import back_in
from ccq_tui.worktrees.model import worktree_at


async def take_unbegun(inbox: Inbox, here: Path) -> tuple[Unbegun, ...]:
    """Take the sessions of a directory over for this process; a surface that shows one then has its draft.

    Args:
        inbox: The inbox.
        here: The directory in which the program was started.

    Returns:
        The sessions, in the order in which they were opened.

    Raises:
        InboxUnavailable: They cannot be read or taken over.
    """
    return await inbox.run(lambda store: store.prompts.take_unbegun(partial(_belongs, here)))


def _belongs(here: Path, session: Unbegun) -> bool:
    """Return whether a session comes back with a program that is started in a directory."""
    worktree = worktree_at(Path(session.directory))
    places = (session.directory, session.opened_in, str(worktree.root) if worktree else "")
    return str(here) in places


async def launch_of_unbegun(one: Unbegun, inbox: Inbox, launch: Launch) -> Launch | None:
    """Return the launch that starts a session again.

    Args:
        one: The session.
        inbox: The inbox.
        launch: The launch of the program.

    Returns:
        The launch: it begins the session, under its id or another one, or resumes it if Claude has read
        something of it. None if Claude has read all of it, so that nothing is left to bring back.

    Raises:
        SettingsError: The directory's own settings cannot be used.
        WorktreeError: Its worktree cannot be made again.
        InboxUnavailable: Its prompts cannot be read.
    """
    launch = await asyncio.to_thread(_launch_of, one, launch)
    options = await begun_or_new(session_options(launch), one.id)
    begun_as = options.session_id or ""
    if options.resume == one.id:
        if not await inbox.run(lambda store: _left_over(store, one.id, options)):
            return None
    elif begun_as != one.id:
        await inbox.run(lambda store: store.prompts.rename(one.id, begun_as))
    return replace(launch, resume=options.resume or "", fork=options.fork, session_id=begun_as)


async def begun_or_new(options: SessionOptions, session_id: str) -> SessionOptions:
    """Return the options for a session whose program ended before Claude was known to have read anything.

    A process of it that is still there is ended.

    Args:
        options: Its options otherwise; with ``resume`` and ``fork`` if it is a copy.
        session_id: The id that was chosen for it.

    Returns:
        The options to resume it if its record has messages, else to begin it under its id, or under
        another one if the CLI would refuse that.
    """
    await end_leftovers(session_id)
    match await asyncio.to_thread(recorded, options, session_id):
        case Recorded.MESSAGES:
            return replace(options, resume=session_id, fork=False, session_id=None)
        case Recorded.NOTHING:
            return replace(options, session_id=session_id)
        case Recorded.NO_MESSAGE:
            return replace(options, session_id=str(uuid4()))


def _left_over(store: Store, session_id: str, options: SessionOptions) -> bool:
    """Return whether a begun session has anything that Claude has not read; else delete its draft."""
    draft = store.prompts.get(session_id)
    if draft is None:
        return False
    sent = {one.id: one.session or session_id for one in draft.sent}
    if draft.text.strip() or taken(options, sent) != set(sent):
        return True
    store.prompts.remove(session_id)
    return False


def _launch_of(one: Unbegun, launch: Launch) -> Launch:
    """Return the launch to begin a session; reads files, may make its worktree again: for a thread."""
    directory = Path(one.directory)
    notices: tuple[str, ...] = ()
    worktree = back_in(directory, trusts=trusts)
    if not directory.is_dir():
        here = one_line(str(launch.settings.directory), LONGEST_PATH)
        notices = (f"Its directory {one_line(one.directory, LONGEST_PATH)} is gone: it starts in {here}.",)
        directory = launch.settings.directory
    there = launch_in(directory.resolve(), "", launch)
    return replace(
        as_chosen(one, there),
        resume=one.original,
        fork=bool(one.original),
        title=one.title,
        labels=one.labels,
        worktree=worktree,
        notices=notices,
    )


def as_chosen(one: Unbegun, launch: Launch) -> Launch:
    """Return a launch with the model, mode and effort that were chosen for a session before it began."""
    chosen = {"model": one.model, "permission_mode": one.mode, "effort": one.effort}
    return replace(launch, settings=launch.settings.model_copy(update=chosen))
