"""The CLI's output with fewer deltas: the same text, the same order, all else untouched."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.agent.claude import transport
from ccq_tui.agent.claude.transport import joined, joined_deltas


def line(message: dict[str, Any]) -> str:
    """Return a message as the CLI writes it."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


def delta(text: str, index: int = 0, kind: str = "text", parent: str | None = None, name: str = "m") -> str:
    more = {"api_message_id": name}
    change = {"type": f"{kind}_delta", "thinking" if kind == "thinking" else "text": text}
    event = {"type": "content_block_delta", "index": index, "delta": change}
    ids = {"session_id": "s", "parent_tool_use_id": parent, "uuid": f"u{hash(text)}"}
    return line({"type": "stream_event", "event": event, **ids, **more})


def text_of(written: str) -> str:
    change = json.loads(written)["event"]["delta"]
    return str(change.get("text", change.get("thinking")))


def test_deltas_of_one_block_that_follow_each_other_are_one() -> None:
    lines = [delta(text) for text in ('He said "', "\\", "n\n", "日本😀", "")]
    (one,) = joined(lines)
    assert text_of(one) == 'He said "\\n\n日本😀'
    before, after = json.loads(lines[-1]), json.loads(one)
    before["event"]["delta"]["text"] = after["event"]["delta"]["text"] = ""
    assert after == before


def test_what_belongs_to_another_block_or_is_no_text_stands_apart() -> None:
    stop = line({"type": "stream_event", "event": {"type": "content_block_stop", "index": 0}})
    call = line(
        {"type": "stream_event", "event": {"type": "content_block_delta", "index": 0,
         "delta": {"type": "input_json_delta", "partial_json": '{"a'}}}
    )  # fmt: skip
    apart = [
        delta("a"),
        delta("b", index=1),
        delta("c", index=1, kind="thinking"),
        delta("d", index=1, parent="agent"),
        delta("e", index=1, parent="agent", name="another message"),
        call,
        call,
        delta("f"),
        stop,
        delta("g"),
        '{"type":"result"}',
        "no JSON at all",
    ]
    assert joined(apart) == apart


async def pieces(chunks: list[str]) -> AsyncIterator[str]:
    """Output that comes in given pieces."""
    for chunk in chunks:
        yield chunk


async def read(chunks: list[str]) -> str:
    return "".join([chunk async for chunk in joined_deltas(pieces(chunks))])


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(transport.asyncio, "sleep", sleep)
    return pauses


BLOCKS = st.tuples(st.text(max_size=8), st.integers(0, 1)).map(lambda read: delta(*read))
LINES = st.one_of(BLOCKS, BLOCKS, BLOCKS, st.just('{"type":"system"}'), st.just(""))


@given(st.lists(LINES, max_size=12), st.lists(st.integers(0, 2_000), max_size=12), st.booleans())
async def test_wherever_the_output_is_cut_it_means_the_same(
    lines: list[str], cuts: list[int], ends: bool
) -> None:
    written = "\n".join(lines) + ("\n" if ends and lines else "")
    places = [0, *sorted(cut for cut in cuts if cut < len(written)), len(written)]
    chunks = [written[start:end] for start, end in pairwise(places)]
    assert meant((await read(chunks)).split("\n")) == meant(written.split("\n"))


def meant(lines: list[str]) -> list[tuple[str, str]]:
    """Return what is said in lines: deltas of one block in a row as one, all else as it is written."""
    found: list[tuple[str, str]] = []
    for written in lines:
        if "content_block_delta" not in written:
            found.append(("", written))
            continue
        index = str(json.loads(written)["event"]["index"])
        if found and found[-1][0] == index:
            found[-1] = (index, found[-1][1] + text_of(written))
        else:
            found.append((index, text_of(written)))
    return found


async def test_a_burst_is_read_in_few_pieces_and_nothing_else_waits(no_pause: list[float]) -> None:
    no_pause.clear()
    out = await read(
        ['{"type":"system"}\n', delta("a") + "\n" + delta("b") + "\n", "", '{"type":"result"}\n']
    )
    assert no_pause == [transport.PAUSE], "after the deltas alone"
    assert len(out.splitlines()) == 3
