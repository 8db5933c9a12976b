"""The tables of runs, on SQLite and on Postgres."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ccq_tui.service.port import NewTicket, TicketMessage
from ccq_tui.service.run import Happened, Run, RunState
from ccq_tui.service.store import RunStore, RunStoreError, UnknownRunError
from tests.agent.service.postgres import MISSING, postgres, programs

NOW = datetime(2026, 1, 2, tzinfo=UTC)
RUN = Run("abc", "linear", "T-1", "A title", "", "Build it", "repo", NOW, NOW)
NEEDS_POSTGRES = pytest.mark.skipif(programs() is None, reason=MISSING)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=NEEDS_POSTGRES)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunStore]:
    with ExitStack() as stack:
        url = f"sqlite:///{tmp_path / 'runs.db'}"
        if request.param == "postgres":
            url = stack.enter_context(postgres(tmp_path))
        store = RunStore.open(url)
        yield store
        store.close()


def test_a_run_is_there_once_and_the_first_who_moves_it_wins(store: RunStore) -> None:
    assert store.create(RUN) == store.create(replace(RUN, id="other")) == RUN
    assert store.move(RUN, RunState.WORKING, machine="one", session="s")
    assert not store.move(RUN, RunState.WORKING, machine="two")
    working = store.get("abc")
    assert store.move(working, RunState.QUEUED, segment=1)
    assert not store.move(working, RunState.QUEUED, segment=1), "a segment begins once"
    assert not store.move(RUN, RunState.WORKING, machine="two"), "it was queued again since"
    assert store.of_session("s") == store.of_ticket("linear", "T-1") == store.get("abc")
    assert [one.id for one in store.list([RunState.QUEUED], "one")] == ["abc"]
    assert store.list([RunState.ENDED]) == store.list((), "two") == []
    with pytest.raises(UnknownRunError, match="No run has the id other"):
        store.get("other")


def test_a_text_with_nul_is_stored(store: RunStore) -> None:
    ticket = "T\0"
    assert store.create(replace(RUN, ticket=ticket, title="a\0b")).title == "a␀b"
    assert (store.of_ticket("linear", ticket) or RUN).title == "a␀b"
    event = store.record("abc", Happened.ASKED, "1", {"text": "a\0b"})
    assert event.body == {"text": "a\0b"}, "JSON has it escaped"


def test_an_event_is_recorded_once_and_told_in_order(store: RunStore) -> None:
    store.create(RUN)
    first = store.record("abc", Happened.ASKED, "1", {"text": "Which?"})
    assert store.record("abc", Happened.ASKED, "1", {"text": "Another?"}) is None
    second = store.record("abc", Happened.ENDED, "1", {})
    assert first is not None
    assert store.unsent(["linear"], "one") == [first, second]
    assert list(store.unsent(["github"], "one")) == list(store.unsent(["linear"], "one", ["abc"])) == []
    store.mark_sent(first.id)
    assert store.unsent(["linear"], "one") == [second]
    assert store.events("abc", after=first.number) == [second]


def test_a_message_is_kept_until_it_is_taken_and_comes_once(store: RunStore) -> None:
    store.create(RUN)
    new = NewTicket("linear", "T-1", "A title", "Build it", about={"team": "ENG"})
    message, later = (TicketMessage("linear", "T-1", name, name, new=new) for name in ("m", "n"))
    for one in (message, message, later):
        store.keep(one)
    assert store.kept(RUN) == [message, later]
    assert [one.id for one in store.left("one")] == ["abc"]
    assert store.assign(message, "request:1") == store.assign(message, "request:2") == "request:1"
    store.taken(message)
    store.taken(later)
    assert (store.kept(RUN), store.left("one")) == ([], [])
    assert store.kept(RUN, whole=True) == [message, later]


def test_what_is_kept_no_longer_is_forgotten_and_the_audit_apart(store: RunStore) -> None:
    run = store.create(replace(RUN, state=RunState.ENDED, machine="one"))
    store.create(replace(RUN, id="waits", ticket="T-2", state=RunState.WAITING, machine="one"))
    store.record(run.id, Happened.ACTED, "1", {"act": "start"})
    store.record(run.id, Happened.ENDED, "1", {})
    store.keep(TicketMessage("linear", "T-1", "m", "Hello"))
    assert ([one.id for one in store.over("one", 60)], store.over("two", 60)) == ([run.id], [])
    store.forget(run)
    assert ([one.id for one in store.list()], store.kept(run)) == (["waits"], [])
    assert [one.kind for one in store.events(run.id)] == [Happened.ACTED]
    store.forget_old(audit=60)
    assert len(store.events(run.id)) == 1
    store.forget_old(audit=0)
    assert store.events(run.id) == []


def test_a_database_that_is_not_there_is_named() -> None:
    with pytest.raises(RunStoreError, match="The database of runs cannot be used"):
        RunStore.open("postgresql://nobody@127.0.0.1:1/none")


def test_a_database_of_an_earlier_version_gets_what_came_later_and_a_later_one_is_refused(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    store = RunStore.open(url)
    made = store.create(RUN)
    store.close()
    assert (tmp_path / "runs.db").stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(tmp_path / "runs.db")) as work:
        work.executescript(
            "ALTER TABLE ccq_runs DROP COLUMN people;"
            "ALTER TABLE ccq_runs DROP COLUMN link;"
            "ALTER TABLE ccq_runs DROP COLUMN kind;"
            "DROP TABLE ccq_schema;"
        )
    store = RunStore.open(url)
    assert store.get(made.id) == made
    store.close()
    with closing(sqlite3.connect(tmp_path / "runs.db")) as work:
        work.execute("UPDATE ccq_schema SET version = 99")
        work.commit()
    with pytest.raises(RunStoreError, match="newer ccq-tui"):
        RunStore.open(url)


def test_a_machine_is_served_by_one_process(store: RunStore) -> None:
    with closing(RunStore(store._engine)) as other:
        store.claim("one")
        other.claim("two")
        with pytest.raises(RunStoreError, match="Another process serves as the machine one"):
            other.claim("one")
