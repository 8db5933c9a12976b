"""The questions before a session starts, whoever answers them, and what their answers do."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from ccq_tui.config.launch import Launch, trusting
from ccq_tui.config.trust import Carried, TrustAnswer
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.processes import Owner
from ccq_tui.runtime.launches import made, without_files
from ccq_tui.runtime.ownership import owned_elsewhere, request_parking, resumes


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
