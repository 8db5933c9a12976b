"""Devices that know only the contract's questions answer whole requests, in plain pairings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.questions import Answer, Answered
from tests.unit.remote.publishing import COLOUR, PARTS, Desk, published, question, until


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with published(tmp_path, sealed=False) as made:
        yield made


async def asked(desk: Desk, count: int) -> list[dict[str, Any]]:
    """Wait until a device has so many pending questions."""

    async def look() -> tuple[list[dict[str, Any]]] | None:
        response = await desk.phone.caller("GET", f"/questions/{desk.pairing.id}")
        found = list(response.json()["questions"])
        return (found,) if len(found) == count else None

    return list((await until(look))[0])


async def pair(desk: Desk) -> list[dict[str, Any]]:
    """Wait until both questions of a set are pending, the one with a single choice first."""
    return sorted(await asked(desk, 2), key=lambda each: bool(each["multiSelect"]))


async def answer(desk: Desk, asked: dict[str, Any], *indices: int, **more: Any) -> None:
    given = {"selectedIndices": [*indices], **more}
    response = await desk.phone.caller("POST", f"/question/{desk.pairing.id}/{asked['id']}/answer", given)
    assert response.status_code == 200, response.text


async def test_the_answers_to_a_set_become_one(desk: Desk) -> None:
    request = question("toolu_1", COLOUR, PARTS)
    outcome = await desk.ask(request)
    colour, parts = await pair(desk)
    assert colour["prompt"] == COLOUR.text
    assert colour["header"] == "Colour"
    options = [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": ""}]
    assert colour["options"] == options
    await answer(desk, colour, 1)
    await answer(desk, parts)  # nothing of a multi-select says nothing: all is asked again
    await pair(desk)
    await answer(desk, parts, 0, 2, note="small")
    await desk.stop()  # what was answered is found again
    desk.publish()
    assert await asked(desk, 1) == [colour]
    assert (await desk.stored(request)).state is RequestState.PENDING
    await answer(desk, colour, other="Green")
    given = Answered((Answer(other="Green"), Answer(("A", "C"), note="small")))
    assert await asyncio.wait_for(outcome, 5) == given
    actor = (await desk.stored(request)).actor
    assert actor == Actor(Surface.DEVICE, "phone 0", device=desk.phone.caller.id)
    assert await asked(desk, 0) == []


async def test_skipped_leaves_a_set_to_the_terminal(desk: Desk) -> None:
    request = question("toolu_1", COLOUR, PARTS)
    outcome = await desk.ask(request)
    colour, parts = await pair(desk)
    await answer(desk, colour, skipped=True)
    await answer(desk, parts, 1)
    record = await desk.phone.shown()
    await desk.phone.answer(record, {"answers": [{"selected": [1]}, {"selected": [2]}]})
    assert await asyncio.wait_for(outcome, 5) == Answered((Answer(("Red",)), Answer(("B",))))
    assert await asked(desk, 0) == []
