"""What the store keeps for a session's process: prompts that Claude has not read, and commands of others."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.inbox.requests import Denied, PermissionRequest
from ccq_tui.inbox.sent_commands import DONE_SECONDS, NOTICE_SECONDS, CommandResult, Ending, SentCommand
from ccq_tui.inbox.store import store as prompts
from ccq_tui.inbox.store.encoding import prompts_from_json, prompts_to_json
from ccq_tui.inbox.store.rows import CommandKind, CommandState, SessionState
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxUnavailable
from ccq_tui.processes import Owner, this_process
from ccq_tui.prompts.images import PromptImage
from ccq_tui.prompts.unread import PromptDraft, Sent, directory_key
from ccq_tui.runtime.session import NOTHING_WAITS
from tests.actors import PANEL
from tests.tables import each_row
from tests.unit.inbox.made import known

HERE = directory_key(Path("/work"))
GONE = Owner(2**22 + 1, "long ago")


def bodies(store: Store) -> list[PromptDraft | None]:
    return [
        prompts_from_json(row[0]) for row in store.database.rows("SELECT body FROM prompts ORDER BY number")
    ]


texts = st.text(max_size=20)


@given(texts, st.dictionaries(texts, texts, max_size=2), st.lists(st.tuples(texts, texts, texts), max_size=2))
def test_a_draft_comes_back_as_it_was(
    text: str, pastes: dict[str, str], sent: list[tuple[str, str, str]]
) -> None:
    name = "[image 1: a.png 1×1, 5 bytes]"
    images = {name: PromptImage("a.png", "0" * 64, "image/png", 1, 1, 5)}
    draft = PromptDraft(text, pastes, tuple(Sent(*one) for one in sent), images)
    assert prompts_from_json(prompts_to_json(draft)) == draft


@each_row(
    "", "{", "[]", '{"text": 1}', '{"pastes": {"b": 1}}',
    '{"sent": [[1]]}', '{"sent": 5}', "[" * 100_000,
)  # fmt: skip
def test_a_damaged_one_is_none(content: str) -> None:
    assert prompts_from_json(content) is None


def test_each_keeper_has_its_own_and_leaves_it_to_the_next(store: Store) -> None:
    table = store.prompts
    assert table.take("a", HERE) is None
    table.save("a", HERE, PromptDraft("one"))
    table.save("b", HERE, PromptDraft("two"))
    table.save("a", HERE, PromptDraft("one more"))
    assert table.take("c", HERE) is None
    table.release("a")
    assert table.take("c", "another", HERE) == PromptDraft("one more")
    assert table.take("d", HERE) is None
    table.save("c", "id-1", PromptDraft(sent=(Sent("p", "one more"),)))  # it was sent
    assert table.take("c", "id-1") is None, "what it wrote is in its field"
    assert bodies(store) == [PromptDraft("two"), PromptDraft(sent=(Sent("p", "one more"),))]
    table.save("c", "id-1", PromptDraft(" "))
    assert bodies(store) == [PromptDraft("two")]


@pytest.mark.parametrize(("owner", "found"), [(GONE, True), (this_process(), False)])
def test_what_a_process_has_is_its_own_while_it_runs(store: Store, owner: Owner, found: bool) -> None:
    store.prompts.save("a", HERE, PromptDraft("one"))
    store.database.do("UPDATE prompts SET owner_pid = ?, owner_start = ?", (owner.pid, owner.start))
    assert (store.prompts.take("b", HERE) is not None) == found


def test_what_is_left_is_behind_what_is_there(store: Store) -> None:
    name = "[image 1: a.png 1×1, 5 bytes]"
    first, second = (PromptImage("a.png", digit * 64, "image/png", 1, 1, 5) for digit in "12")
    store.prompts.leave(HERE, PromptDraft("one", {"[p]": "x"}, images={name: first}))
    store.prompts.leave(HERE, PromptDraft(f"two {name}", images={name: second}))
    found = known(store.prompts.take("a", HERE))
    other = name.replace("1", "2", 1)
    assert found == PromptDraft(f"one\ntwo {other}", {"[p]": "x"}, images={name: first, other: second})
    store.prompts.leave(HERE, PromptDraft("three"), "a")
    assert [one and one.text for one in bodies(store)] == [f"one\ntwo {other}\nthree"]
    assert store.prompts.take("b", HERE) is not None


def test_what_is_too_long_is_refused_and_what_was_kept_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.prompts.save("a", HERE, PromptDraft("one"))
    monkeypatch.setattr(prompts, "MOST_CHARACTERS", 100)
    with pytest.raises(InboxUnavailable, match="more than 100 characters"):
        store.prompts.save("a", HERE, PromptDraft("x" * 100))
    assert bodies(store) == [PromptDraft("one")]
    monkeypatch.setattr(prompts, "MOST_KEPT", 2)
    for name in ("b", "c"):
        store.prompts.save(name, HERE, PromptDraft(name))
    assert bodies(store) == [PromptDraft("b"), PromptDraft("c")]


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

    def step(self) -> CommandResult | None:
        return self.sent.step(self.store)

    def becomes(self, state: CommandState, why: str = "") -> None:
        (command,) = self.store.commands.open()
        assert (command.kind, command.session_id, command.actor) == (self.kind, "s1", PANEL)
        if state is CommandState.TAKEN:
            assert self.store.commands.take(command.number, this_process())
        else:
            assert self.store.commands.finish(command.number, state, why)
        assert not self.store.commands.take(command.number, GONE)

    def taken(self) -> None:
        """Look, have the session take the command, and look again."""
        assert self.step() is None
        self.becomes(CommandState.TAKEN)
        assert self.step() is None

    def ended(self) -> tuple[Ending, str]:
        parking = self.step()
        assert parking is not None
        assert self.store.commands.open() == []
        return parking.ending, parking.words


@pytest.fixture
def place(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Place]:
    made = Place(tmp_path / "inbox.db", getattr(request, "param", CommandKind.PARK))
    yield made
    made.store.close()


def test_it_is_taken_on_and_done(place: Place) -> None:
    assert place.step() is None
    place.taken()
    place.store.sessions.set_state("s1", SessionState.PARKED, "asked")
    assert place.step() is None
    place.store.sessions.release("s1", this_process())
    assert place.ended() == (Ending.DONE, "is paused: 1 request waits without a process")


def test_it_is_refused_or_not_needed(place: Place) -> None:
    assert place.step() is None
    place.becomes(CommandState.REFUSED, NOTHING_WAITS)
    assert place.ended() == (Ending.REFUSED, NOTHING_WAITS)
    place.store.sessions.release("s1", this_process())
    again = place.again()
    assert again.step(place.store) == CommandResult(
        Ending.ALREADY, "is paused already: 1 request waits without a process"
    )
    place.store.requests.settle(place.request.id, Denied(), PANEL)
    for name in ("s1", "unknown"):
        prompt = place.again(name).step(place.store)
        assert prompt == CommandResult(Ending.REFUSED, "is not running, and nothing waits in it")


def test_a_process_that_does_not_react_in_time_finds_no_command_later(place: Place) -> None:
    assert place.step() is None
    place.now += NOTICE_SECONDS + 1
    ending, words = place.ended()
    assert ending is Ending.REFUSED
    assert f"process {this_process().pid}, did not respond" in words


def test_a_command_that_nobody_waits_for_is_withdrawn_unless_it_was_taken(place: Place) -> None:
    place.sent.withdraw(place.store)
    assert place.step() is None
    place.sent.withdraw(place.store)
    assert place.store.commands.open() == [], "nobody parks what nobody wants any more"
    again = place.again()
    assert again.step(place.store) is None
    place.becomes(CommandState.TAKEN)
    again.withdraw(place.store)
    taken = place.store.commands.get(place.store.commands.last())
    assert (taken.state, taken.taker) == (CommandState.TAKEN, this_process())


def test_what_is_taken_on_takes_too_long_or_is_answered_meanwhile(place: Place) -> None:
    place.taken()
    place.now += DONE_SECONDS + 1
    assert place.ended()[0] is Ending.SLOW
    place.store.requests.settle(place.request.id, Denied(), PANEL)
    assert place.ended() == (Ending.REFUSED, "continues: its requests have just been answered")


def test_a_process_that_ends_meanwhile_leaves_no_command(place: Place) -> None:
    assert place.step() is None
    place.store.sessions.release("s1", this_process())
    place.store.sessions.claim("s1", GONE)
    assert place.ended() == (Ending.ALREADY, "no longer has a process: 1 request waits without a process")


@pytest.mark.parametrize("place", [CommandKind.SEND, CommandKind.INTERRUPT], indirect=True)
def test_its_taker_says_what_was_done(place: Place) -> None:
    place.taken()
    assert place.store.commands.finish(place.store.commands.last(), CommandState.DONE, "has it")
    assert place.ended() == (Ending.DONE, "has it")
    place.store.sessions.release("s1", this_process())
    refused = place.again().step(place.store)
    words = "is not running; ccq-tui resume s1 continues it"
    assert refused == CommandResult(Ending.REFUSED, words)


@pytest.mark.parametrize("place", [CommandKind.END], indirect=True)
def test_an_end_is_done_when_the_process_is_gone(place: Place) -> None:
    place.taken()
    place.store.sessions.release("s1", this_process())
    assert place.ended() == (Ending.DONE, "has ended: 1 request waits without a process")
    done = place.store.commands.get(place.store.commands.last())
    assert done.state is CommandState.DONE
    already = place.again().step(place.store)
    assert already == CommandResult(Ending.ALREADY, "has no process: 1 request waits without a process")


@pytest.mark.parametrize("place", [CommandKind.SEND], indirect=True)
def test_a_prompt_may_be_taken_by_a_process_that_shows_the_session_at_rest(place: Place) -> None:
    place.store.sessions.release("s1", this_process())
    place.store.listeners.add(this_process())
    place.taken()
    other = place.again()
    assert other.step(place.store) is None
    place.now += NOTICE_SECONDS + 1
    words = "is not running; ccq-tui resume s1 continues it"
    assert other.step(place.store) == CommandResult(Ending.REFUSED, words), "none of them shows it"


def test_a_command_whose_taker_has_ended_is_refused(place: Place) -> None:
    assert place.step() is None
    (command,) = place.store.commands.open()
    assert place.store.commands.take(command.number, GONE)
    assert place.ended() == (Ending.REFUSED, "is not paused: the ccq-tui that runs it ended")
