"""Commands to a session, given to the process that runs it, perhaps another one, and their results."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.store.rows import CommandKind, CommandState, SessionState, StoredCommand, StoredSession
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import alive
from ccq_tui.words import waiting

NOTICE_SECONDS = 5.0
"""Seconds in which the other process must notice a command; it looks five times a second."""
DONE_SECONDS = 20.0
"""Seconds from then until the command must be done: a process of Claude has ended, for example."""
POLL_SECONDS = 0.05
"""Seconds between two looks."""
_ENDS_PROCESS = (CommandKind.PARK, CommandKind.END)
_PARTICIPLES = {
    CommandKind.PARK: "paused",
    CommandKind.SEND: "given the prompt",
    CommandKind.INTERRUPT: "interrupted",
    CommandKind.END: "ended",
}


class Ending(StrEnum):
    """The end of a command to a session."""

    DONE = "done"
    ALREADY = "already"
    """Its process, which was to end, had ended already."""
    REFUSED = "refused"
    """It cannot be done, and nothing was changed."""
    SLOW = "slow"
    """The process accepted, but did not finish in the time allowed."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a command to a session; ``words`` describe it after the session's name."""

    ending: Ending
    words: str


@dataclass
class SentCommand:
    """A command to a session; call `step` until it returns the result."""

    kind: CommandKind
    session_id: str
    actor: Actor
    body: Mapping[str, Any] | None = None
    clock: Callable[[], float] = field(default=time.monotonic, kw_only=True)
    _number: int = field(default=0, init=False)
    _until: float = field(default=0.0, init=False)
    _taken: bool = field(default=False, init=False)

    def step(self, store: Store) -> CommandResult | None:
        """Do the next step, and return the result, or None while there is none; raises `InboxError`."""
        session = store.sessions.get(self.session_id)
        command = store.commands.get(self._number) if self._number else None
        if command is not None and command.state in (CommandState.DONE, CommandState.REFUSED):
            return CommandResult(Ending(command.state), command.words)
        if session is None or not alive(session.owner):
            # A ccq-tui may show the session, and start it for a prompt.
            starts = self.kind is CommandKind.SEND and session is not None and store.listeners.any()
            if not starts:
                return self._without_process(store, session, command)
        if command is None:
            self._number = store.commands.add(self.kind, self.session_id, self.actor, self.body)
            self._until = self.clock() + NOTICE_SECONDS
            return None
        if command.state is CommandState.TAKEN:
            return self._taken_on(store, command)
        if self.clock() < self._until or not store.commands.withdraw(self._number):
            return None
        if session is None or session.owner is None or not alive(session.owner):
            return self._without_process(store, session, None)
        not_done = f"is not {_PARTICIPLES[self.kind]}: the ccq-tui that runs it"
        late = f"process {session.owner.pid}, did not respond in {NOTICE_SECONDS:.0f} s"
        return CommandResult(Ending.REFUSED, f"{not_done}, {late}")

    def withdraw(self, store: Store) -> None:
        """Withdraw the command unless it was accepted: nobody waits any longer; raises `InboxError`."""
        if self._number:
            store.commands.withdraw(self._number)

    def _waiting(self, store: Store) -> int:
        return store.requests.waiting_counts().get(self.session_id, 0)

    def _without_process(
        self, store: Store, session: StoredSession | None, command: StoredCommand | None
    ) -> CommandResult:
        count = self._waiting(store)
        left = f": {waiting(count, 'request')} without a process" if count else ""
        parks, ends = self.kind is CommandKind.PARK, self.kind in _ENDS_PROCESS
        is_parked = session is not None and session.state is SessionState.PARKED
        taken = command is not None and command.state is CommandState.TAKEN
        if command is not None and taken and ends and (is_parked or not parks):
            words = f"{'is paused' if parks else 'has ended'}{left}"
            store.commands.finish(command.number, CommandState.DONE, words)
            return CommandResult(Ending.DONE, words)
        if command is not None:
            words = "no longer has a process"
            if taken:
                store.commands.finish(command.number, CommandState.REFUSED, words)
            store.commands.withdraw(command.number)
            return CommandResult(Ending.ALREADY if ends else Ending.REFUSED, f"{words}{left}")
        if parks and count:
            return CommandResult(Ending.ALREADY, f"is paused already{left}")
        if self.kind is CommandKind.END:
            return CommandResult(Ending.ALREADY, f"has no process{left}")
        return CommandResult(
            Ending.REFUSED,
            "is not running, and nothing waits in it"
            if parks
            else f"is not running; ccq-tui resume {self.session_id} continues it",
        )

    def _taken_on(self, store: Store, command: StoredCommand) -> CommandResult | None:
        if not self._taken:
            self._taken, self._until = True, self.clock() + DONE_SECONDS
        words = ""
        if self.kind is CommandKind.PARK and not self._waiting(store):
            words = "continues: its requests have just been answered"
        elif not alive(command.taker):
            words = f"is not {_PARTICIPLES[self.kind]}: the ccq-tui that runs it ended"
        if words:
            store.commands.finish(command.number, CommandState.REFUSED, words)
            return CommandResult(Ending.REFUSED, words)
        if self.clock() < self._until:
            return None
        being = f"is being {_PARTICIPLES[self.kind]}"
        runs = ", and its process still runs" if self.kind in _ENDS_PROCESS else ", which is not done"
        return CommandResult(Ending.SLOW, f"{being}{runs} after {DONE_SECONDS:.0f} s")
