"""The CLI's output with fewer deltas: the same text, the same order, all else untouched."""

import asyncio
import json
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.agent.claude import transport
from ccq_tui.agent.claude.transport import DeltaBuffer, joined_deltas


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


def joined(lines: list[str]) -> list[str]:
    buffer = DeltaBuffer()
    buffer.take("".join(f"{one}\n" for one in lines))
    return buffer.give().splitlines()


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


def test_the_deltas_of_agents_that_work_at_once_are_one_each() -> None:
    texts = [delta(text, parent=parent) for text in "abc" for parent in ("one", "two")]
    assert [text_of(one) for one in joined([*texts, '{"type":"result"}'])[:2]] == ["abc", "abc"]


async def pieces(chunks: list[str]) -> AsyncIterator[str]:
    """Output that comes in given pieces."""
    for chunk in chunks:
        yield chunk


async def read(chunks: list[str]) -> list[str]:
    return [given async for given in joined_deltas(pieces(chunks)) if given]


BLOCKS = st.tuples(st.text(max_size=8), st.integers(0, 1)).map(lambda read: delta(*read))
LINES = st.one_of(BLOCKS, BLOCKS, BLOCKS, st.just('{"type":"system"}'), st.just(""), st.just("long" * 100))


@given(st.lists(LINES, max_size=12), st.lists(st.integers(0, 2_000), max_size=12), st.booleans())
async def test_wherever_the_output_is_cut_it_means_the_same(
    lines: list[str], cuts: list[int], ends: bool
) -> None:
    written = "\n".join(lines) + ("\n" if ends and lines else "")
    places = [0, *sorted(cut for cut in cuts if cut < len(written)), len(written)]
    chunks = [written[start:end] for start, end in pairwise(places)]
    with patch.multiple(transport, PAUSE=0.0, PIECE=300):
        given = "".join(await read(chunks))
    assert meant(given.split("\n")) == meant(written.split("\n"))


def meant(lines: list[str]) -> list[dict[str, str] | str]:
    """Return what is said in lines: of deltas in a row what each block reads, all else as it is written."""
    found: list[dict[str, str] | str] = []
    for written in lines:
        if "content_block_delta" not in written:
            found.append(written)
            continue
        index = str(json.loads(written)["event"]["index"])
        if not found or isinstance(found[-1], str):
            found.append({})
        found[-1][index] = found[-1].get(index, "") + text_of(written)
    return found


async def test_the_first_delta_and_all_else_wait_for_nothing_and_a_burst_is_one() -> None:
    crumbs = [delta(letter) + "\n" for letter in "abcdef"]
    with patch.object(transport, "JOINED", 60.0):
        given = await read([*crumbs[:4], '{"type":"result"}\n', crumbs[4], "", crumbs[5]])
    assert [len(one.splitlines()) for one in given] == [1, 2, 1]
    assert [text_of(one.splitlines()[0]) for one in given] == ["a", "bcd", "ef"]


async def test_what_was_joined_is_passed_on_though_nothing_follows() -> None:
    more = asyncio.Event()

    async def slowly() -> AsyncIterator[str]:
        yield delta("a") + "\n"
        yield delta("b") + "\n"
        await more.wait()

    passed = joined_deltas(slowly())
    assert [text_of(await anext(passed)) for _ in range(2)] == ["a", "b"]
    more.set()
    assert [given async for given in passed] == [""]
