"""The database's file is deleted, replaced, moved or damaged while it is open: what is held is not lost."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import Added, InboxRenewed, InboxTrouble, SessionFact, Settled
from ccq_tui.inbox.requests import Allowed, Cancelled
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import Accepted, InboxUnavailable
from ccq_tui.processes import this_process
from ccq_tui.questions import Answer, Answered
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import PanelState, opened
from tests.actors import PANEL, PHONE, SCRIPT
from tests.unit.inbox.made import known, load_draft
from tests.unit.inbox.test_inbox import ChangeLog, inboxes, opened_in, permission, question

ROOT = Path(__file__).parents[3]
FACT = SessionFact(directory="/home/me/api", state="awaiting", cause="it began", runs=True)


def renewals(log: ChangeLog) -> list[InboxRenewed]:
    return [change for change in log.changes if isinstance(change, InboxRenewed)]


def other_inbox(path: Path) -> None:
    """Make a valid inbox with a request of its own."""
    store = Store(path, now=lambda: datetime.now(UTC) - timedelta(hours=1))
    store.requests.add(permission("theirs"))
    store.close()


def deleted(path: Path) -> None:
    path.unlink()


def moved(path: Path) -> None:
    path.rename(path.with_name("saved.db"))


def replaced_by_another_inbox(path: Path) -> None:
    other = path.parent / "elsewhere" / "other.db"
    other_inbox(other)
    other.replace(path)


def found_damaged_by_another_program(path: Path) -> None:
    """Which moves it aside; this one may do so before."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA application_id = 1")
    other_inbox(path)


@pytest.mark.parametrize("harm", [moved, replaced_by_another_inbox, found_damaged_by_another_program])
async def test_what_waits_is_written_into_the_file_that_takes_its_place(
    path: Path, harm: Callable[[Path], None]
) -> None:
    request, parked = question("q"), question("parked")
    draft = step(opened(request.questions), Pressed("2", "2", 9.0))
    async with inboxes(path) as ((inbox, received),):
        inbox.listen()
        inbox.sessions.note("s", FACT)
        asking = asyncio.create_task(inbox.ask(request, "I looked."))
        leaving = asyncio.create_task(inbox.ask(parked))
        await received.until(lambda: sum(isinstance(change, Added) for change in received.changes) == 2)
        opened_in(inbox, request.id).type(draft, PANEL)
        assert await inbox.defer(parked.id)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        before = len(received.changes)
        harm(path)
        await received.until(lambda: renewals(received))
        # Another process finds what waits, and who runs its session.
        store = Store(path)
        kept = known(store.requests.get(request.id))
        assert (kept.request, kept.context, kept.state) == (request, "I looked.", RequestState.PENDING)
        back = load_draft(store, request)
        assert isinstance(back, PanelState)
        assert back.pages[0].draft.selected == (1,)
        assert known(store.sessions.get("s")).owner == this_process()
        assert store.listeners.any()
        theirs = ["theirs@s"] if harm is not moved else []
        assert sorted(store.ids.requests()) == sorted(["q@s", "parked@s", *theirs])
        # It goes on there, and the answer is given once.
        assert store.requests.settle(request.id, Answered((Answer(("A",)),)), SCRIPT) == Accepted()
        store.close()
        assert await asking == Answered((Answer(("A",)),))
        since = received.changes[before:]
        assert [change.request.id for change in since if isinstance(change, Settled)] == [request.id]
        # What another program adds once the file was mended here is news, what waited here is not.
        news = {"theirs@s"} if harm is found_damaged_by_another_program else set()
        assert {change.request.id for change in since if isinstance(change, Added)} <= news
        (trouble,) = [change for change in since if isinstance(change, InboxTrouble)]
        assert trouble.message.endswith(("moved, deleted or replaced while in use", "an empty one."))
        assert len(renewals(received)) == 1
    if harm is moved:
        store = Store(path.with_name("saved.db"))
        assert [one.request for one in store.requests.waiting()] == [request, parked], "it is whole"
        store.close()


def companions_deleted(path: Path) -> None:
    path.with_name("inbox.db-wal").unlink()
    path.with_name("inbox.db-shm").unlink()


async def read_again(inbox: Inbox) -> list[StoredRequest]:
    """Read what waits: where both open the file anew in one moment, SQLite may refuse one of them."""
    async with asyncio.timeout(10.0):
        while True:
            with suppress(InboxUnavailable):
                return await inbox.run(lambda store: store.requests.waiting())


async def test_what_only_a_deleted_log_had_comes_into_the_file(path: Path) -> None:
    async with inboxes(path, 2) as ((one, received), (two, also)):
        asking = asyncio.create_task(one.ask(permission("a")))
        await also.until(lambda: also.changes)
        over = asyncio.create_task(one.ask(permission("over")))
        await also.until(lambda: len(also.changes) == 2)
        assert await two.settle("over@s", Allowed("yes"), PHONE) == Accepted()
        assert await over == Allowed("yes")
        companions_deleted(path)
        for inbox in (one, two):
            assert len(await read_again(inbox)) == 1
        assert await two.settle("a@s", Allowed(), PHONE) == Accepted()
        assert await asking == Allowed()
        await received.until(lambda: renewals(received))
    store = Store(path)
    assert [found.request.id for found in store.requests.undelivered("s")] == ["a@s", "over@s"]
    assert store.database.notice == ""
    store.close()


def test_nothing_is_confirmed_that_was_written_into_a_file_without_its_path(path: Path) -> None:
    store = Store(path)
    store.requests.add(permission("a"))
    path.unlink()
    with pytest.raises(InboxUnavailable, match="it was moved, deleted or replaced; try again"):
        store.requests.settle("a@s", Allowed(), SCRIPT)
    store.close()


DAMAGED_AT_ONCE = """
import os, sys
from pathlib import Path
from ccq_tui.inbox.requests import PermissionRequest
from ccq_tui.inbox.store.store import Store
for path in sys.argv[1:]:
    for number in range(3):
        if os.fork() == 0:
            store = Store(Path(path))
            store.requests.add(PermissionRequest(f"r{number}", "s", "Bash", {}))
            os.write(1, f"{path}: {store.database.notice}\\n".encode())
            sys.stdin.read()
            os._exit(0)
sys.stdin.read()
"""


def test_several_processes_that_find_it_damaged_move_it_aside_once(path: Path) -> None:
    paths = [path.parent / str(turn) / path.name for turn in range(3)]
    for one in paths:
        one.parent.mkdir(parents=True)
        one.write_bytes(b"no database at all" * 1000)
    with subprocess.Popen(
        [sys.executable, "-c", DAMAGED_AT_ONCE, *map(str, paths)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        notices = [process.stdout.readline() for _ in range(3 * len(paths))]
        for one in paths:
            assert sum(f"{one}: " in notice and "damaged" in notice for notice in notices) == 1, notices
            assert len(list(one.parent.glob("inbox.db.damaged-*"))) == 1
            store = Store(one)
            assert sorted(store.ids.requests()) == ["r0@s", "r1@s", "r2@s"]
            store.close()
        process.communicate()
    assert process.returncode == 0


async def test_what_is_over_is_not_written_anew(path: Path) -> None:
    async with inboxes(path) as ((inbox, received),):
        tasks = [asyncio.create_task(inbox.ask(permission(name))) for name in ("gone", "had")]
        await received.until(lambda: len(received.changes) == 2)
        inbox.withdraw("gone@s", "enough")
        await inbox.settle("had@s", Allowed(), PANEL)
        assert await asyncio.gather(*tasks) == [Cancelled("enough"), Allowed()]
        inbox.sessions.delivered("had@s", "result")
        await inbox.run(lambda store: store.requests.waiting())
        deleted(path)
        await received.until(lambda: renewals(received))
        assert await inbox.run(lambda store: store.ids.requests()) == []
