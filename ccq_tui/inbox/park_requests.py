"""Park requests to the process that runs a session, perhaps another one, and their results."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum, auto

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.store.commands import CommandKind, CommandState
from ccq_tui.inbox.store.rows import StoredSession, StoredSessionState
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import alive
from ccq_tui.words import waiting

NOTICE_SECONDS = 5.0
"""Seconds in which the other process must notice a park request; it looks five times a second."""
PARK_SECONDS = 20.0
"""Seconds from then until its Claude process must be gone."""
LOOK_SECONDS = 0.05
"""Seconds between two looks."""


class Ending(Enum):
    """The end of a park request."""

    PARKED = auto()
    """It is parked now."""
    ALREADY = auto()
    """Its requests wait without a process already."""
    REFUSED = auto()
    """It cannot be parked, and nothing was changed."""
    SLOW = auto()
    """The process accepted, but did not finish in the time allowed."""


@dataclass(frozen=True, slots=True)
class Parking:
    """The result of a park request; ``words`` describe it after the session's name."""

    ending: Ending
    words: str


class ParkWish:
    """A request to park a session; call `look` until it returns the result."""

    def __init__(self, session_id: str, actor: Actor, clock: Callable[[], float] = time.monotonic) -> None:
        self._session_id = session_id
        self._actor = actor
        self._clock = clock
        self._number = 0
        self._until = 0.0
        self._taken = False

    def look(self, store: Store) -> Parking | None:
        """Do the next step, and return the result, or None while there is none; raises `InboxError`."""
        session = store.sessions.get(self._session_id)
        count = store.requests.waiting_counts().get(self._session_id, 0)
        if session is None or not alive(session.owner):
            return self._without_process(store, session, count)
        if not self._number:
            self._number = store.commands.add(CommandKind.PARK, self._session_id, self._actor)
            self._until = self._clock() + NOTICE_SECONDS
            return None
        command = store.commands.get(self._number)
        if command is None or command.state is CommandState.REFUSED:
            return Parking(Ending.REFUSED, command.words if command else "was not asked: the command is gone")
        if command.state is CommandState.TAKEN:
            return self._taken_on(count)
        return self._not_noticed(store, session)

    def withdraw(self, store: Store) -> None:
        """Withdraw the park request unless it was accepted: nobody waits any longer; raises `InboxError`."""
        if self._number:
            store.commands.withdraw(self._number)

    def _without_process(self, store: Store, session: StoredSession | None, count: int) -> Parking:
        command = store.commands.get(self._number) if self._number else None
        parked = session is not None and session.state is StoredSessionState.PARKED
        if command is not None and command.state is CommandState.TAKEN and parked:
            return Parking(Ending.PARKED, f"is parked: {waiting(count, 'request')} without a process")
        if command is not None:
            store.commands.withdraw(command.number)
            return Parking(
                Ending.ALREADY, f"no longer has a process: {waiting(count, 'request')} without one"
            )
        if count:
            return Parking(
                Ending.ALREADY, f"is parked already: {waiting(count, 'request')} without a process"
            )
        return Parking(Ending.REFUSED, "is not running, and nothing waits in it")

    def _taken_on(self, count: int) -> Parking | None:
        if not self._taken:
            self._taken, self._until = True, self._clock() + PARK_SECONDS
        if not count:
            return Parking(Ending.REFUSED, "continues: its requests have just been answered")
        if self._clock() < self._until:
            return None
        return Parking(Ending.SLOW, f"is being parked, and its process still runs after {PARK_SECONDS:.0f} s")

    def _not_noticed(self, store: Store, session: StoredSession) -> Parking | None:
        if self._clock() < self._until or not store.commands.withdraw(self._number):
            return None
        number = session.owner.pid if session.owner else 0
        return Parking(
            Ending.REFUSED,
            f"is not parked: the ccq-tui that runs it, process {number}, did not respond in "
            f"{NOTICE_SECONDS:.0f} s",
        )


async def parked_elsewhere(
    run: Callable[[Callable[[Store], Parking | None]], Awaitable[Parking | None]], wish: ParkWish
) -> Parking:
    """Wait for the result of a park request; raises `InboxError`."""
    while True:
        if (parking := await run(wish.look)) is not None:
            return parking
        await asyncio.sleep(LOOK_SECONDS)
