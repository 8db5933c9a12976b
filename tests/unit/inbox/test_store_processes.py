"""Several stores on one database: they race, hold it, are killed; one winner, no saved draft gone."""

import asyncio
import json
import os
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from shutil import rmtree

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import Settled
from ccq_tui.inbox.requests import Asker, Denied, Origin, PermissionRequest, QuestionRequest
from ccq_tui.inbox.store.rows import RequestState, StoredDraft
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import Accepted, AlreadySettled, InboxBusy, Unknown
from ccq_tui.processes import Owner, this_process
from ccq_tui.questions import Answer, Answered, Option, Question, QuestionSet
from ccq_tui.questions.state import PanelState, opened
from tests.actors import PANEL, SCRIPT
from tests.processes import begun, codes
from tests.steps import until_true
from tests.unit.inbox.made import load_draft, save_draft

RACES = 300
HEAT = 5
"""Requests that are raced for at once."""
QUESTIONS = tuple(Question(text, text, (Option("A"), Option("B"))) for text in ("Which?", "Why?"))
BODY = {"kind": "permission", "asker_id": "s", "tool": "Bash", "input": {}}

Program = tuple[BaseProcess, Connection]
"""A process, and the pipe to it and back."""


def start(script: Callable[..., object], *words: object) -> Program:
    """Start a process, before any inbox is open here: what SQLite knows of its locks would be copied too."""
    ours, theirs = Pipe()
    return begun(partial(script, theirs, *words)), ours


async def race(pipe: Connection, path: Path, me: str) -> None:
    """Answer what is told until that is nothing, then tell who won what."""
    inbox = await Inbox.connect(path)
    received: dict[str, str] = {}
    raced: set[str] = set()

    def receive(change: object) -> None:
        if isinstance(change, Settled):
            assert change.request.id not in received
            received[change.request.id] = change.actor.name

    inbox.subscribe(receive)
    pipe.send("ready")
    while names := await asyncio.to_thread(pipe.recv):
        ends: dict[str, str] = {}
        for name in names:
            match await inbox.settle(name, Denied(me), Actor.here(Surface.PROGRAM, me)):
                case Accepted():
                    ends[name] = me
                case AlreadySettled(winner, _, outcome):
                    assert outcome.text == winner.name
                    ends[name] = winner.name + " was faster"
        raced |= ends.keys()
        pipe.send(ends)
    await until_true(lambda: raced <= received.keys())
    pipe.send(received)
    await inbox.close()


def racer(pipe: Connection, path: Path, me: str) -> None:
    asyncio.run(race(pipe, path, me))


def claimer(pipe: Connection, path: Path) -> None:
    """Claim the same request each time that something is told."""
    store = Store(path, busy_seconds=60.0)
    origin = Origin(Asker.FORM, process=this_process())
    request = QuestionRequest("a", "form", QuestionSet("a", QUESTIONS), origin=origin)
    pipe.send("ready")
    while pipe.recv():
        pipe.send(store.requests.claim(request).request.id)


def test_three_programs_race_and_each_request_has_one_winner(tmp_path: Path) -> None:
    path = tmp_path / "state" / "inbox.db"
    names = ("one", "two", "three")
    racers = [start(racer, path, name) for name in names]
    assert [one.recv() for _, one in racers] == ["ready"] * 3, "all get the database that they make at once"
    assert [file.name for file in path.parent.glob("*damaged*")] == []
    store = Store(path)
    with store.database.writing() as at:  # in one go: the asking is not what is measured
        for number in range(RACES):
            store.database.do(
                "INSERT INTO requests"
                " (id, call, asker, asker_id, kind, body, context, state, asked_at, deferred)"
                " VALUES (?, ?, 'session', 's', 'permission', ?, '', 'pending', ?, 0)",
                (f"r{number}@s", f"r{number}", json.dumps(BODY | {"tool_use_id": f"r{number}"}), at),
            )
    winners: dict[str, str] = {}
    for first in range(0, RACES, HEAT):
        heat = [f"r{number}@s" for number in range(first, first + HEAT)]
        for index, (_, one) in enumerate(racers):  # each begins with another one
            one.send(heat[index:] + heat[:index])
        texts: list[dict[str, str]] = [one.recv() for _, one in racers]
        for request in heat:
            (winner,) = [name for name, one in zip(names, texts, strict=True) if one[request] == name]
            assert sorted(one[request] for one in texts) == sorted([winner, *[f"{winner} was faster"] * 2])
            winners[request] = winner
    assert len(set(winners.values())) > 1, "they did race"
    for _, one in racers:
        one.send([])
    assert [one.recv() for _, one in racers] == [winners] * 3, "all programs were told of every one"
    assert codes(*(process for process, _ in racers)) == [0] * 3
    stored = store.requests.undelivered("s")
    assert {s.request.id: s.actor.name for s in stored if s.actor} == winners
    assert all(s.actor and s.outcome == Denied(s.actor.name) for s in stored)
    settled = [c for c in store.history.changes(limit=5 * RACES) if c.became == "declined"]
    assert len(settled) == RACES
    store.close()


def test_equal_requests_at_once_share_nothing_and_take_what_the_dead_left(tmp_path: Path) -> None:
    claimers = [start(claimer, tmp_path / "inbox.db") for _ in range(12)]
    assert [one.recv() for _, one in claimers] == ["ready"] * 12
    store = Store(tmp_path / "inbox.db")

    def claimed(these: list[Program]) -> list[str]:
        for _, one in these:
            one.send(True)
        return [one.recv() for _, one in these]

    before: set[str] = set()
    for last in range(10, 60, 10):
        names = claimed(claimers[:10])
        every = {"a@form:form", *(f"a-{number}@form:form" for number in range(2, last + 1))}
        assert set(names) == every - before, "an id that got its answer is never that of another call"
        before = every
        for name in names:
            store.requests.settle(name, decided(name), PANEL)
            store.requests.mark_delivered(name, "result")
    names = claimed(claimers[:10])
    save_draft(store, store.requests.get(names[0]).request, opened(asked("a", "form").questions))
    store.requests.settle(names[9], decided("due"), PANEL)
    for process, _ in (claimers[0], claimers[9]):
        process.kill()
        process.join()
    taken = [*claimed(claimers[10:11]), *claimed(claimers[11:])]
    assert taken == [names[9], names[0]], "first what is due, then what has a draft"
    assert claimed(claimers[1:2]) == [names[1]], "what a process claimed is its own"
    found = [store.requests.get(name) for name in taken]
    assert [one and (one.outcome, one.has_draft) for one in found] == [(decided("due"), False), (None, True)]
    for process, one in (*claimers[1:9], *claimers[10:]):
        one.send(None)
        assert codes(process) == [0]
    store.close()


def test_a_database_that_is_held_too_long_is_an_error_and_nothing_changes(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    store = Store(path, busy_seconds=0.2)
    store.requests.add(PermissionRequest("a", "s", "Bash", {}))
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(InboxBusy, match="another process holds the inbox; try again"):
        store.requests.settle("a@s", Denied(), SCRIPT)
    holder.close()
    assert [waiting.request.tool_use_id for waiting in store.requests.waiting()] == ["a"]
    assert len(store.history.changes()) == 1
    store.requests.settle("a@s", Denied(), SCRIPT)
    assert store.requests.waiting() == []
    store.close()


stores = st.integers(0, 1)
calls = st.sampled_from(["a", "b"])
sessions = st.sampled_from(["s", "fork"])
places = st.integers(0, 1)


class CrashError(Exception):
    """The process is gone between two steps."""


def asked(call: str, session: str) -> QuestionRequest:
    return QuestionRequest(call, session, QuestionSet(call, QUESTIONS))


def decided(note: str) -> Answered:
    return Answered((Answer(note=note), Answer()))


class TwoStores(RuleBasedStateMachine):
    """What two processes do to an inbox, and what must hold after each step."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp())
        self.path = self.directory / "inbox.db"
        self.stores = [Store(self.path), Store(self.path)]
        self.owners = [this_process(), Owner(os.getppid())]
        self.serial = 0
        self.decided: dict[str, str] = {}
        """The note that won, by request: since it was asked last."""
        self.delivered: set[str] = set()
        self.open: list[dict[str, tuple[PanelState, int]]] = [{}, {}]
        """The draft of each surface, and the serial of the one that it began from."""
        self.saved: dict[str, PanelState] = {}
        """The newest draft of each request that was saved."""
        self.writer: dict[str, int] = {}
        self.claimed: dict[str, int] = {}

    def teardown(self) -> None:
        for store in self.stores:
            store.close()
        rmtree(self.directory)

    def fresh(self) -> str:
        self.serial += 1
        return f"n{self.serial}"

    @rule(at=stores, call=calls, session=sessions)
    def ask(self, at: int, call: str, session: str) -> None:
        """Ask, ask again, or ask in a copy of the session."""
        request = asked(call, session)
        stored = self.stores[at].requests.add(request)
        if request.id in self.decided and request.id not in self.delivered:
            assert stored.outcome == decided(self.decided[request.id])
            return
        if request.id in self.delivered:  # the same id with another call: nobody has answered that one
            self.delivered.discard(request.id)
            self.decided.pop(request.id)
            self.saved.pop(request.id, None)
            for surface in self.open:
                surface.pop(request.id, None)
        assert (stored.state, stored.outcome) == (RequestState.PENDING, None)

    @rule(at=stores, call=calls, session=sessions)
    def settle(self, at: int, call: str, session: str) -> None:
        name, note = asked(call, session).id, self.fresh()
        match self.stores[at].requests.settle(name, decided(note), Actor(Surface.PROGRAM, f"surface {at}")):
            case Accepted():
                assert name not in self.decided, "never two winners"
                self.decided[name] = note
            case AlreadySettled(outcome=outcome):
                assert outcome == decided(self.decided[name])
            case Unknown():
                assert self.stores[1 - at].requests.get(name) is None

    @rule(at=stores, call=calls, session=sessions)
    def defer(self, at: int, call: str, session: str) -> None:
        name = asked(call, session).id
        stored = self.stores[1 - at].requests.get(name)
        waits = stored is not None and stored.state is RequestState.PENDING
        assert self.stores[at].requests.defer(name) == waits

    @rule(at=stores, call=calls, session=sessions)
    def deliver(self, at: int, call: str, session: str) -> None:
        name = asked(call, session).id
        due = name in self.decided and name not in self.delivered
        assert self.stores[at].requests.mark_delivered(name, "result") == due, "delivered once"
        if due:
            self.delivered.add(name)

    @rule(at=stores, call=calls, session=sessions)
    def open_panel(self, at: int, call: str, session: str) -> None:
        request = asked(call, session)
        found = self.stores[at].drafts.get(request)
        draft = found.draft if found is not None else opened(request.questions)
        assert isinstance(draft, PanelState)
        self.open[at][request.id] = draft, found.serial if found is not None else 0

    @rule(at=stores, call=calls, session=sessions, place=places)
    def draft(self, at: int, call: str, session: str, place: int) -> None:
        name = asked(call, session).id
        if self.stores[at].requests.get(name) is None:
            return
        for surface in (0, 1):  # both have the request open: what one types the other has not seen
            if name not in self.open[surface]:
                self.open_panel(surface, call, session)
        (before, version), found = self.open[at][name], self.stores[at].drafts.get(asked(call, session))
        note = self.fresh()
        page = before.pages[place]
        page = replace(page, draft=replace(page.draft, note=note))
        draft = replace(before, pages=(*before.pages[:place], page, *before.pages[place + 1 :]), tab=place)
        self.stores[at].drafts.save_all([StoredDraft(asked(call, session), draft, PANEL, version)])
        self.open[at][name] = draft, version
        if found is None or found.serial <= version or self.writer.get(name) == at:
            self.saved[name], self.writer[name] = draft, at

    @rule(at=stores, session=sessions)
    def claim(self, at: int, session: str) -> None:
        holder = self.stores[at].sessions.claim(session, self.owners[at])
        if self.claimed.setdefault(session, at) == at:
            assert holder is None
        else:
            assert holder == self.owners[1 - at], "never two owners"

    @rule(at=stores, session=sessions)
    def release(self, at: int, session: str) -> None:
        self.stores[at].sessions.release(session, self.owners[at])
        if self.claimed.get(session) == at:
            del self.claimed[session]

    @rule(at=stores, call=calls, session=sessions, steps=st.integers(0, 4), what=st.integers(0, 3))
    def crash(self, at: int, call: str, session: str, steps: int, what: int) -> None:
        """End a process between two steps of a change: all of it was done, or nothing."""
        request, store = asked(call, session), self.stores[at]
        changes: list[Callable[[], object]] = [
            lambda: store.requests.add(request),
            lambda: store.requests.settle(request.id, decided("lost"), PANEL),
            lambda: store.requests.mark_delivered(request.id, "result"),
            lambda: save_draft(store, request, opened(request.questions)),
        ]
        before = self.rows()
        done, left = store.database.do, steps

        def do(statement: str, values: object = ()) -> int:
            nonlocal left
            if not left:
                raise CrashError
            left -= 1
            return done(statement, values)  # type: ignore[arg-type]

        store.database.do = do  # type: ignore[method-assign]
        with suppress(CrashError):
            changes[what]()
        store.close()
        self.stores[at] = Store(self.path)
        self.open[at].clear()
        self.writer = {name: writer for name, writer in self.writer.items() if writer != at}
        after = self.rows()
        if after != before:
            self.took_place(request, what)

    def took_place(self, request: QuestionRequest, what: int) -> None:
        """Note a change that was done whole before its process ended."""
        stored = self.stores[0].requests.get(request.id)
        assert stored is not None
        if what == 0 and request.id in self.delivered:
            self.delivered.discard(request.id)
            self.decided.pop(request.id)
            self.saved.pop(request.id, None)
            self.open[0].pop(request.id, None)
            self.open[1].pop(request.id, None)
        elif what == 1 and request.id not in self.decided:
            self.decided[request.id] = "lost"
        elif what == 2:
            self.delivered.add(request.id)
        elif what == 3:
            self.saved[request.id] = opened(request.questions)
            self.writer.pop(request.id, None)

    def rows(self) -> list[tuple[object, ...]]:
        tables = ("requests", "answers", "drafts", "history")
        store = self.stores[0]
        return [tuple(row) for table in tables for row in store.database.rows(f"SELECT * FROM {table}")]  # noqa: S608

    @invariant()
    def holds(self) -> None:
        one, other = self.stores
        assert one.ids.requests() == other.ids.requests()
        orphans = "SELECT count(*) FROM answers WHERE request_id NOT IN (SELECT id FROM requests)"
        assert one.database.rows(orphans)[0][0] == 0, "never an answer without its request"
        twice = "SELECT request_id FROM history WHERE became = 'delivered' GROUP BY 1 HAVING count(*) > 1"
        assert one.database.rows(twice) == []
        for name, note in self.decided.items():
            stored = other.requests.get(name)
            assert stored.outcome == decided(note)
            assert (stored.state is RequestState.DELIVERED) == (name in self.delivered)
        for name, saved in self.saved.items():
            stored = one.requests.get(name)
            draft = load_draft(other, stored.request)
            assert isinstance(draft, PanelState), "never a draft gone that was reported as saved"
            assert [page.draft for page in draft.pages] == [page.draft for page in saved.pages]


def test_two_stores_at_random() -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        TwoStores, settings=settings(stateful_step_count=30)
    )
