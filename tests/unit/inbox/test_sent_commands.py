"""The process that runs a session does what another one commands."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from ccq_tui.inbox.requests import Denied, PermissionRequest
from ccq_tui.inbox.sent_commands import DONE_SECONDS, NOTICE_SECONDS, CommandResult, Ending, SentCommand
from ccq_tui.inbox.store.commands import CommandKind, CommandState
from ccq_tui.inbox.store.rows import StoredSessionState
from ccq_tui.inbox.store.schema import MIGRATIONS, migrate, version_of
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import Owner, this_process
from ccq_tui.runtime.session import NOTHING_WAITS
from tests.actors import PANEL

DEAD = Owner(2**22 + 1, "long ago")


class Place:
    """A session that this process runs, in which a question waits, and a command to it."""

    def __init__(self, path: Path, kind: CommandKind = CommandKind.PARK) -> None:
        self.kind = kind
        self.store = Store(path)
        self.now = 0.0
        self.sent = self.again()
        self.store.sessions.claim("s1", this_process())
        self.request = self.store.requests.add(PermissionRequest("t1", "s1", "Bash", {})).request

    def again(self, session_id: str = "s1") -> SentCommand:
        return SentCommand(self.kind, session_id, PANEL, clock=self.clock)

    def clock(self) -> float:
        return self.now

    def look(self) -> CommandResult | None:
        return self.sent.look(self.store)

    def becomes(self, state: CommandState, why: str = "") -> None:
        (command,) = self.store.commands.open()
        assert (command.kind, command.session_id, command.actor) == (self.kind, "s1", PANEL)
        if state is CommandState.TAKEN:
            assert self.store.commands.take(command.number, this_process())
        else:
            assert self.store.commands.finish(command.number, state, why)
        assert not self.store.commands.take(command.number, DEAD)

    def ended(self) -> tuple[Ending, str]:
        parking = self.look()
        assert parking is not None
        assert self.store.commands.open() == []
        return parking.ending, parking.words


@pytest.fixture
def place(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Place]:
    made = Place(tmp_path / "inbox.db", getattr(request, "param", CommandKind.PARK))
    yield made
    made.store.close()


def test_it_is_taken_on_and_done(place: Place) -> None:
    assert place.look() is None
    assert place.look() is None
    place.becomes(CommandState.TAKEN)
    assert place.look() is None
    place.store.sessions.set_state("s1", StoredSessionState.PARKED, "asked")
    assert place.look() is None
    place.store.sessions.release("s1", this_process())
    assert place.ended() == (Ending.DONE, "is parked: 1 request waits without a process")


def test_it_is_refused_or_not_needed(place: Place) -> None:
    assert place.look() is None
    place.becomes(CommandState.REFUSED, NOTHING_WAITS)
    assert place.ended() == (Ending.REFUSED, NOTHING_WAITS)
    place.store.sessions.release("s1", this_process())
    again = place.again()
    assert again.look(place.store) == CommandResult(
        Ending.ALREADY, "is parked already: 1 request waits without a process"
    )
    place.store.requests.settle(place.request.id, Denied(), PANEL)
    for name in ("s1", "unknown"):
        told = place.again(name).look(place.store)
        assert told == CommandResult(Ending.REFUSED, "is not running, and nothing waits in it")


def test_a_process_that_does_not_react_in_time_finds_no_command_later(place: Place) -> None:
    assert place.look() is None
    place.now += NOTICE_SECONDS + 1
    ending, words = place.ended()
    assert ending is Ending.REFUSED
    assert f"process {this_process().pid}, did not respond" in words


def test_a_command_that_nobody_waits_for_is_withdrawn_unless_it_was_taken(place: Place) -> None:
    place.sent.withdraw(place.store)
    assert place.look() is None
    place.sent.withdraw(place.store)
    assert place.store.commands.open() == [], "nobody parks what nobody wants any more"
    again = place.again()
    assert again.look(place.store) is None
    place.becomes(CommandState.TAKEN)
    again.withdraw(place.store)
    taken = place.store.commands.get(place.store.commands.last())
    assert taken is not None
    assert (taken.state, taken.taker) == (CommandState.TAKEN, this_process())


def test_what_is_taken_on_takes_too_long_or_is_answered_meanwhile(place: Place) -> None:
    assert place.look() is None
    place.becomes(CommandState.TAKEN)
    assert place.look() is None
    place.now += DONE_SECONDS + 1
    assert place.ended()[0] is Ending.SLOW
    place.store.requests.settle(place.request.id, Denied(), PANEL)
    assert place.ended() == (Ending.REFUSED, "continues: its requests have just been answered")


def test_a_process_that_ends_meanwhile_leaves_no_command(place: Place) -> None:
    assert place.look() is None
    place.store.sessions.release("s1", this_process())
    place.store.sessions.claim("s1", DEAD)
    assert place.ended() == (Ending.ALREADY, "no longer has a process: 1 request waits without a process")


@pytest.mark.parametrize("place", [CommandKind.SEND, CommandKind.INTERRUPT], indirect=True)
def test_its_taker_says_what_was_done(place: Place) -> None:
    assert place.look() is None
    place.becomes(CommandState.TAKEN)
    assert place.look() is None
    assert place.store.commands.finish(place.store.commands.last(), CommandState.DONE, "has it")
    assert place.ended() == (Ending.DONE, "has it")
    place.store.sessions.release("s1", this_process())
    refused = place.again().look(place.store)
    words = "is not running; ccq-tui resume s1 continues it"
    assert refused == CommandResult(Ending.REFUSED, words)


@pytest.mark.parametrize("place", [CommandKind.END], indirect=True)
def test_an_end_is_done_when_the_process_is_gone(place: Place) -> None:
    assert place.look() is None
    place.becomes(CommandState.TAKEN)
    assert place.look() is None
    place.store.sessions.release("s1", this_process())
    assert place.ended() == (Ending.DONE, "has ended: 1 request waits without a process")
    done = place.store.commands.get(place.store.commands.last())
    assert done is not None
    assert done.state is CommandState.DONE
    already = place.again().look(place.store)
    assert already == CommandResult(Ending.ALREADY, "has no process: 1 request waits without a process")


@pytest.mark.parametrize("place", [CommandKind.SEND], indirect=True)
def test_a_prompt_may_be_taken_by_a_process_that_shows_the_session_at_rest(place: Place) -> None:
    place.store.sessions.release("s1", this_process())
    place.store.listeners.add(this_process())
    assert place.look() is None
    place.becomes(CommandState.TAKEN)
    assert place.look() is None
    other = place.again()
    assert other.look(place.store) is None
    place.now += NOTICE_SECONDS + 1
    words = "is not running; ccq-tui resume s1 continues it"
    assert other.look(place.store) == CommandResult(Ending.REFUSED, words), "none of them shows it"


def test_a_command_whose_taker_has_ended_is_refused(place: Place) -> None:
    assert place.look() is None
    (command,) = place.store.commands.open()
    assert place.store.commands.take(command.number, DEAD)
    assert place.ended() == (Ending.REFUSED, "is not parked: the ccq-tui that runs it ended")


def test_an_inbox_without_commands_is_brought_forward(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    before = sqlite3.connect(path, isolation_level=None)
    migrate(before, MIGRATIONS[:1])
    before.execute(
        "INSERT INTO sessions VALUES ('s1', '/', 'old', 'parked', NULL, '', '2026-01-31T12:00:00.000000Z',"
        " '2026-01-31T12:00:00.000000Z', '{}', '', 0, 0)"
    )
    before.close()
    store = Store(path)
    assert version_of(store.database._connection) == len(MIGRATIONS)
    known = store.sessions.get("s1")
    assert known is not None
    assert known.name == "old"
    assert store.commands.withdraw(store.commands.add(CommandKind.PARK, "s1", PANEL))
    store.close()
