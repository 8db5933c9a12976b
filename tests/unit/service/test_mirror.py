"""The inbox of one machine has what runs of another ask; the machine that asks decides who was first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.inbox.requests import Cancelled, PermissionRequest
from ccq_tui.inbox.store.rows import RequestState, StoredRequest, StoredSessionState
from ccq_tui.questions import Answer, Answered
from ccq_tui.service.run import Happened, RunState
from tests.actors import COMMAND, PANEL
from tests.steps import until_true
from tests.unit.service.desks import SESSION, Served
from tests.unit.service.test_desk import ONE

DAY_JS, DATE_FNS = Answered((Answer(("Day.js",)),)), Answered((Answer(("date-fns (Recommended)",)),))


@pytest.fixture
async def machines(tmp_path: Path) -> AsyncIterator[tuple[Served, Served]]:
    here, there = Served(tmp_path), Served(tmp_path, "there")
    following = [asyncio.create_task(one.desk.follow()) for one in (here, there)]
    yield here, there
    for task in following:
        task.cancel()
    await asyncio.wait(following)
    for one in (here, there):
        one.store.close()


async def request_in(served: Served, request_id: str, *looking: Served) -> StoredRequest | None:
    for one in looking:
        await one.mirror.look()
    return await served.inbox.run(lambda store: store.requests.get(request_id))


async def until_in(served: Served, request_id: str, state: RequestState, *looking: Served) -> StoredRequest:
    """Let mirrors look until a request is in a state in an inbox."""

    async def look() -> StoredRequest | None:
        found = await request_in(served, request_id, *looking)
        return found if found is not None and found.state is state else None

    found: StoredRequest = await until_true(look)
    return found


async def shown(here: Served, there: Served) -> None:
    """Ask a question here, and wait until it is shown there."""
    here.store.update(here.run.id, state=RunState.WAITING, directory="/srv/run")
    await here.ask(ONE)
    await until_in(there, ONE.id, RequestState.PENDING, there)


async def test_an_answer_from_another_machine_arrives_here(machines: tuple[Served, Served]) -> None:
    here, there = machines
    await shown(here, there)
    session = await there.inbox.run(lambda store: store.sessions.get(SESSION))
    assert session is not None
    assert (session.name, session.labels["run"], session.state) == (
        "A title",
        here.run.id,
        StoredSessionState.PARKED,
    )
    assert session.directory == "here:/srv/run"
    assert there.recorded(Happened.ASKED) == here.recorded(Happened.ASKED), "the ticket is asked once"
    await there.inbox.answer(ONE.id, DAY_JS, PANEL)
    found = await until_in(here, ONE.id, RequestState.ANSWERED, here, there)
    assert (found.outcome, found.actor.where if found.actor else "") == (DAY_JS, "on there")
    await until_true(lambda: here.recorded(Happened.ANSWERED))
    assert here.recorded(Happened.ANSWERED)[0]["text"] == "Answered on there: Library: Day.js"
    await until_in(there, ONE.id, RequestState.DELIVERED, there, here)
    here.store.update(here.run.id, state=RunState.ENDED)
    await there.mirror.look()
    session = await there.inbox.run(lambda store: store.sessions.get(SESSION))
    assert session is not None
    assert (session.state, session.owner) == (StoredSessionState.ENDED, None)


async def test_an_answer_from_here_closes_it_there(machines: tuple[Served, Served]) -> None:
    here, there = machines
    await shown(here, there)
    await here.inbox.answer(ONE.id, DATE_FNS, COMMAND)
    found = await until_in(there, ONE.id, RequestState.DELIVERED, there, here)
    assert (found.outcome, found.actor) == (DATE_FNS, COMMAND)
    assert len(here.recorded(Happened.ANSWERED)) == 1
    assert here.recorded(Happened.SAID) == []


async def test_the_second_of_two_answers_is_reported(machines: tuple[Served, Served]) -> None:
    here, there = machines
    await shown(here, there)
    await there.inbox.answer(ONE.id, DAY_JS, PANEL)
    await here.inbox.answer(ONE.id, DATE_FNS, COMMAND)
    late: Callable[[], Any] = lambda: [one["text"] for one in here.recorded(Happened.SAID)]  # noqa: E731

    async def look() -> bool:
        await request_in(here, ONE.id, here, there)
        return bool(late())

    await until_true(look)
    assert late() == ["Answered on there as well; nothing was sent from there."]
    found = await request_in(here, ONE.id)
    assert found is not None
    assert found.outcome == DATE_FNS


@pytest.mark.parametrize("then", [RunState.WORKING, RunState.ENDED])
async def test_a_withdrawn_permission_and_a_killed_mirror(
    machines: tuple[Served, Served], tmp_path: Path, then: RunState
) -> None:
    here, there = machines
    asked = PermissionRequest("toolu_9", SESSION, "Bash", {"command": "ls"})
    here.store.update(here.run.id, state=RunState.WORKING)
    async with here.inbox.asking(asked):
        await until_in(there, asked.id, RequestState.PENDING, there)
        here.store.update(here.run.id, state=then)
        again = Served(tmp_path, "there")
        again.inbox = there.inbox
    await until_true(lambda: not here.store.published("here"))
    found = await until_in(there, asked.id, RequestState.CANCELLED, again, here)
    assert isinstance(found.outcome, Cancelled)
    again.store.close()


async def test_a_request_that_ended_while_no_service_ran_closes_elsewhere(tmp_path: Path) -> None:
    here = Served(tmp_path)
    asked = StoredRequest(1, ONE, "", RequestState.PENDING, here.run.created)
    here.store.publish(here.run.id, asked)
    following = asyncio.create_task(here.desk.follow())
    await until_true(lambda: not here.store.published("here"))
    [row] = here.store.outcomes([ONE.id])
    assert "no longer waits" in row.outcome
    following.cancel()
    await asyncio.wait([following])
    here.store.close()
