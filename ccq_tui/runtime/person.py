"""The questions before a session starts, whoever answers them, and what their answers do.

That another process runs a session is found in advance, which saves a start in vain; the claim that a start
needs (`ccq_tui.inbox.port.Claim`) keeps a session from being run twice.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from ccq_tui.agent.reader import ReaderError, earlier_sessions
from ccq_tui.config.launch import Launch, trusting
from ccq_tui.config.trust import Carried, TrustAnswer
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.sent_commands import POLL_SECONDS, CommandResult, Ending, SentCommand
from ccq_tui.inbox.store.rows import CommandKind
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.processes import Owner, alive, this_process
from ccq_tui.runtime.launches import made, without_files

_logger = logging.getLogger(__name__)


class ElsewhereAnswer(StrEnum):
    """What to do with a session that another process runs; the first one changes nothing."""

    LEAVE = "leave"
    FORK = "fork"
    PARK = "park"


OPEN_ELSEWHERE = "This session is open in another ccq-tui"
ELSEWHERE_WORDS = {
    ElsewhereAnswer.LEAVE: ("Leave it there", ""),
    ElsewhereAnswer.FORK: ("Fork a copy", "under a new id; the other session is unchanged"),
    ElsewhereAnswer.PARK: ("Pause it there", "then continue it here"),
}
"""What each answer does, in words."""


@dataclass(frozen=True, slots=True)
class ElsewhereQuestion:
    """A session to resume that another process runs.

    Attributes:
        session_id: The session.
        owner: The process.
        refusal: Why the process did not park it when it was asked, in words, or "".
    """

    session_id: str
    owner: Owner
    refusal: str = ""

    @property
    def words(self) -> str:
        """Why it is asked."""
        both = f"Process {self.owner.pid} runs it. Running it twice would split the conversation."
        return self.refusal or both


class Person(Protocol):
    """Answers for the person who starts sessions."""

    @property
    def actor(self) -> Actor:
        """Who answers, for the history."""

    async def trusts(self, carried: Carried, launch: Launch) -> TrustAnswer:
        """Whether the files of a directory may act; ``launch`` would start a session there."""

    async def elsewhere(self, asked: ElsewhereQuestion) -> ElsewhereAnswer:
        """What to do with a session that runs elsewhere."""


@dataclass(frozen=True, slots=True)
class Configured:
    """Answers for a service: some directories are trusted, and what runs elsewhere is left there.

    Attributes:
        trusted: The directories, or the repositories of which all directories are trusted.
        actor: The service.
    """

    trusted: Collection[Path]
    actor: Actor = field(default_factory=lambda: Actor.here(Surface.PROGRAM))

    async def trusts(self, carried: Carried, _launch: Launch) -> TrustAnswer:
        """Trust a directory that is configured, or whose repository is."""
        places = {carried.directory, carried.root}
        return TrustAnswer.TRUST if places & {*self.trusted} else TrustAnswer.LEAVE

    async def elsewhere(self, _asked: ElsewhereQuestion) -> ElsewhereAnswer:
        """Leave it."""
        return ElsewhereAnswer.LEAVE


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
        stored = [store.sessions.get(session_id)] if session_id else store.sessions.page(directory)
        owners = {one.id: one.owner for one in stored if one is not None and one.owner is not None}
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
        if (result := await run(command.step)) is not None:
            return result
        await asyncio.sleep(POLL_SECONDS)


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


async def let_in(person: Person, launch: Launch) -> Launch | None:
    """Ask until nothing that a launch carries awaits trust, and make its worktree.

    Returns:
        The launch to start, or None if the person does not trust its directory.

    Raises:
        SettingsError: The settings in the new worktree cannot be used.
        WorktreeError: The worktree cannot be made.
    """
    # A worktree that is made after the answer can have other settings than its repository.
    while (carried := launch.trusted.carried) is not None:
        match await person.trusts(carried, launch):
            case TrustAnswer.TRUST:
                launch = await asyncio.to_thread(lambda asked: made(trusting(asked)), launch)
            case TrustAnswer.WITHOUT:
                launch = await asyncio.to_thread(without_files, launch)
            case TrustAnswer.LEAVE:
                return None
    return launch


async def alone(person: Person, launch: Launch, inbox: Inbox) -> Launch | None:
    """Return the launch that disturbs no other process, or None to start nothing.

    It checks first, so that nothing is opened in vain; the claim keeps a session from being run twice.
    """
    refusal = ""
    while resumes(launch) and (taken := await owned_elsewhere(inbox, launch)):
        session_id, owner = taken
        answer = await person.elsewhere(ElsewhereQuestion(session_id, owner, refusal))
        if answer is ElsewhereAnswer.LEAVE:
            return None
        fork = answer is ElsewhereAnswer.FORK
        launch = replace(launch, fork=fork, resume=session_id, continue_last=False)
        if not fork:
            refusal = await request_parking(inbox, session_id, person.actor)
    return launch
