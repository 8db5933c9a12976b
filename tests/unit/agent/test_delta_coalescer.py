"""Growth of blocks: few events, the same text, in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.agent.claude import conversation
from ccq_tui.agent.claude.conversation import DeltaCoalescer
from ccq_tui.agent.events import AgentEvent, BlockFinished, BlockGrew, BlockKey, BlockKind

ONE, TWO = BlockKey("m", 0), BlockKey("m", 1, "agent")


def grew(text: str, key: BlockKey = ONE) -> BlockGrew:
    return BlockGrew(key, BlockKind.TEXT, text)


def finished(text: str, key: BlockKey = ONE) -> BlockFinished:
    return BlockFinished(key, BlockKind.TEXT, text)


async def moment_over(told: list[AgentEvent], count: int) -> None:
    async with asyncio.timeout(10):
        while len(told) < count:  # noqa: ASYNC110 - a plain list tells nobody that it grew
            await asyncio.sleep(0.01)


async def test_the_first_is_told_at_once_and_the_rest_of_a_moment_together() -> None:
    told: list[AgentEvent] = []
    joined = DeltaCoalescer(told.append)
    joined.take(grew("a"))
    assert told == [grew("a")]
    for letter in "bcd":
        joined.take(grew(letter))
        joined.take(grew(letter.upper(), TWO))
    assert told == [grew("a")]
    await moment_over(told, 3)
    assert told == [grew("a"), grew("bcd"), grew("BCD", TWO)]
    joined.close()


async def test_a_thousand_crumbs_wake_nobody_a_thousand_times(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, asked = asyncio.get_running_loop(), 0

    class Counted:
        def call_later(self, seconds: float, callback: Callable[[], Any]) -> asyncio.TimerHandle:
            nonlocal asked
            asked += 1
            return loop.call_later(seconds, callback)

    monkeypatch.setattr(conversation.asyncio, "get_running_loop", Counted)
    told: list[AgentEvent] = []
    joined = DeltaCoalescer(told.append)
    for _ in range(1_000):
        joined.take(grew("x"))
    assert (asked, len(told)) == (1, 1)
    joined.take(finished("x" * 1_000))
    assert told == [grew("x"), grew("x" * 999), finished("x" * 1_000)]
    joined.close()


@given(st.lists(st.tuples(st.sampled_from([ONE, TWO]), st.text(min_size=1, max_size=3), st.booleans())))
def test_whatever_is_joined_every_block_reads_the_same(crumbs: list[tuple[BlockKey, str, bool]]) -> None:
    events: list[AgentEvent] = [
        finished(text, key) if ends else grew(text, key) for key, text, ends in crumbs
    ]

    async def played() -> list[AgentEvent]:
        told: list[AgentEvent] = []
        joined = DeltaCoalescer(told.append)
        for event in events:
            joined.take(event)
        joined.close()
        return told

    told = asyncio.run(played())
    for key in (ONE, TWO):
        assert _read(told, key) == _read(events, key)
    assert [event for event in told if isinstance(event, BlockFinished)] == [
        event for event in events if isinstance(event, BlockFinished)
    ]


def _read(events: list[AgentEvent], key: BlockKey) -> str:
    """Return a block's text, with a sign wherever it was said to be finished."""
    marked = ((event, "|" if isinstance(event, BlockFinished) else "") for event in events)
    return "".join(
        mark + event.text
        for event, mark in marked
        if isinstance(event, BlockGrew | BlockFinished) and event.key == key
    )
