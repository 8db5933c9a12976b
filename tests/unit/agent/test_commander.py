"""What a session is told, and in which order it is done."""

from __future__ import annotations

import asyncio
from typing import cast

from ccq_tui.agent.commander import Commander
from ccq_tui.agent.commands import Send, SettleRequest
from ccq_tui.agent.events import AgentEvent, AnswerNotKept, ErrorReported
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import Allowed, RequestOutcome
from ccq_tui.inbox.verdicts import InboxUnavailable, Verdict, Won
from tests.actors import PANEL


class Full:
    """An inbox whose disk refuses everything."""

    async def answer(self, request_id: str, outcome: RequestOutcome, actor: Actor) -> Verdict:
        raise InboxUnavailable("the disk is full")


class Noting:
    """An inbox that notes what it is given."""

    def __init__(self) -> None:
        self.answers: list[str] = []

    async def answer(self, request_id: str, outcome: RequestOutcome, actor: Actor) -> Verdict:
        self.answers.append(request_id)
        return Won()


async def test_an_answer_waits_for_no_queue_and_reaches_the_inbox_after_the_end_too() -> None:
    inbox = Noting()
    emitted: list[AgentEvent] = []
    commander = Commander(cast("Inbox", inbox), emitted.append, lambda _parked, _cause: None, lambda: None)
    commander.put(Send("first"))
    commander.interrupt()
    commander.answer(SettleRequest("a", Allowed(), PANEL))
    await asyncio.sleep(0)  # one turn, in which nothing is sent
    assert inbox.answers == ["a"]
    commander.finish()
    commander.answer(SettleRequest("b", Allowed(), PANEL))
    await asyncio.sleep(0)
    assert inbox.answers == ["a", "b"]
    assert [type(event).__name__ for event in emitted] == ["PromptReturned"]


async def test_an_answer_that_is_not_kept_is_told_with_its_request() -> None:
    emitted: list[AgentEvent] = []
    commander = Commander(cast("Inbox", Full()), emitted.append, lambda _parked, _cause: None, lambda: None)
    commander.answer(SettleRequest("a", Allowed(), PANEL))
    await asyncio.sleep(0)
    assert emitted == [
        ErrorReported("answer", "The answer was not kept: the disk is full"),
        AnswerNotKept("a"),
    ]
