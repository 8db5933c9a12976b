"""The way from the CLI to the inbox, without a CLI."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny, ToolPermissionContext

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude import waits
from ccq_tui.agent.claude.gate import Gate
from ccq_tui.agent.options import SessionOptions
from ccq_tui.inbox.actors import WITHDRAWN
from ccq_tui.inbox.agent_texts import EXPIRED
from ccq_tui.inbox.requests import Cancelled, PermissionRequest
from ccq_tui.inbox.verdicts import InvalidOutcome, Verdict, Won
from ccq_tui.questions import Answer, Answered, Declined, Expired
from tests.actors import LIMIT, PANEL
from tests.memory_inbox import MemoryInbox

SOURCE: dict[str, Any] = {
    "questions": [{"question": "Q?", "header": "H", "options": [{"label": "a"}, {"label": "b"}]}]
}
BAD: dict[str, Any] = {"questions": [{"question": "Q?", "kind": "number", "min": 5, "max": 1}]}
CONTEXT = ToolPermissionContext(tool_use_id="t")


class Asked:
    """A gate, its inbox and its events."""

    def __init__(self) -> None:
        self.inbox = MemoryInbox()
        self.events: list[ev.AgentEvent] = []
        self.gate = Gate(self.inbox, SessionOptions(cwd=Path()), lambda: "s", self.events.append)
        self.gate.waits.shown("t")

    async def pending(self) -> None:
        """Let the gate come to its wait."""
        arrived = asyncio.Event()
        self.inbox.subscribe(lambda _: arrived.set())
        async with asyncio.timeout(5):
            await arrived.wait()


async def test_a_set_that_cannot_be_read_goes_back_to_the_agent() -> None:
    asked = Asked()
    assert await asked.gate.before_question({"tool_input": BAD}, "t", {"signal": None}) == {}  # type: ignore[typeddict-item]
    result = await asked.gate.can_use_tool("AskUserQuestion", BAD, CONTEXT)
    assert isinstance(result, PermissionResultDeny)
    assert result.message == (
        "The questions could not be shown to the user: questions[0].min: larger than max. "
        "Call AskUserQuestion again with the input corrected, or go on and say what you assumed."
    )
    assert not asked.events


async def test_a_question_that_no_hook_saw_is_asked_all_the_same() -> None:
    asked = Asked()
    task = asyncio.create_task(asked.gate.can_use_tool("AskUserQuestion", SOURCE, CONTEXT))
    await asked.pending()
    assert await asked.inbox.answer("t@s", Answered((Answer(("a",)),)), PANEL) == Won()
    assert await task == PermissionResultAllow(updated_input=SOURCE | {"answers": {"Q?": "a"}})


async def test_whoever_hears_of_a_question_can_answer_it_at_once() -> None:
    inbox = MemoryInbox()
    events: list[ev.AgentEvent] = []
    answers: list[asyncio.Task[Verdict]] = []

    def answer(event: ev.AgentEvent) -> None:
        events.append(event)
        if isinstance(event, ev.QuestionAsked):
            answers.append(inbox.answer("t@s", Declined(), PANEL))

    gate = Gate(inbox, SessionOptions(cwd=Path()), lambda: "s", answer)
    gate.waits.shown("t")
    result = await gate.can_use_tool("AskUserQuestion", SOURCE, CONTEXT)
    assert isinstance(result, PermissionResultDeny)
    assert not result.interrupt
    assert [await answer for answer in answers] == [Won()]
    assert events[-1] == ev.RequestSettled("t@s", Declined(), PANEL)


def two_sets(asked: Asked) -> tuple[asyncio.Task[Any], asyncio.Task[Any]]:
    """Have two sets of one message asked by their hooks, the second one first."""
    for name in ("t1", "t2"):
        asked.gate.waits.hear(ev.ToolStarted(name, "AskUserQuestion", SOURCE))
        asked.gate.waits.shown(name)
    second, first = (
        asyncio.create_task(asked.gate.before_question({"tool_input": SOURCE}, name, {"signal": None}))  # type: ignore[typeddict-item]
        for name in ("t2", "t1")
    )
    return first, second


def told_of(asked: Asked) -> list[str]:
    return [event.request.id for event in asked.events if isinstance(event, ev.QuestionAsked)]


async def until(held: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not held():  # noqa: ASYNC110 (nobody says when)
            await asyncio.sleep(0)


async def test_sets_of_one_message_are_asked_in_their_order_whichever_hook_comes_first() -> None:
    asked = Asked()
    tasks = two_sets(asked)
    await until(lambda: len(told_of(asked)) == 2)
    assert told_of(asked) == [request.id for request in asked.inbox.pending] == ["t1@s", "t2@s"]
    for name in ("t2@s", "t1@s"):
        await asked.inbox.answer(name, Answered((Answer(("a",)),)), PANEL)
    await asyncio.gather(*tasks)


@pytest.mark.parametrize("refused", [True, False])
async def test_a_set_that_nobody_is_asked_holds_up_no_other(
    monkeypatch: pytest.MonkeyPatch, refused: bool
) -> None:
    monkeypatch.setattr(waits, "TURN_SECONDS", 60.0 if refused else 0.01)
    asked = Asked()
    first, second = two_sets(asked)
    first.cancel()
    await asyncio.sleep(0)
    if refused:
        asked.gate.waits.hear(ev.ToolFinished("t1", "AskUserQuestion", "<tool_use_error>no", is_error=True))
    await until(lambda: told_of(asked) == ["t2@s"])
    await asked.inbox.answer("t2@s", Declined(), PANEL)
    assert await second == {}


async def test_a_request_cancelled_elsewhere_interrupts_the_turn() -> None:
    asked = Asked()
    task = asyncio.create_task(asked.gate.can_use_tool("Bash", {"command": "ls"}, CONTEXT))
    await asked.pending()
    assert await asked.inbox.answer("t@s", Cancelled("withdrawn"), PANEL) == Won()
    assert await task == PermissionResultDeny(message="withdrawn", interrupt=True)


async def test_an_outcome_of_the_wrong_kind_is_refused_and_an_error_where_it_comes_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = Asked()
    task = asyncio.create_task(asked.gate.can_use_tool("Bash", {"command": "ls"}, CONTEXT))
    await asked.pending()
    with pytest.raises(InvalidOutcome, match="a permission cannot end as “declined”"):
        await asked.inbox.answer("t@s", Declined(), PANEL)
    assert not task.done()
    # A database may hold what another program wrote.
    monkeypatch.setattr("ccq_tui.inbox.store.requests.check_outcome", lambda *_: None)
    await asked.inbox.answer("t@s", Declined(), PANEL)
    with pytest.raises(TypeError, match="Declined does not settle a permission"):
        await task


async def test_the_end_of_the_session_settles_and_replies_nothing() -> None:
    asked = Asked()
    task = asyncio.create_task(asked.gate.can_use_tool("Bash", {"command": "ls"}, CONTEXT))
    await asked.pending()
    asked.gate.give_up("the session was closed")
    assert asked.events[-1] == ev.RequestSettled("t@s", Cancelled("the session was closed"), WITHDRAWN)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asked.inbox.run(lambda store: store.requests.waiting()) == []
    assert len([event for event in asked.events if isinstance(event, ev.RequestSettled)]) == 1


@pytest.mark.parametrize("steps", range(4))
async def test_nothing_is_asked_after_the_end(steps: int) -> None:
    """Wherever on its way to the inbox the request is when the process goes."""
    asked = Asked()
    asked.gate.finished("t")
    task = asyncio.create_task(asked.gate.can_use_tool("AskUserQuestion", SOURCE, CONTEXT))
    await asyncio.sleep(0)  # it waits for its call now
    asked.gate.waits.shown("t")
    for _ in range(steps):
        await asyncio.sleep(0)
    asked.gate.give_up("the Claude process ended")
    told = len(asked.events)
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 5)
    assert asked.events[told:] == []
    # A question that waits can still be answered once the session is resumed.
    parked = [event for event in asked.events if isinstance(event, ev.RequestParked)]
    assert parked in ([], [ev.RequestParked("t@s", deferred=False)])
    assert len(await asked.inbox.run(lambda store: store.requests.waiting())) == len(parked)


async def test_a_process_that_stood_still_tells_the_call_before_its_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(waits, "_SEEN_SECONDS", 0.2)
    asked = Asked()
    asked.gate.finished("t")
    task = asyncio.create_task(asked.gate.can_use_tool("AskUserQuestion", SOURCE, CONTEXT))
    await asyncio.sleep(0)  # it waits for its call now
    time.sleep(0.3)  # noqa: ASYNC251 - the whole process stands still
    for _ in range(5):
        await asyncio.sleep(0)
    assert asked.inbox.pending == ()
    asked.gate.waits.shown("t")
    await asked.pending()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_subagent_whose_name_comes_with_its_call_is_named() -> None:
    asked = Asked()
    asked.gate.finished("t")
    context = ToolPermissionContext(tool_use_id="t", agent_id="a1")
    task = asyncio.create_task(asked.gate.can_use_tool("Bash", {"command": "ls"}, context))
    await asyncio.sleep(0)  # the request came another way, and faster
    asked.gate.named("a1", "Explore")
    asked.gate.waits.shown("t")
    await asked.pending()
    assert [request.agent for request in asked.inbox.pending if isinstance(request, PermissionRequest)] == [
        "Explore"
    ]
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_the_agent_is_told_that_nobody_answered_and_nothing_else() -> None:
    asked = Asked()
    task = asyncio.create_task(asked.gate.can_use_tool("AskUserQuestion", SOURCE, CONTEXT))
    await asked.pending()
    await asked.inbox.answer("t@s", Expired(), LIMIT)
    assert await task == PermissionResultDeny(message=EXPIRED, interrupt=False)
    assert asked.events[-1] == ev.RequestSettled("t@s", Expired(), LIMIT)
    # Where the CLI would not ask again, the words go with the call itself, and no answer does.
    quiet = Asked()
    hook = quiet.gate.before_question(
        {"tool_input": SOURCE, "permission_mode": "dontAsk"},  # type: ignore[typeddict-item]
        "t",
        {"signal": None},
    )
    waits = asyncio.create_task(hook)
    await quiet.pending()
    await quiet.inbox.answer("t@s", Expired(), LIMIT)
    told = json.dumps(await waits)
    assert "Nobody answered" in told
    assert '"Q?": "a"' not in told


async def test_a_verdict_is_kept_until_its_own_call_is_over() -> None:
    asked = Asked()
    hook = asyncio.create_task(
        asked.gate.before_question({"tool_input": SOURCE}, "t", {"signal": None})  # type: ignore[typeddict-item]
    )
    await asked.pending()
    await asked.inbox.answer("t@s", Declined(), PANEL)
    assert await hook == {}
    asked.gate.finished("another call")
    result = await asyncio.wait_for(asked.gate.can_use_tool("AskUserQuestion", SOURCE, CONTEXT), 5)
    assert isinstance(result, PermissionResultDeny)
    assert len([event for event in asked.events if isinstance(event, ev.QuestionAsked)]) == 1
