"""Finds sessions that another process runs, which saves a start in vain, and requests their parking.

The claim that a start needs (`ccq_tui.inbox.port.Claim`) keeps a session from being run twice.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping

from ccq_tui.agent.reader import ReaderError, earlier_sessions
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.sent_commands import LOOK_SECONDS, CommandResult, Ending, SentCommand
from ccq_tui.inbox.store.rows import CommandKind
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.processes import Owner, alive, this_process

_logger = logging.getLogger(__name__)


def resumes(launch: Launch) -> bool:
    """Return whether a launch resumes a session, which another process may run."""
    return bool(launch.resume or launch.continue_last) and not launch.fork


async def runs_elsewhere(inbox: Inbox, session_id: str) -> bool:
    """Return whether another process runs a session, as far as is known."""
    return bool(session_id and await _owners(inbox, session_id, ""))


async def may_run_elsewhere(inbox: Inbox, launch: Launch) -> bool:
    """Return whether another process runs a session that a launch may resume, as far as is known."""
    return bool(await _owners(inbox, launch.resume, str(launch.settings.directory)))


async def _owners(inbox: Inbox, session_id: str, directory: str) -> Mapping[str, Owner]:
    """Return the other processes that run a session, or all of a directory, by session id."""

    def read(store: Store) -> dict[str, Owner]:
        meant = [store.sessions.get(session_id)] if session_id else store.sessions.page(directory)
        owners = {one.id: one.owner for one in meant if one is not None and one.owner is not None}
        return {name: one for name, one in owners.items() if one != this_process() and alive(one)}

    try:
        return await inbox.run(read)
    except InboxError as error:
        _logger.warning("It is not known whether the session runs elsewhere: %s", error)
        return {}


async def owned_elsewhere(inbox: Inbox, launch: Launch) -> tuple[str, Owner] | None:
    """Return the session that a launch resumes and the other process that runs it, or None."""
    owners = await _owners(inbox, launch.resume, str(launch.settings.directory))
    name = launch.resume or (await _newest(launch) if owners else "")
    return (name, owners[name]) if name in owners else None


async def _newest(launch: Launch) -> str:
    """Return the session that --continue means, or ""."""
    try:
        # Those of other worktrees of the same repository are not what --continue means.
        here = ("", str(launch.settings.directory))
        found = await earlier_sessions(launch)
    except ReaderError as error:
        _logger.warning("It is not known which session is the newest: %s", error)
        return ""
    return next((one.session_id for one in found if one.directory in here), "")


async def result_of(
    run: Callable[[Callable[[Store], CommandResult | None]], Awaitable[CommandResult | None]],
    command: SentCommand,
) -> CommandResult:
    """Wait for the result of a command to a session of another process; raises `InboxError`."""
    while True:
        if (result := await run(command.look)) is not None:
            return result
        await asyncio.sleep(LOOK_SECONDS)


async def request_parking(inbox: Inbox, session_id: str, actor: Actor) -> str:
    """Ask the process that runs a session to park it, and wait for the outcome.

    Args:
        inbox: The inbox that both share.
        session_id: The session.
        actor: Who asks, for the history of that process.

    Returns:
        Why it is not parked, in words, or "".
    """
    try:
        parking = await result_of(inbox.run, SentCommand(CommandKind.PARK, session_id, actor))
    except InboxError as error:
        return f"It was not paused: {error}"
    return "" if parking.ending in (Ending.DONE, Ending.ALREADY) else f"It {parking.words}."
