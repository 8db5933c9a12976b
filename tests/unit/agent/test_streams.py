"""Streamed blocks and the whole ones that follow: few events, the same text, in order."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.agent import translate as streams_module
from ccq_tui.agent.events import BlockDropped, BlockFinished, BlockGrew, BlockKey, BlockKind
from ccq_tui.agent.translate import BlockStreams
from tests.tables import each_row


def start(message_id: str) -> dict[str, Any]:
    return {"type": "message_start", "message": {"id": message_id}}


def opened(index: int, kind: str = "text") -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind}}


def delta(index: int, text: str, kind: str = "text") -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": f"{kind}_delta", kind: text}}


def stopped(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def feed(streams: BlockStreams, *events: dict[str, Any], parent: str = "") -> list[Any]:
    return [out for event in events for out in streams.stream(event, parent)]


@pytest.fixture
def streams() -> BlockStreams:
    return BlockStreams()


def test_a_block_grows_and_its_whole_has_the_same_key(streams: BlockStreams) -> None:
    key = BlockKey("m", 0)
    assert feed(streams, start("m"), opened(0), delta(0, "a"), delta(0, "b")) == [
        BlockGrew(key, BlockKind.TEXT, "a"),
        BlockGrew(key, BlockKind.TEXT, "b"),
    ]
    assert list(streams.finish("m", "")) == [key]
    assert feed(streams, stopped(0)) == []
    assert list(streams.end_turn()) == []


def test_whole_blocks_take_their_places_in_order_whatever_their_kind(streams: BlockStreams) -> None:
    feed(
        streams,
        start("m"),
        opened(0, "thinking"),
        delta(0, "hm", "thinking"),
        opened(1, "tool_use"),
        opened(2),
    )
    assert [list(streams.finish("m", "")) for _ in range(3)] == [[BlockKey("m", i)] for i in range(3)]


def test_a_message_that_was_not_streamed_counts_its_blocks(streams: BlockStreams) -> None:
    assert list(streams.finish("m", "agent")) == [BlockKey("m", 0, "agent")]
    assert list(streams.finish("m", "agent")) == [BlockKey("m", 1, "agent")]


def test_a_broken_block_is_dropped_at_the_retry_and_only_once(streams: BlockStreams) -> None:
    feed(streams, start("m"), opened(0), delta(0, "part"), stopped(0))
    assert list(streams.retry()) == [BlockDropped(BlockKey("m", 0))]
    assert list(streams.retry()) == []
    assert feed(streams, start("n")) == []


def test_a_broken_block_is_dropped_by_the_next_message_too(streams: BlockStreams) -> None:
    feed(streams, start("m"), opened(0), delta(0, "part"))
    assert feed(streams, start("n")) == [BlockDropped(BlockKey("m", 0))]
    feed(streams, opened(0), delta(0, "part"))
    assert list(streams.finish("o", "")) == [BlockDropped(BlockKey("n", 0)), BlockKey("o", 0)]


def test_a_retry_leaves_another_agents_stream_alone(streams: BlockStreams) -> None:
    feed(streams, start("m"), opened(0), delta(0, "main"))
    feed(streams, start("s"), opened(0), delta(0, "sub"), stopped(0), parent="agent")
    assert list(streams.retry()) == [BlockDropped(BlockKey("s", 0, "agent"))]
    assert list(streams.finish("m", "")) == [BlockKey("m", 0)]


def test_the_end_of_a_turn_keeps_what_was_read(streams: BlockStreams) -> None:
    feed(streams, start("m"), opened(0), delta(0, "as far "), delta(0, "as"))
    assert list(streams.end_turn()) == [BlockFinished(BlockKey("m", 0), BlockKind.TEXT, "as far as")]
    assert list(streams.end_turn()) == []


EVENTS = st.one_of(
    st.sampled_from(["m", "n"]).map(start),
    st.tuples(st.integers(0, 3), st.sampled_from(["text", "thinking", "tool_use"])).map(lambda p: opened(*p)),
    st.tuples(st.integers(-1, 4), st.text(max_size=3)).map(lambda p: delta(*p)),
    st.integers(-1, 4).map(stopped),
)


@given(
    st.lists(st.tuples(EVENTS | st.sampled_from(["finish", "retry", "end"]), st.sampled_from(["", "agent"])))
)
def test_any_order_of_events_ends_each_shown_block_exactly_once(steps: list[Any]) -> None:
    streams = BlockStreams()
    shown: set[BlockKey] = set()
    out: list[Any] = []
    for step, parent in [*steps, ("end", "")]:
        match step:
            case "finish":
                out += streams.finish("m", parent)
            case "retry":
                out += streams.retry()
            case "end":
                out += streams.end_turn()
            case _:
                out += streams.stream(step, parent)
    for event in out:
        match event:
            case BlockGrew():
                shown.add(event.key)
            case BlockKey():
                shown.discard(event)
            case BlockDropped() | BlockFinished():
                shown.remove(event.key)
    assert not shown


def lines_run(play: Callable[[], object]) -> int:
    """Count the lines of the module that run: a measure of the work that no busy machine changes."""
    count = 0

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal count
        if frame.f_code.co_filename != streams_module.__file__:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        play()
    finally:
        sys.settrace(before)
    return count


def whole_ones(blocks: int) -> None:
    streams = BlockStreams()
    for _ in range(blocks):
        list(streams.finish("m", ""))


def retried(blocks: int) -> None:
    streams = BlockStreams()
    for _ in range(blocks):
        list(streams.finish("m", ""))
        list(streams.retry())


@each_row(whole_ones, retried)
def test_a_block_costs_the_same_however_many_its_message_has(play: Callable[[int], None]) -> None:
    few, many = (lines_run(lambda blocks=blocks: play(blocks)) for blocks in (50, 500))
    assert few > 50
    assert many < 10.5 * few


def test_blocks_become_whole_in_order_between_those_that_still_grow(streams: BlockStreams) -> None:
    feed(streams, start("m"), opened(0), delta(0, "a"), opened(1), delta(1, "b"), stopped(1))
    assert list(streams.finish("m", "")) == [BlockKey("m", 0)]
    assert list(streams.retry()) == [BlockDropped(BlockKey("m", 1))]
    assert list(streams.finish("m", "")) == [BlockKey("m", 2)]
    feed(streams, opened(3), delta(3, "c"))
    assert list(streams.end_turn()) == [BlockFinished(BlockKey("m", 3), BlockKind.TEXT, "c")]
