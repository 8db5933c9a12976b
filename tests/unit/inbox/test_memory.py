"""The inbox of one process."""

import asyncio
import logging
from datetime import UTC, datetime, timedelta

import pytest

from ccq_tui.inbox.actors import WITHDRAWN
from ccq_tui.inbox.port import Added, InboxChange, Settled
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied, PermissionRequest
from ccq_tui.inbox.verdicts import AlreadySettled, Unknown, Won
from ccq_tui.inbox.waiting_line import first_draft
from tests.actors import PANEL, PHONE
from tests.memory_inbox import MemoryInbox


def request(name: str) -> PermissionRequest:
    return PermissionRequest(tool_use_id=name, asker_id="s", tool="Bash", input={})


async def waiting(inbox: MemoryInbox, *names: str) -> list["asyncio.Task[object]"]:
    """Ask for the names in order, and come back when all of them wait."""
    tasks = [asyncio.create_task(inbox.ask(request(name))) for name in names]
    await asyncio.sleep(0)  # one pass of the loop starts them all
    assert len(inbox.pending) == len(set(names))
    return tasks


async def test_requests_wait_in_order_and_are_answered_in_any() -> None:
    inbox = MemoryInbox()
    first, second = await waiting(inbox, "a", "b")
    assert [r.tool_use_id for r in inbox.pending] == ["a", "b"]
    assert await inbox.answer("b@s", Allowed(), PANEL) == Won()
    assert await inbox.answer("a@s", Denied("no"), PANEL) == Won()
    assert await first == Denied("no")
    assert await second == Allowed()
    assert inbox.pending == ()


async def test_the_first_answer_wins() -> None:
    inbox = MemoryInbox()
    (task,) = await waiting(inbox, "a")
    assert await inbox.answer("a@s", Allowed(), PANEL) == Won()
    late = await inbox.answer("a@s", Denied(), PHONE)
    assert isinstance(late, AlreadySettled)
    assert (late.actor, late.outcome) == (PANEL, Allowed())
    assert abs(datetime.now(UTC) - late.at) < timedelta(minutes=1)
    assert await task == Allowed()
    assert await inbox.answer("unknown@s", Allowed(), PANEL) == Unknown()


async def test_listeners_hear_of_arrival_and_settling_until_they_leave() -> None:
    inbox = MemoryInbox()
    heard: list[InboxChange] = []
    leave = inbox.subscribe(heard.append)
    (task,) = await waiting(inbox, "a")
    await inbox.answer("a@s", Allowed(), PANEL)
    await task
    assert heard == [Added(request("a")), Settled(request("a"), Allowed(), PANEL)]
    leave()
    leave()
    (task,) = await waiting(inbox, "b")
    await inbox.answer("b@s", Allowed(), PANEL)
    await task
    assert len(heard) == 2


async def test_a_cancelled_wait_withdraws_the_request() -> None:
    inbox = MemoryInbox()
    heard: list[InboxChange] = []
    inbox.subscribe(heard.append)
    (task,) = await waiting(inbox, "a")
    task.cancel("interrupted")
    with pytest.raises(asyncio.CancelledError):
        await task
    assert heard[-1] == Settled(request("a"), Cancelled("interrupted"), WITHDRAWN)
    late = await inbox.answer("a@s", Allowed(), PANEL)
    assert isinstance(late, AlreadySettled)
    assert late.outcome == Cancelled("interrupted")


async def test_a_request_asked_again_joins_the_wait_and_survives_one_that_leaves() -> None:
    inbox = MemoryInbox()
    first, second = await waiting(inbox, "a", "a")
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert len(inbox.pending) == 1
    assert await inbox.answer("a@s", Allowed(), PANEL) == Won()
    assert await second == Allowed()


async def test_a_listener_that_fails_reaches_nobody_else(caplog: pytest.LogCaptureFixture) -> None:
    inbox = MemoryInbox()
    heard: list[InboxChange] = []

    def fail(change: InboxChange) -> None:
        raise RuntimeError("broken")

    inbox.subscribe(fail)
    inbox.subscribe(heard.append)
    with caplog.at_level(logging.CRITICAL):
        (task,) = await waiting(inbox, "a")
        await inbox.answer("a@s", Allowed(), PANEL)
        assert await task == Allowed()
    assert len(heard) == 2


async def test_a_request_that_is_left_waits_on_with_its_draft_and_can_be_asked_again() -> None:
    inbox = MemoryInbox()
    heard: list[InboxChange] = []
    inbox.subscribe(heard.append)
    (task,) = await waiting(inbox, "a")
    draft = first_draft(request("a"))
    inbox.save_draft("a@s", draft, PANEL)
    inbox.save_draft("nobody@s", draft, PANEL)
    assert not await inbox.defer("a@s"), "nothing outlives this process"
    inbox.leave("a@s")
    inbox.leave("nobody@s")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert heard == [Added(request("a"))]
    (again,) = await waiting(inbox, "a")
    assert heard[-1] == Added(request("a"), again=True)
    assert await inbox.load_draft(request("a")) == draft
    assert await inbox.load_draft(request("nobody")) is None
    assert await inbox.answer("a@s", Allowed(), PANEL) == Won()
    assert await again == Allowed()
    assert await inbox.load_draft(request("a")) is None
    assert await inbox.close()
