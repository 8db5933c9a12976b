"""Calls that wait for a person, and that their clients take back."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from ccq_tui.bridges.mcp.calls import McpCall, WaitingCalls
from ccq_tui.bridges.mcp.clients import Client
from ccq_tui.inbox.durable import DurableInbox
from ccq_tui.inbox.requests import Cancelled
from ccq_tui.questions import Option, Question, QuestionSet

QUESTIONS = QuestionSet("letter", (Question("Which?", "Which", (Option("A"), Option("B"))),), source={})


async def waits() -> None:
    """Take that a call waits."""


@pytest.mark.parametrize("steps", range(8))
@pytest.mark.parametrize("ended", ["never", "before", "afterwards"])
async def test_a_call_taken_back_as_it_is_written_waits_no_more(
    steps: int, ended: str, tmp_path: Path
) -> None:
    inbox = await DurableInbox.open(tmp_path / "inbox.db")
    try:
        calls, call = WaitingCalls(inbox), McpCall(Client("Codex", "/work"))
        asking = asyncio.ensure_future(calls.ask(call, QUESTIONS, waits, asyncio.Event(), 0.1))
        async with asyncio.timeout(30):
            while not call.request_id:  # noqa: ASYNC110 (each step of the loop counts)
                await asyncio.sleep(0)
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
                assert outcome is not None
                assert outcome.outcome == Cancelled("withdrawn by Codex")
        stored = await inbox.run(lambda store: store.requests.get(call.request_id))
        assert stored is not None
        assert stored.outcome == Cancelled("withdrawn by Codex")
    finally:
        assert await inbox.close()
