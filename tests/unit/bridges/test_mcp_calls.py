"""Calls that wait for a person, and that their clients take back."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from anyio.streams.memory import MemoryObjectSendStream
from mcp import types
from mcp.shared.message import SessionMessage

from ccq_tui.bridges.mcp.calls import MOST_AT_ONCE, Client, McpCall, TooManyError, WaitingCalls
from ccq_tui.bridges.mcp.stdio import ClientPipes, pipe_to
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import Cancelled, QuestionRequest
from ccq_tui.inbox.store.rows import LISTED, RequestState
from ccq_tui.questions import Declined, Option, Question, QuestionSet
from tests.actors import PANEL
from tests.steps import until_true

QUESTIONS = QuestionSet("letter", (Question("Which?", "Which", (Option("A"), Option("B"))),), source={})
LETTER = QuestionRequest("letter", "", QUESTIONS)


@pytest.fixture
async def inbox(tmp_path: Path) -> AsyncIterator[Inbox]:
    inbox = await Inbox.connect(tmp_path / "inbox.db")
    try:
        yield inbox
    finally:
        assert await inbox.close()


async def waits() -> None:
    """Take that a call waits."""


@pytest.mark.parametrize("steps", range(1, 9))
@pytest.mark.parametrize("ended", ["never", "before", "afterwards"])
async def test_a_call_taken_back_as_it_is_written_waits_no_more(steps: int, ended: str, inbox: Inbox) -> None:
    calls, call = WaitingCalls(inbox), McpCall(Client("Codex", "/work"))
    asking = asyncio.ensure_future(calls.ask(call, LETTER, waits, asyncio.Event()))
    async with asyncio.timeout(30):
        for _ in range(steps):
            await asyncio.sleep(0)
        if ended == "before":
            asking.cancel()
        calls.withdraw(call)
        if ended == "afterwards":
            await asyncio.sleep(0)
            asking.cancel()
        with suppress(asyncio.CancelledError):
            outcome = await asking
            assert outcome is None or outcome.outcome == Cancelled("withdrawn by Codex")
    stored = await inbox.run(lambda store: store.requests.get(call.request_id))
    assert stored is not None
    assert stored.outcome == Cancelled("withdrawn by Codex")


async def test_calls_that_come_at_once_are_counted_and_share_nothing(inbox: Inbox) -> None:
    gone = asyncio.Event()
    calls, asked = WaitingCalls(inbox), [McpCall(Client("Codex", "/work")) for _ in range(MOST_AT_ONCE + 3)]
    asking = [asyncio.ensure_future(calls.ask(call, LETTER, waits, gone)) for call in asked]
    async with asyncio.timeout(30):
        await until_true(lambda: sum(one.done() for one in asking) >= 3)
        waiting = await inbox.run(lambda store: store.requests.waiting())
        assert {one.request.id for one in waiting} == {call.request_id for call in asked[:MOST_AT_ONCE]}
        assert len(waiting) == MOST_AT_ONCE
        calls.withdraw(asked[1])
        await asking[1]
        left = await inbox.run(lambda store: store.requests.waiting())
        assert len(left) == MOST_AT_ONCE - 1, "a call that is taken back closes its own request"
        gone.set()
        ended = await asyncio.gather(*asking, return_exceptions=True)
    assert [type(one) for one in ended if isinstance(one, Exception)] == [TooManyError] * 3


async def test_an_answer_read_in_the_list_answers_the_same_call_once(inbox: Inbox) -> None:
    client = Client("Codex", "/work")
    calls, call, gone = WaitingCalls(inbox), McpCall(client), asyncio.Event()
    asking = asyncio.ensure_future(calls.ask(call, LETTER, waits, gone))
    async with asyncio.timeout(30):
        while not (await calls.listed(client))[0]:  # noqa: ASYNC110 (nothing tells)
            await asyncio.sleep(0)
        gone.set()
        assert await asking is None
        await inbox.answer(call.request_id, Declined(), PANEL)
        _, (decided,) = await calls.listed(client)
        calls.delivered(decided.request.id, LISTED)
        again = await calls.ask(McpCall(client), LETTER, waits, asyncio.Event())
        assert again is not None
        assert again.outcome == Declined()
        calls.delivered(again.request.id)
        gone.clear()
        asking = asyncio.ensure_future(calls.ask(McpCall(client), LETTER, waits, gone))
        while not (await calls.listed(client))[0]:  # noqa: ASYNC110 (nothing tells)
            await asyncio.sleep(0)
        gone.set()
        assert await asking is None, "asked anew"


class Leaving:
    """A server whose last word is more than the pipe takes."""

    def create_initialization_options(self) -> None:
        """Take none."""

    async def run(self, _received: object, said: MemoryObjectSendStream[SessionMessage], _: None) -> None:
        response = types.JSONRPCResponse(jsonrpc="2.0", id=1, result={"content": "x" * 200_000})
        async with said:
            await said.send(SessionMessage(response))


async def test_what_is_written_as_its_client_leaves_is_noted_as_delivered(inbox: Inbox) -> None:
    reading, target = os.pipe()
    try:
        calls, call = WaitingCalls(inbox), McpCall(Client("Codex", "/work"))
        asking = asyncio.ensure_future(calls.ask(call, LETTER, waits, asyncio.Event()))
        async with asyncio.timeout(30):
            await until_true(lambda: call.request_id)
            await inbox.answer(call.request_id, Declined(), PANEL)
            assert await asking is not None
            reader = asyncio.StreamReader()
            reader.feed_eof()
            pipes = ClientPipes(reader, await pipe_to(target), calls, "")
            pipes.place_of(SimpleNamespace(request_id=1)).answered(call.request_id)  # type: ignore[arg-type]
            read = asyncio.ensure_future(asyncio.to_thread(rest_of_line, reading))
            await pipes.serve(Leaving())  # type: ignore[arg-type]
            assert len(await read) > 200_000
        stored = await inbox.run(lambda store: store.requests.get(call.request_id))
        assert stored is not None
        assert stored.state is RequestState.DELIVERED
    finally:
        os.close(reading)


def rest_of_line(reading: int) -> bytes:
    data = b""
    while not data.endswith(b"\n"):
        data += os.read(reading, 65536)
    return data
