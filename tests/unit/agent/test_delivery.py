"""What the agent was seen to have is delivered once its session's record has it, too."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from ccq_tui.agent import delivery
from ccq_tui.agent.delivery import Delivery
from ccq_tui.agent.events import QuestionAsked, ToolFinished
from ccq_tui.agent.texts import ABANDONED
from ccq_tui.inbox import InboxChange, MemoryInbox, QuestionRequest
from ccq_tui.questions import Option, Question, QuestionSet

QUESTION = Question("Which?", "Which", (Option("A", "a"), Option("B", "b")))
ANSWERED = 'Your questions have been answered: "Which?"="A".'


class Noting(MemoryInbox):
    """An inbox that notes what was delivered."""

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[tuple[str, str]] = []
        self.news = asyncio.Event()
        self.deaf = False

    def delivered(self, request_id: str, way: str) -> None:
        self.noted.append((request_id, way))
        self.news.set()

    def subscribe(self, callback: Callable[[InboxChange], None]) -> Callable[[], None]:
        end = super().subscribe(callback)

        def stop() -> None:
            self.deaf = True
            end()

        return stop


def told(name: str, output: str = ANSWERED) -> tuple[Noting, Delivery]:
    """Have a question asked, and give its call a result."""
    inbox = Noting()
    made = Delivery(inbox, lambda _: None, lambda _: None)
    made.note(QuestionAsked(QuestionRequest(name, "s", QuestionSet(name, (QUESTION,)))))
    made.note(ToolFinished(name, "AskUserQuestion", output, False))
    return inbox, made


async def test_a_result_is_delivered_after_the_time_that_the_record_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(delivery, "RECORDED_SECONDS", 0.01)
    inbox, _ = told("a")
    assert inbox.noted == []
    async with asyncio.timeout(5):
        await inbox.news.wait()
    assert inbox.noted == [("a@s", "result")]


@pytest.mark.parametrize("in_order", [True, False])
async def test_what_was_told_a_moment_before_the_end_counts_only_if_it_ended_in_order(in_order: bool) -> None:
    inbox, made = told("a")
    made.close(in_order=in_order)
    assert inbox.deaf
    assert inbox.noted == ([("a@s", "result")] if in_order else [])


async def test_what_an_abandoned_cli_says_delivers_nothing() -> None:
    inbox, made = told("a", ABANDONED)
    made.close(in_order=True)
    assert inbox.noted == []


async def test_a_call_whose_id_comes_again_is_delivered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "RECORDED_SECONDS", 0.01)
    failed: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context))
    inbox, made = told("a")
    made.note(QuestionAsked(QuestionRequest("a", "s", QuestionSet("a", (QUESTION,)))))
    made.note(ToolFinished("a", "AskUserQuestion", ANSWERED, False))
    later = asyncio.Event()
    asyncio.get_running_loop().call_later(0.05, later.set)
    async with asyncio.timeout(5):
        await later.wait()
    assert (inbox.noted, failed) == ([("a@s", "result")], [])
