"""The database's file is deleted, replaced, moved or damaged while it is open: what is held is not lost."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ccq_tui.inbox.port import Added, InboxRenewed, InboxTrouble, SessionFact, Settled
from ccq_tui.inbox.requests import Allowed, Cancelled
from ccq_tui.inbox.store.rows import RequestState, SessionState
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxUnavailable, Won
from ccq_tui.processes import this_process
from ccq_tui.questions import Answer, Answered
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import PanelState, opened
from tests.actors import PANEL, PHONE, SCRIPT
from tests.unit.inbox.made import known, load_draft
from tests.unit.inbox.test_durable_trouble import seen
from tests.unit.inbox.test_inbox import Heard, inboxes, opened_in, permission, question

ROOT = Path(__file__).parents[3]
FACT = SessionFact(
    directory="/home/me/api", name="api", state="awaiting", cause="it began", launch={"model": "m"}, runs=True
)


def renewals(heard: Heard) -> list[InboxRenewed]:
    return [change for change in heard.changes if isinstance(change, InboxRenewed)]


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


@pytest.mark.parametrize(
    "harm", [deleted, moved, replaced_by_another_inbox, found_damaged_by_another_program]
)
async def test_what_waits_is_written_into_the_file_that_takes_its_place(
    path: Path, harm: Callable[[Path], None]
) -> None:
    request, parked = question("q"), question("parked")
    draft = step(opened(request.questions), Pressed("2", "2", 9.0))
    async with inboxes(path) as ((inbox, heard),):
        inbox.listen()
        inbox.sessions.note("s", FACT)
        asking = asyncio.create_task(inbox.ask(request, "I looked."))
        leaving = asyncio.create_task(inbox.ask(parked))
        answered = asyncio.create_task(inbox.ask(permission("answered")))
        await heard.until(lambda: sum(isinstance(change, Added) for change in heard.changes) == 3)
        opened_in(inbox, request.id).type(draft, PANEL)
        assert await inbox.defer(parked.id)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        assert await inbox.answer("answered@s", Allowed("so be it"), PANEL) == Won()
        assert await answered == Allowed("so be it")
        asked_at = await inbox.run(lambda store: (one := store.requests.get(request.id)) and one.asked_at)
        before = len(heard.changes)
        harm(path)
        await heard.until(lambda: renewals(heard))
        # Another process finds all of it.
        store = Store(path)
        kept, again = known(store.requests.get(request.id)), known(store.requests.get(parked.id))
        assert (kept.request, kept.context, kept.state) == (request, "I looked.", RequestState.PENDING)
        assert kept.asked_at == asked_at
        back = load_draft(store, request)
        assert isinstance(back, PanelState)
        assert back.pages[0].draft.selected == (1,)
        assert again.deferred
        assert [(one.request.id, one.outcome) for one in store.requests.undelivered("s")] == [
            ("answered@s", Allowed("so be it"))
        ]
        session = known(store.sessions.get("s"))
        assert (session.name, session.state, session.owner, session.launch) == (
            "api", SessionState.AWAITING, this_process(), {"model": "m"},
        )  # fmt: skip
        assert store.listeners.any()
        others = harm in (replaced_by_another_inbox, found_damaged_by_another_program)
        theirs = ["theirs@s"] if others else []
        assert sorted(store.ids.requests()) == sorted(["q@s", "parked@s", "answered@s", *theirs])
        # It goes on there, and the answer is given once.
        assert store.requests.settle(request.id, Answered((Answer(("A",)),)), SCRIPT) == Won()
        store.close()
        assert await asking == Answered((Answer(("A",)),))
        since = heard.changes[before:]
        assert [change.request.id for change in since if isinstance(change, Settled)] == [request.id]
        # What another program adds once the file was mended here is news, what waited here is not.
        news = {"theirs@s"} if harm is found_damaged_by_another_program else set()
        assert {change.request.id for change in since if isinstance(change, Added)} <= news
        (trouble,) = [change for change in since if isinstance(change, InboxTrouble)]
        assert trouble.message.endswith(("moved, deleted or replaced while in use", "an empty one."))
        assert len(renewals(heard)) == 1
    if harm is moved:
        store = Store(path.with_name("saved.db"))
        assert [one.request for one in store.requests.waiting()] == [request, parked], "it is whole"
        store.close()


def companions_deleted(path: Path) -> None:
    path.with_name("inbox.db-wal").unlink()
    path.with_name("inbox.db-shm").unlink()


async def test_what_only_a_deleted_log_had_comes_into_the_file(path: Path) -> None:
    async with inboxes(path, 2) as ((one, heard), (two, also)):
        asking = asyncio.create_task(one.ask(permission("a")))
        await also.until(lambda: also.changes)
        over = asyncio.create_task(one.ask(permission("over")))
        await also.until(lambda: len(also.changes) == 2)
        assert await two.answer("over@s", Allowed("yes"), PHONE) == Won()
        assert await over == Allowed("yes")
        companions_deleted(path)
        for inbox in (one, two):
            assert len(await inbox.run(lambda store: store.requests.waiting())) == 1
        assert await two.answer("a@s", Allowed(), PHONE) == Won()
        assert await asking == Allowed()
        await heard.until(lambda: renewals(heard))
    store = Store(path)
    assert [found.request.id for found in store.requests.undelivered("s")] == ["a@s", "over@s"]
    assert store.database.notice == ""
    store.close()


@pytest.mark.parametrize("asker_first", [True, False])
async def test_an_answer_given_just_before_the_file_goes_reaches_the_asker(
    path: Path, asker_first: bool
) -> None:
    async with inboxes(path, 2) as ((one, heard), (two, _)):
        asking = asyncio.create_task(one.ask(permission("a")))
        await heard.until(lambda: heard.changes)
        late, early = (two, one) if asker_first else (one, two)
        holds, go_on = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def hold(_store: Store) -> None:
            loop.call_soon_threadsafe(holds.set)
            asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result(20)

        if asker_first:
            assert await two.answer("a@s", Allowed("yes"), PHONE) == Won()
        held = late.submit(hold)
        await holds.wait()
        if not asker_first:
            assert await two.answer("a@s", Allowed("yes"), PHONE) == Won()
        deleted(path)
        await early.run(lambda store: store.requests.waiting())
        go_on.set()
        await asyncio.wrap_future(held)
        assert await asking == Allowed("yes")
        await two.run(lambda store: store.requests.waiting())
        assert len([change for change in heard.changes if isinstance(change, Settled)]) == 1
        await heard.until(lambda: renewals(heard))
        (stored,) = await one.run(lambda store: store.requests.undelivered("s"))
        assert (stored.outcome, stored.actor) == (Allowed("yes"), PHONE)


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


def cleared(path: Path) -> None:
    path.rmdir() if path.is_dir() else path.unlink()


@pytest.mark.parametrize(
    ("obstacle", "words"),
    [
        (Path.mkdir, "it is not a file"),
        (lambda path: path.symlink_to("nowhere"), "it is a link to nothing"),
        (os.mkfifo, "it is not a file"),
    ],
)
async def test_what_cannot_be_a_database_is_one_trouble_and_its_end_one_notice(
    path: Path, obstacle: Callable[[Path], None], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ccq_tui.inbox.store.worker.OPEN_SECONDS", 0.05)
    async with inboxes(path) as ((inbox, heard),):
        inbox.sessions.note("s", FACT)
        asking = asyncio.create_task(inbox.ask(permission("a")))
        await heard.until(lambda: any(isinstance(change, Added) for change in heard.changes))
        deleted(path)
        obstacle(path)
        await heard.until(lambda: any(isinstance(change, InboxTrouble) for change in heard.changes))
        meanwhile = asyncio.create_task(inbox.ask(permission("b")))
        await heard.until(lambda: len([c for c in heard.changes if isinstance(c, Added)]) == 2)
        inbox.sessions.note("s", SessionFact(name="renamed"))
        assert await inbox.answer("a@s", Allowed("1"), PANEL) == Won()
        assert await asking == Allowed("1")
        inbox.sessions.delivered("a@s", "result")
        await asyncio.sleep(0.3)  # several attempts
        (trouble,) = [change for change in heard.changes if isinstance(change, InboxTrouble)]
        assert trouble.message == f"{path}: {words}"
        cleared(path)
        await heard.until(lambda: renewals(heard))
        await seen(path, lambda store: (one := store.sessions.get("s")) and one.name == "renamed")
        store = Store(path)
        kept, session = store.requests.get("a@s"), store.sessions.get("s")
        assert kept is not None
        assert session is not None
        assert (kept.outcome, kept.state, session.name) == (Allowed("1"), RequestState.DELIVERED, "renamed")
        assert store.requests.settle("b@s", Allowed("2"), SCRIPT) == Won()
        store.close()
        assert await meanwhile == Allowed("2")
        assert len(renewals(heard)) == 1
        assert [c.request.id for c in heard.changes if isinstance(c, Settled)] == ["a@s", "b@s"]


async def test_what_is_over_is_not_written_anew(path: Path) -> None:
    async with inboxes(path) as ((inbox, heard),):
        tasks = [asyncio.create_task(inbox.ask(permission(name))) for name in ("gone", "had")]
        await heard.until(lambda: len(heard.changes) == 2)
        inbox.withdraw("gone@s", "enough")
        await inbox.answer("had@s", Allowed(), PANEL)
        assert await asyncio.gather(*tasks) == [Cancelled("enough"), Allowed()]
        inbox.sessions.delivered("had@s", "result")
        await inbox.run(lambda store: store.requests.waiting())
        deleted(path)
        await heard.until(lambda: renewals(heard))
        assert await inbox.run(lambda store: store.ids.requests()) == []
