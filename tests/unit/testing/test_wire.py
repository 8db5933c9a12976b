from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.testing.play import Part, Turn
from ccq_tui.testing.scenario import Cut, Silence
from ccq_tui.testing.server import Chunk, stream, whole

TEXT = Part({"type": "text", "text": ""}, "text", "")


def turn(*contents: str, cut: Cut | None = None) -> Turn:
    parts = tuple(Part(TEXT.start, "text", content) for content in contents)
    return Turn("msg_1", parts, "end_turn", {"input_tokens": 7, "output_tokens": 9}, cut)


def events(items: list[Chunk | Silence | Cut]) -> list[dict[str, Any]]:
    chunks = [item.data.decode() for item in items if isinstance(item, Chunk)]
    return [json.loads(chunk.split("data: ", 1)[1]) for chunk in chunks]


@given(st.lists(st.text(), max_size=4), st.integers(1, 20))
def test_the_deltas_put_together_are_the_content(contents: list[str], size: int) -> None:
    found = events(list(stream(turn(*contents), "m", size)))
    blocks = [""] * len(contents)
    for event in found:
        if event["type"] == "content_block_delta":
            assert len(event["delta"]["text"]) <= size
            blocks[event["index"]] += event["delta"]["text"]
    assert blocks == contents
    assert [found[0]["type"], found[-1]["type"]] == ["message_start", "message_stop"]


@given(st.text(min_size=1), st.integers(0, 30), st.integers(1, 9))
def test_a_cut_sends_exactly_the_characters_before_it(words: str, after: int, size: int) -> None:
    items = list(stream(turn(words, cut=Cut(after)), "m", size))
    sent = "".join(event.get("delta", {}).get("text", "") for event in events(items))
    assert sent == words[:after]
    assert isinstance(items[-1], Cut)
    assert all(event["type"] != "message_stop" for event in events(items))


def test_a_cut_may_report_an_error_first() -> None:
    items = list(stream(turn("words", cut=Cut(None, "overloaded_error")), "m", 9))
    assert events(items)[-1]["error"]["type"] == "overloaded_error"
    assert isinstance(items[-1], Cut)


def test_a_silence_at_the_start_comes_before_the_first_byte() -> None:
    silent = Turn("msg_1", (Silence(), *turn("a").parts, Silence("b"), *turn("c").parts), "end_turn")
    kinds = [type(item).__name__ for item in stream(silent, "m", 9)]
    assert kinds[:2] == ["Silence", "Chunk"]
    assert kinds.count("Silence") == 2


def test_tool_input_and_thinking_stream_in_their_own_deltas() -> None:
    call = Part({"type": "tool_use", "id": "t", "name": "Bash", "input": {}}, "partial_json", '{"a": 1}')
    thought = Part({"type": "thinking", "thinking": "", "signature": ""}, "thinking", "hm")
    found = events(list(stream(Turn("msg_1", (thought, call), "tool_use"), "m", 3)))
    deltas = [event["delta"] for event in found if event["type"] == "content_block_delta"]
    assert [delta["type"] for delta in deltas] == [
        "thinking_delta",
        "signature_delta",
        *["input_json_delta"] * 3,
    ]
    (chunk,) = whole(Turn("msg_1", (thought, call), "tool_use"), "m")
    assert isinstance(chunk, Chunk)
    body = json.loads(chunk.data)
    assert body["content"][1] == {"type": "tool_use", "id": "t", "name": "Bash", "input": {"a": 1}}
    assert (body["stop_reason"], body["model"]) == ("tool_use", "m")
