"""The inbox on disk, in one event loop and between two."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ccq_tui.inbox.actors import WITHDRAWN
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import Added, InboxChange, Settled
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied, PermissionRequest, QuestionRequest, Request
from ccq_tui.inbox.store import worker
from ccq_tui.inbox.store.requests import PROCESS_ENDED
from ccq_tui.inbox.store.rows import RequestState, StoredDraft
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import Accepted, AlreadySettled, Unknown
from ccq_tui.processes import Owner, _start
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import PanelState, opened
from tests.actors import PANEL, PHONE


def permission(name: str) -> PermissionRequest:
    return PermissionRequest(tool_use_id=name, asker_id="s", tool="Bash", input={"command": "ls"})


def question(name: str) -> QuestionRequest:
    asked = Question("Which?", "Which", (Option("A"), Option("B")), multi_select=True)
    return QuestionRequest(name, "s", QuestionSet(name, (asked,), source={"questions": []}))


def opened_in(inbox: Inbox, request_id: str) -> OpenRequest:
    """Return a request that is open in an inbox."""
    opened = inbox.known(request_id)
    assert opened is not None
    return opened


async def draft_in(inbox: Inbox, request: Request) -> Draft | None:
    """Return the draft with which a request opens."""
    found = await inbox.open(request.id)
    return found.draft


class ChangeLog:
    """What an inbox told, with a way to wait for it."""

    def __init__(self, inbox: Inbox) -> None:
        self.changes: list[InboxChange] = []
        self._news = asyncio.Event()
        inbox.subscribe(self._note)

    def _note(self, change: InboxChange) -> None:
        self.changes.append(change)
        self._news.set()

    async def until(self, true: Callable[[], object]) -> None:
        async with asyncio.timeout(30):
            while not true():
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def inboxes(path: Path, count: int = 1) -> AsyncIterator[list[tuple[Inbox, ChangeLog]]]:
    opened_ones = [await Inbox.connect(path) for _ in range(count)]
    try:
        yield [(inbox, ChangeLog(inbox)) for inbox in opened_ones]
    finally:
        for inbox in opened_ones:
            assert await inbox.close()


async def test_a_request_is_on_disk_before_it_is_told_and_its_first_answer_wins(path: Path) -> None:
    async with inboxes(path) as ((inbox, received),):
        on_disk: list[RequestState] = []

        def look(change: InboxChange) -> None:
            if isinstance(change, Added):
                store = Store(path)
                stored = store.requests.get("a@s")
                store.close()
                on_disk.append(stored.state)

        inbox.subscribe(look)
        task = asyncio.create_task(inbox.ask(permission("a"), "because"))
        await received.until(lambda: received.changes)
        assert on_disk == [RequestState.PENDING]
        assert inbox.pending == (permission("a"),)
        assert await inbox.settle("a@s", Allowed("fine"), PANEL) == Accepted()
        late = await inbox.settle("a@s", Denied(), PHONE)
        assert isinstance(late, AlreadySettled)
        assert (late.actor, late.outcome) == (PANEL, Allowed("fine"))
        assert await inbox.settle("b@s", Denied(), PHONE) == Unknown()
        assert await task == Allowed("fine")
        assert received.changes == [Added(permission("a")), Settled(permission("a"), Allowed("fine"), PANEL)]
        assert inbox.pending == ()
        (stored,) = await inbox.run(lambda store: store.requests.undelivered("s"))
        assert (stored.context, stored.actor) == ("because", PANEL)


async def test_another_inbox_notices_within_200_ms_and_can_answer(path: Path) -> None:
    # How often it looks; a clock here would tell how busy the machine is.
    assert worker.POLL_SECONDS < 0.2
    async with inboxes(path, 2) as ((one, text), (two, line)):
        task = asyncio.create_task(one.ask(permission("a")))
        await text.until(lambda: text.changes)
        await line.until(lambda: line.changes)
        assert await two.settle("a@s", Denied("no"), PHONE) == Accepted()
        assert await task == Denied("no")
        assert text.changes == line.changes == [
            Added(permission("a")), Settled(permission("a"), Denied("no"), PHONE),
        ]  # fmt: skip


async def test_a_cancelled_wait_withdraws_the_request_and_asking_again_revives_it(path: Path) -> None:
    async with inboxes(path) as ((inbox, received),):
        task = asyncio.create_task(inbox.ask(permission("a")))
        await received.until(lambda: received.changes)
        task.cancel("interrupted")
        with pytest.raises(asyncio.CancelledError):
            await task
        await received.until(lambda: len(received.changes) == 2)
        assert received.changes[-1] == Settled(permission("a"), Cancelled("interrupted"), WITHDRAWN)
        again = asyncio.create_task(inbox.ask(permission("a")))
        await received.until(lambda: len(received.changes) == 3)
        assert received.changes[-1] == Added(permission("a"), again=True)
        assert await inbox.settle("a@s", Allowed(), PANEL) == Accepted()
        assert await again == Allowed()


async def test_a_request_withdrawn_as_soon_as_it_is_asked_stays_withdrawn(path: Path) -> None:
    async with inboxes(path) as ((inbox, _),):
        asking = asyncio.ensure_future(inbox.ask(question("a")))
        await asyncio.sleep(0)  # it has begun
        inbox.withdraw(question("a").id, "taken back")
        async with asyncio.timeout(10):
            assert await asking == Cancelled("taken back")
        assert await inbox.run(lambda store: store.requests.waiting()) == []


async def test_a_change_that_comes_behind_a_request_is_written_behind_it(path: Path) -> None:
    async with inboxes(path) as ((inbox, _),):
        busy = threading.Event()
        inbox.submit(lambda _: busy.wait(10.0))
        async with inbox.asking(permission("a")) as opened:
            outcome = Cancelled("withdrawn by its asker")
            inbox.write_soon(lambda store: store.requests.settle("a@s", outcome, PANEL))
            busy.set()
            assert await asyncio.wait_for(opened.outcome(), 10.0) == outcome


async def test_a_deferred_request_keeps_its_draft_and_is_asked_again_after_a_restart(path: Path) -> None:
    request = question("q")
    draft = step(opened(request.questions), Pressed("2", "2"))
    async with inboxes(path) as ((inbox, received),):
        task = asyncio.create_task(inbox.ask(request))
        await received.until(lambda: received.changes)
        opened_in(inbox, "q@s").type(draft, PANEL)
        assert await draft_in(inbox, request) == draft
        assert await inbox.defer("q@s")
        task.cancel("parked")
        with pytest.raises(asyncio.CancelledError):
            await task
        assert inbox.pending == ()
    async with inboxes(path) as ((inbox, received),):
        (waiting,) = await inbox.run(lambda store: store.requests.waiting())
        assert (waiting.request, waiting.deferred, waiting.has_draft) == (request, True, True)
        again = asyncio.create_task(inbox.ask(request))
        await received.until(lambda: received.changes)
        assert received.changes == [Added(request, again=True)]
        back = await draft_in(inbox, request)
        assert isinstance(back, PanelState)
        assert back.pages[0].draft.selected == (1,)
        inbox.withdraw("q@s", "enough")
        assert await again == Cancelled("enough")


async def test_the_draft_of_a_request_that_is_asked_is_read_along_with_it_and_never_stale(path: Path) -> None:
    request = question("q")
    first, second = (step(opened(request.questions), Pressed(key, key)) for key in "12")
    async with inboxes(path) as ((inbox, received),):
        task = asyncio.create_task(inbox.ask(request))
        await received.until(lambda: received.changes)
        trips: list[object] = []
        submit = inbox._worker.submit
        inbox._worker.submit = lambda work: (trips.append(work), submit(work))[1]  # type: ignore[method-assign,func-returns-value]
        assert (await draft_in(inbox, request), trips) == (None, [])
        for draft in (first, second):
            opened_in(inbox, "q@s").type(draft, PANEL)
            await inbox.run(lambda store: store.database.versions())  # what is owed is written before
            assert await draft_in(inbox, request) == draft
        opened_in(inbox, "q@s").leave()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        trips.clear()
        again = asyncio.create_task(inbox.ask(request))
        await received.until(lambda: received.changes[-1] == Added(request, again=True))
        back = await draft_in(inbox, request)
        assert isinstance(back, PanelState)
        assert back.pages[0].draft.selected == (1,)
        assert len(trips) == 1
        opened_in(inbox, "q@s").type(first, PANEL)
        await inbox.run(lambda store: store.database.versions())
        assert await draft_in(inbox, request) == first
        inbox.withdraw("q@s", "enough")
        assert await again == Cancelled("enough")


async def test_what_was_answered_while_nobody_asked_is_the_outcome_at_once(path: Path) -> None:
    async with inboxes(path) as ((inbox, received),):
        task = asyncio.create_task(inbox.ask(permission("a")))
        await received.until(lambda: received.changes)
        opened_in(inbox, "a@s").leave()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await inbox.settle("a@s", Allowed(), PHONE) == Accepted()
        assert received.changes[-1] == Settled(permission("a"), Allowed(), PHONE)
        assert await inbox.ask(permission("a")) == Allowed()


async def test_who_is_cancelled_while_the_answer_comes_ends(path: Path) -> None:
    async with inboxes(path) as ((inbox, _),):
        for later in range(8):
            answer: Future[int] = Future()
            asking = asyncio.create_task(inbox._within(answer))
            await asyncio.sleep(0)
            answer.set_result(1)
            for _ in range(later):
                await asyncio.sleep(0)
            if asking.cancel():
                await asyncio.wait({asking}, timeout=5)
                assert asking.cancelled(), later


async def test_a_permission_of_a_process_that_was_killed_is_withdrawn_everywhere_at_the_next_look(
    path: Path,
) -> None:
    asker = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=subprocess.PIPE)
    owner = Owner(asker.pid, _start(asker.pid) or "")
    request = PermissionRequest("toolu_p", "s", "Bash", {})
    inbox = await Inbox.connect(path)
    try:
        settled: asyncio.Future[Settled] = asyncio.get_running_loop().create_future()
        inbox.subscribe(lambda change: settled.set_result(change) if isinstance(change, Settled) else None)
        assert await inbox.run(lambda store: store.sessions.claim("s", owner)) is None
        await inbox.run(lambda store: store.requests.add(request))
        asker.kill()
        await asker.wait()
        async with asyncio.timeout(10):
            assert (await settled).outcome == Cancelled(PROCESS_ENDED)
        assert isinstance(await inbox.settle(request.id, Denied(), PANEL), AlreadySettled)
    finally:
        if asker.returncode is None:
            asker.kill()
        await inbox.close()


async def test_a_newer_draft_of_another_process_is_shown_or_waits_until_it_is_taken_over(path: Path) -> None:
    request = question("q")
    first, second, third = (step(opened(request.questions), Pressed(key, key)) for key in "12a")
    async with inboxes(path, 2) as ((one, received), (two, _)):
        task = asyncio.create_task(one.ask(request))
        await received.until(lambda: received.changes)
        mine, theirs = opened_in(one, "q@s"), await two.open("q@s")
        theirs.type(first, PHONE)
        await received.until(lambda: len(received.changes) == 2)
        assert isinstance(mine.draft, PanelState)
        assert (mine.draft.pages[0].draft.selected, mine.stale, selected(received)) == ((0,), None, [(0,)])
        mine.type(second, PANEL)  # both at once: the first to be saved stays
        theirs.type(third, PHONE)
        await two.run(lambda _: None)
        await one.run(lambda _: None)
        await received.until(lambda: mine.stale is not None)
        assert (mine.draft, selected(received)) == (second, [(0,), (0, 1)])
        assert await one.run(lambda store: store.drafts.last()) == 2
        assert mine.take_over() == second
        assert isinstance(mine.draft, PanelState)
        assert mine.draft.pages[0].draft.selected == (0, 1)
        mine.type(second, PANEL)
        await one.run(lambda _: None)
        assert await one.run(lambda store: store.drafts.last()) == 3
        one.withdraw("q@s", "enough")
        await task


def selected(log: ChangeLog) -> list[tuple[int, ...]]:
    """Return the selections of the drafts that were reported."""
    drafts = (change.draft for change in log.changes if isinstance(change, StoredDraft))
    return [draft.pages[0].draft.selected for draft in drafts if isinstance(draft, PanelState)]
