"""When the disk is late, full, refuses, or the program ends: nothing that was typed or confirmed is lost."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ccq_tui.inbox.actors import WITHDRAWN, Actor, Surface
from ccq_tui.inbox.draft import Draft, first_draft
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import Added, Claim, InboxRenewed, InboxTrouble, SessionNoted, Settled
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied, QuestionRequest
from ccq_tui.inbox.store import worker
from ccq_tui.inbox.store.drafts import draft_to_json, with_draft
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.store.worker import ChangeFeed, Worker
from ccq_tui.inbox.verdicts import Accepted, InboxTooNew, InboxUnavailable, InvalidOutcome
from ccq_tui.processes import Owner, this_process
from ccq_tui.questions import Answer, Answered, Option, Question, QuestionSet, machine
from ccq_tui.questions.events import Pressed
from tests.actors import PANEL, PHONE
from tests.steps import step, until_true
from tests.unit.inbox.made import known
from tests.unit.inbox.test_inbox import ChangeLog, inboxes, opened_in, permission


async def seen(path: Path, true: Callable[[Store], object]) -> None:
    """Wait until a store of its own sees something."""
    store = Store(path)
    try:
        await until_true(lambda: true(store), 30)
    finally:
        store.close()


def draft_in(store: Store, name: str) -> Draft | None:
    found = store.drafts.get(permission(name))
    return found.draft if found is not None else None


async def refuse(inbox: Inbox, *, writes: bool) -> None:
    """Make the database refuse what is written, or take it again."""
    await inbox.run(lambda store: store.database._connection.execute(f"PRAGMA query_only = {int(writes)}"))


async def test_a_draft_is_on_disk_within_250_ms(path: Path) -> None:
    # How often the thread looks up; a clock here would tell how busy the machine is.
    assert worker.POLL_SECONDS < 0.25
    request = permission("a")
    draft = first_draft(request)
    for key in "hello":
        draft = machine.step(draft, Pressed(key, key))
    async with inboxes(path) as ((inbox, received),):
        task = asyncio.create_task(inbox.ask(request))
        await received.until(lambda: received.changes)
        opened_in(inbox, "a@s").type(first_draft(request), PANEL)
        opened_in(inbox, "a@s").type(draft, PANEL)
        # The thread may have looked up between the two.
        await seen(path, lambda store: draft_in(store, "a") == with_draft(request, draft_to_json(draft)))
        inbox.withdraw("a@s", "enough")
        await task


async def test_a_draft_is_written_with_whatever_is_written_next_and_at_the_end(path: Path) -> None:
    first, second = first_draft(permission("a")), first_draft(permission("b"))
    inbox = await Inbox.connect(path)
    await inbox.run(lambda store: (store.requests.add(permission("a")), store.requests.add(permission("b"))))
    one, other = await inbox.open("a@s"), await inbox.open("b@s")
    assert other is not None
    one.type(first, PANEL)
    await inbox.settle("a@s", Allowed(), PANEL)
    assert await inbox.run(lambda store: draft_in(store, "a")) == first
    other.type(second, PANEL)
    assert await inbox.close()
    store = Store(path)
    assert draft_in(store, "b") == second
    store.close()


async def test_a_disk_that_refuses_is_told_once_and_what_it_missed_is_written_later(path: Path) -> None:
    async with inboxes(path) as ((inbox, received),):
        before = asyncio.create_task(inbox.ask(permission("before")))
        await received.until(lambda: len(received.changes) == 1)
        await refuse(inbox, writes=True)
        during = asyncio.create_task(inbox.ask(permission("during")))
        ended = asyncio.create_task(inbox.ask(permission("gone")))
        await received.until(lambda: sum(isinstance(c, Added) for c in received.changes) == 3)
        assert await inbox.settle("before@s", Allowed("1"), PANEL) == Accepted()
        assert await inbox.settle("during@s", Denied("2"), PANEL) == Accepted()
        inbox.withdraw("gone@s", "3", WITHDRAWN)
        assert await asyncio.gather(before, during, ended) == [Allowed("1"), Denied("2"), Cancelled("3")]
        with pytest.raises(InboxUnavailable, match="it may not be written"):
            await inbox.settle("somebody else's@s", Allowed(), PANEL)
        (trouble,) = [change for change in received.changes if isinstance(change, InboxTrouble)]
        assert trouble.message == f"{path}: it may not be written"
        earlier = list(received.changes)
        await refuse(inbox, writes=False)
        await seen(path, lambda store: store.requests.get("gone@s") and not store.requests.waiting())
        store = Store(path)
        kept = {name: store.requests.get(f"{name}@s") for name in ("before", "during", "gone")}
        store.close()
        assert {name: one and (one.state, one.outcome, one.actor) for name, one in kept.items()} == {
            "before": (RequestState.ANSWERED, Allowed("1"), PANEL),
            "during": (RequestState.DECLINED, Denied("2"), PANEL),
            "gone": (RequestState.CANCELLED, Cancelled("3"), WITHDRAWN),
        }
        await received.until(lambda: isinstance(received.changes[-1], InboxRenewed))
        changes = [change for change in received.changes if not isinstance(change, SessionNoted)]
        assert changes == [*earlier, InboxRenewed("Questions are on disk again")], (
            "what was told in memory is not told again"
        )


async def test_a_session_that_the_disk_refused_to_claim_is_claimed_once_it_is_back(path: Path) -> None:
    async with inboxes(path) as ((inbox, _),):
        await refuse(inbox, writes=True)
        assert await inbox.sessions.claim("kept") == Claim("kept")
        assert await inbox.sessions.claim("given back") == Claim("given back")
        inbox.sessions.release("given back")
        await refuse(inbox, writes=False)
        await seen(path, lambda store: (kept := store.sessions.get("kept")) and kept.owner)
        await inbox.run(lambda _: None)
        store = Store(path)
        another = Owner(os.getppid())
        assert store.sessions.claim("kept", another) == this_process()
        assert store.sessions.claim("given back", another) is None, "nothing takes it back after its end"
        store.close()


async def test_a_request_that_waits_in_memory_can_be_answered_elsewhere_once_it_is_written(
    path: Path,
) -> None:
    async with inboxes(path, 2) as ((one, received), (two, _)):
        await refuse(one, writes=True)
        task = asyncio.create_task(one.ask(permission("a")))
        await received.until(lambda: len(received.changes) == 2)
        await refuse(one, writes=False)
        await seen(path, lambda store: store.requests.get("a@s"))
        await received.until(lambda: len(received.changes) == 3)
        assert await two.settle("a@s", Allowed(), PHONE) == Accepted()
        assert await task == Allowed()
        assert [type(change) for change in received.changes] == [InboxTrouble, Added, InboxRenewed, Settled]


async def test_the_event_loop_goes_on_while_another_process_holds_the_database(path: Path) -> None:
    async with inboxes(path) as ((inbox, received),):
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        task = asyncio.create_task(inbox.ask(permission("a")))
        # If it stood still, who holds the database could not let go of it before that is told as a trouble.
        for _ in range(20):
            await asyncio.sleep(0.01)
        assert received.changes == [], "it is on disk before anybody is told"
        other.execute("COMMIT")
        other.close()
        await received.until(lambda: received.changes)
        assert await inbox.settle("a@s", Allowed(), PANEL) == Accepted()
        assert await task == Allowed()


async def test_an_inbox_that_cannot_be_opened_says_why_and_leaves_no_thread(path: Path) -> None:
    path.parent.mkdir()
    store = Store(path)
    store.database._connection.execute("PRAGMA user_version = 99")
    store.close()
    before = set(threading.enumerate())
    with pytest.raises(InboxTooNew):
        await Inbox.connect(path)
    with pytest.raises(InboxUnavailable):
        await Inbox.connect(Path("/proc/no/inbox.db"))
    for thread in set(threading.enumerate()) - before:
        if thread.name == "inbox":
            thread.join(20)
            assert not thread.is_alive()


async def test_a_closed_inbox_refuses_and_closing_again_is_nothing(path: Path) -> None:
    inbox = await Inbox.connect(path)
    log = ChangeLog(inbox)
    assert await inbox.close()
    assert await inbox.close()
    with pytest.raises(InboxUnavailable, match="the inbox is closed"):
        await inbox.settle("a@s", Allowed(), PANEL)
    task = asyncio.create_task(inbox.ask(permission("a")))
    await log.until(lambda: len(log.changes) == 2)
    assert await inbox.settle("a@s", Allowed(), PANEL) == Accepted()
    assert await task == Allowed()


async def test_many_requests_and_answers_at_once_are_told_in_one_order_everywhere(path: Path) -> None:
    async with inboxes(path, 2) as ((one, text), (two, line)):
        tasks = [asyncio.create_task(one.ask(permission(f"r{number}"))) for number in range(60)]
        await line.until(lambda: len(line.changes) == 60)
        verdicts = await asyncio.gather(
            *(inbox.settle(f"r{number}@s", Denied(who), Actor(Surface.PROGRAM, who)) for number in range(60)
              for who, inbox in (("one", one), ("two", two)))
        )  # fmt: skip
        assert sum(isinstance(verdict, Accepted) for verdict in verdicts) == 60
        await asyncio.gather(*tasks)
        await line.until(lambda: len(line.changes) == 120)
        assert text.changes == line.changes


def test_what_could_not_be_read_of_the_history_is_told_the_next_time(path: Path) -> None:
    store, other = Store(path), Store(path)
    tail = ChangeFeed(store)
    other.requests.add(permission("a"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store.requests, "get", refused)
        with pytest.raises(InboxUnavailable):
            tail.news()
    assert [news.request.tool_use_id for news in tail.news() if isinstance(news, Added)] == ["a"]
    assert tail.news() == []
    store.close()
    other.close()


def refused(_request_id: str) -> None:
    raise InboxUnavailable("busy")


async def test_what_happens_as_soon_as_the_inbox_is_open_is_heard_of(path: Path) -> None:
    other = Store(path)
    looked = Worker._poll

    def late(worker: Worker, store: Store) -> None:
        if worker.opened.done():
            written.wait(10)  # as a thread that gets no processor just then
        looked(worker, store)

    written = threading.Event()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Worker, "_poll", late)
        inbox = await Inbox.connect(path)
        log = ChangeLog(inbox)
        other.requests.add(permission("a"))
        written.set()
        await log.until(lambda: log.changes)
        await inbox.close()
    other.close()


async def test_what_a_stored_request_does_not_take_is_no_trouble_of_the_disk(path: Path) -> None:
    def asked(*labels: str) -> QuestionRequest:
        question = Question("Which?", "Which", tuple(Option(label) for label in labels))
        return QuestionRequest("q", "s", QuestionSet("q", (question,)))

    async with inboxes(path) as ((inbox, received),):
        task = asyncio.create_task(inbox.ask(asked("A", "B")))
        await received.until(lambda: received.changes)
        await inbox.run(lambda store: store.requests.add(asked("B", "C")))  # as another process asks it
        with pytest.raises(InvalidOutcome, match="no option “A”"):
            await inbox.settle("q@s", Answered((Answer(("A",)),)), PANEL)
        assert not task.done()
        assert await inbox.settle("q@s", Answered((Answer(("B",)),)), PANEL) == Accepted()
        assert await task == Answered((Answer(("B",)),))
        assert not any(isinstance(change, InboxTrouble) for change in received.changes)


NO_ROOM = (0, 4096, 20_480, 36_864, 131_072)
"""Bytes: enough for nothing; for the file; for its companions; for some tables; for all but what is asked."""
REASONS = ("the disk is full", "the disk does not read or write it")


def test_a_start_where_no_file_may_grow_keeps_everything_and_says_so_once(tmp_path: Path) -> None:
    places = [tmp_path / str(room) for room in NO_ROOM]
    for place in places:
        place.mkdir()
    command = [sys.executable, "-m", "tests.unit.inbox.small_disk", *map(str, places)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    for name, text in map(json.loads, done.stdout.splitlines()):
        with step(name):
            assert len(text["troubles"]) == len(text["renewals"]) == 1, text
            assert text["troubles"][0].endswith(REASONS)
            assert text["opened"] in ("", *text["troubles"])
            assert text["renewals"] == ["Questions are on disk again"]
            store = Store(Path(name) / "state" / "inbox.db")
            try:
                over, waits = known(store.requests.get("over@s")), known(store.requests.get("waits@s"))
                session = known(store.sessions.get("s"))
                assert (over.outcome, over.actor and over.actor.surface) == (Allowed("1"), PANEL.surface)
                assert (waits.outcome, waits.state) == (Denied("2"), RequestState.DECLINED)
                assert waits.context.startswith("I looked.")
                assert session.name == "api"
            finally:
                store.close()
            files = {file.name for file in (Path(name) / "state").iterdir()}
            assert files <= {"inbox.db", "inbox.db-wal", "inbox.db-shm"}
    assert len(done.stdout.splitlines()) == len(places)
