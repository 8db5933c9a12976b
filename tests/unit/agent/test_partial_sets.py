"""What is told of sets on their way, and what not, without a CLI."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude.gate import Gate
from ccq_tui.agent.claude.partial_sets import BROKE, INTERRUPTED, PASSED_OVER, REJECTED, PartialSets
from ccq_tui.agent.options import QuestionPolicy, SessionOptions
from ccq_tui.questions.state import Arriving
from tests.memory_inbox import MemoryInbox

SOURCE: dict[str, Any] = {
    "questions": [{"question": "Q?", "header": "H", "options": [{"label": "a"}, {"label": "b"}]}]
}
TEXT = json.dumps(SOURCE)
TOOL = "AskUserQuestion"


class Told:
    """Arrivals, and the events they told."""

    def __init__(self, **options: Any) -> None:
        self.events: list[ev.AgentEvent] = []
        gate = Gate(MemoryInbox(), SessionOptions(cwd=Path(), **options), lambda: "s", self.events.append)
        self.arrivals = PartialSets(lambda: "s", gate.will_ask, self.events.append)

    def begin(self, name: str, index: int = 0, *, tool: str = TOOL, parent: str = "") -> None:
        block = {"type": "tool_use", "id": name, "name": tool, "input": {}}
        start = {"type": "content_block_start", "index": index, "content_block": block}
        self.arrivals.stream(start, parent)

    def grow(self, text: str, index: int = 0, parent: str = "") -> None:
        for piece in text:
            delta = {"type": "input_json_delta", "partial_json": piece}
            event = {"type": "content_block_delta", "index": index, "delta": delta}
            self.arrivals.stream(event, parent)

    def message(self, kind: str) -> None:
        self.arrivals.stream({"type": f"message_{kind}"}, "")

    async def frame(self) -> None:
        """Wait for the next look."""
        looked = asyncio.Event()
        if self.arrivals._next_look is not None:
            asyncio.get_running_loop().call_at(self.arrivals._next_look.when(), looked.set)
            async with asyncio.timeout(5):
                await looked.wait()
        assert self.arrivals._next_look is None

    async def shown(self, name: str = "t1", index: int = 0) -> None:
        """Have a part of a set told."""
        self.begin(name, index)
        self.grow(TEXT[:-10], index)
        await self.frame()

    @property
    def ended(self) -> list[tuple[str, str]]:
        return [(e.request_id, e.reason) for e in self.events if isinstance(e, ev.ArrivingEnded)]


def finished(name: str, output: str, *, error: bool = True) -> ev.ToolFinished:
    return ev.ToolFinished(name, TOOL, output, error)


def over(reason: str) -> ev.TurnEnded:
    return ev.TurnEnded(reason, False, 0.0, None, 0, 0)


async def test_a_burst_is_told_once() -> None:
    told = Told()
    told.begin("t1")
    told.grow(TEXT)
    assert not told.events
    await told.frame()
    (event,) = told.events
    assert isinstance(event, ev.QuestionArriving)
    assert [o.label for o in event.request.questions.questions[0].options] == ["a", "b"]
    told.arrivals.hear(ev.ToolStarted("t1", TOOL, SOURCE))
    assert isinstance(told.events[-1], ev.QuestionArriving)
    assert told.events[-1].arriving == Arriving(1, whole=True)


async def test_a_set_that_came_between_two_looks_is_the_hooks_alone() -> None:
    told = Told()
    told.begin("t1")
    told.grow(TEXT)
    told.arrivals.hear(ev.ToolStarted("t1", TOOL, SOURCE))
    await told.frame()
    told.arrivals.hear(over("completed"))
    assert not told.events


async def test_a_set_that_came_between_two_looks_is_told_before_one_behind_it() -> None:
    told = Told()
    told.begin("t1")
    told.grow(TEXT)
    told.arrivals.hear(ev.ToolStarted("t1", TOOL, SOURCE))
    await told.shown("t2", 1)
    events = [e for e in told.events if isinstance(e, ev.QuestionArriving)]
    assert [(e.request.id, e.arriving) for e in events] == [
        ("t1@s", Arriving(1, whole=True)),
        ("t2@s", Arriving(0)),
    ]


async def test_nothing_is_told_of_what_nobody_will_be_asked() -> None:
    for told, parent, tool in (
        (Told(questions=QuestionPolicy.ASSUME), "", TOOL),
        (Told(questions=QuestionPolicy.ADAPTIVE, max_question_rounds=0), "", TOOL),
        (Told(), "toolu_agent", TOOL),
        (Told(), "", "Bash"),
    ):
        told.begin("t1", tool=tool, parent=parent)
        told.grow(TEXT, parent=parent)
        await told.frame()
        told.arrivals.hear(finished("t1", "no"))
        assert not told.events


async def test_sets_on_their_way_count_as_rounds() -> None:
    told = Told(questions=QuestionPolicy.ADAPTIVE, max_question_rounds=1)
    await told.shown("t1")
    await told.shown("t2", 1)
    assert {e.request.id for e in told.events if isinstance(e, ev.QuestionArriving)} == {"t1@s"}


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (ev.Retrying(1, 2, 0.5, None, "unknown"), BROKE),
        (ev.BlockFinished(ev.BlockKey("m2", 0), ev.BlockKind.TEXT, "Instead."), BROKE),
        (ev.ToolStarted("t9", TOOL, SOURCE), BROKE),
        (over("api_error"), BROKE),
        (over("aborted_streaming"), INTERRUPTED),
    ],
)
async def test_a_stream_that_ends_early(event: ev.AgentEvent, reason: str) -> None:
    told = Told()
    await told.shown()
    told.message("stop")
    assert not told.ended
    told.arrivals.hear(event)
    assert told.ended == [("t1@s", reason)]
    told.arrivals.hear(event)
    assert len(told.ended) == 1


async def test_another_message_in_its_place() -> None:
    told = Told()
    await told.shown()
    told.arrivals.hear(ev.Retrying(1, 2, 0.5, None, "unknown"))
    assert not told.ended  # another agent's: this stream goes on
    told.message("start")
    assert told.ended == [("t1@s", BROKE)]


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (finished("t1", "<tool_use_error>InputValidationError: no"), REJECTED),
        (finished("t1", "The user doesn't want to proceed"), INTERRUPTED),
        (finished("t1", "Answered by a hook", error=False), PASSED_OVER),
        (over("completed"), PASSED_OVER),
    ],
)
async def test_a_whole_set_that_nobody_is_asked(event: ev.AgentEvent, reason: str) -> None:
    told = Told()
    await told.shown()
    told.arrivals.hear(ev.ToolStarted("t1", TOOL, {"questions": "unreadable"}))
    told.message("stop")
    told.arrivals.hear(ev.Retrying(1, 2, 0.5, None, "unknown"))
    assert not told.ended
    told.arrivals.hear(event)
    assert told.ended == [("t1@s", reason)]


async def test_the_end_of_the_process() -> None:
    told = Told()
    await told.shown()
    told.grow("x")
    told.arrivals.give_up("gone")
    assert told.ended == [("t1@s", "gone")]
    assert told.arrivals._next_look is None
