"""Prompts that the CLI has read and may not have written down."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from ccq_tui.agent import unrecorded_prompts
from ccq_tui.agent.events import AgentEvent, PromptAccepted, PromptDelivered, PromptRecorded, PromptReturned
from ccq_tui.agent.unrecorded_prompts import UnrecordedPrompts


class Told:
    """What a session tells, and a record that has some prompts."""

    def __init__(self, *recorded: str) -> None:
        self.events: list[AgentEvent] = []
        self.looked_up: list[Mapping[str, str]] = []
        self._recorded = frozenset(recorded)
        self.unwritten = UnrecordedPrompts(self.events.append, self._taken)

    async def _taken(self, prompts: Mapping[str, str]) -> frozenset[str]:
        self.looked_up.append(dict(prompts))
        return self._recorded

    def delivered(self, *names: str) -> None:
        for name in names:
            self.unwritten.note(PromptAccepted(f"text of {name}", prompt_id=name))
            self.unwritten.note(PromptDelivered(name))


async def test_it_is_recorded_a_while_after_it_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unrecorded_prompts, "RECORDED_SECONDS", 0.01)
    told = Told()
    told.delivered("a")
    assert told.events == []
    async with asyncio.timeout(20):
        while not told.events:  # noqa: ASYNC110 (a timer calls nobody)
            await asyncio.sleep(0.01)
    await told.unwritten.settle("s", "killed", in_order=False)
    assert told.events == [PromptRecorded("a")]
    assert told.looked_up == []


async def test_what_the_record_lacks_comes_back_when_the_cli_was_killed() -> None:
    told = Told("b")
    told.delivered("a", "b", "c")
    told.unwritten.note(PromptReturned("text of c", "", "c"))
    told.unwritten.note(PromptAccepted("waits", prompt_id="d"))
    await told.unwritten.settle("s", "killed", in_order=False)
    assert told.looked_up == [{"a": "s", "b": "s"}]
    assert told.events == [PromptReturned("text of a", "killed", "a"), PromptRecorded("b")]


async def test_an_end_in_order_leaves_the_cli_the_time_to_write() -> None:
    told = Told()
    told.delivered("a", "b")
    await told.unwritten.settle("s", "closed", in_order=True)
    assert told.events == [PromptRecorded("a"), PromptRecorded("b")]
    assert told.looked_up == []
