"""The way from the CLI to the inbox, without a CLI, and what is told of sets on their way."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny, ToolPermissionContext

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude import waits
from ccq_tui.agent.claude.gate import Gate
from ccq_tui.agent.claude.partial_sets import BROKE, INTERRUPTED, PASSED_OVER, REJECTED, PartialSets
from ccq_tui.inbox.actors import WITHDRAWN
from ccq_tui.inbox.agent_texts import EXPIRED
from ccq_tui.inbox.port import Grown, InboxChange, Settled
from ccq_tui.inbox.requests import Cancelled, PermissionRequest
from ccq_tui.inbox.verdicts import Accepted, InvalidOutcome, Verdict
from ccq_tui.questions import Answer, Answered, Declined, Expired
from ccq_tui.questions.state import Arriving
from tests.actors import LIMIT, PANEL
from tests.memory_inbox import MemoryInbox
from tests.options import launch_of
from tests.steps import until_true
from tests.tables import each_row

SOURCE: dict[str, Any] = {
    "questions": [{"question": "Q?", "header": "H", "options": [{"label": "a"}, {"label": "b"}]}]
}
BAD: dict[str, Any] = {"questions": [{"question": "Q?", "kind": "number", "min": 5, "max": 1}]}
CONTEXT = ToolPermissionContext(tool_use_id="t")

CALLED = ev.ToolStarted("t", "Bash", {})


class Asked:
    """A gate, its inbox and its events."""

    def __init__(self) -> None:
        self.inbox = MemoryInbox()
        self.events: list[ev.AgentEvent] = []
        self.gate = Gate(self.inbox, launch_of(Path()), lambda: "s", self.events.append)
        self.gate.waits.note(CALLED)

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
    assert await asked.inbox.settle("t@s", Answered((Answer(("a",)),)), PANEL) == Accepted()
    assert await task == PermissionResultAllow(updated_input=SOURCE | {"answers": {"Q?": "a"}})


async def test_whoever_hears_of_a_question_can_answer_it_at_once() -> None:
    inbox = MemoryInbox()
    events: list[ev.AgentEvent] = []
    answers: list[asyncio.Task[Verdict]] = []

    def answer(event: ev.AgentEvent) -> None:
        events.append(event)
        if isinstance(event, ev.RequestAsked):
            answers.append(inbox.settle("t@s", Declined(), PANEL))

    gate = Gate(inbox, launch_of(Path()), lambda: "s", answer)
    gate.waits.note(CALLED)
    result = await gate.can_use_tool("AskUserQuestion", SOURCE, CONTEXT)
    assert isinstance(result, PermissionResultDeny)
    assert not result.interrupt
    assert [await answer for answer in answers] == [Accepted()]
    assert events[-1] == ev.RequestSettled("t@s", Declined(), PANEL)


def two_sets(asked: Asked) -> tuple[asyncio.Task[Any], asyncio.Task[Any]]:
    """Have two sets of one message asked by their hooks, the second one first."""
    for name in ("t1", "t2"):
        asked.gate.waits.note(ev.ToolStarted(name, "AskUserQuestion", SOURCE))
    second, first = (
        asyncio.create_task(asked.gate.before_question({"tool_input": SOURCE}, name, {"signal": None}))  # type: ignore[typeddict-item]
        for name in ("t2", "t1")
    )
    return first, second


def asked_ids(asked: Asked) -> list[str]:
    return [event.request.id for event in asked.events if isinstance(event, ev.RequestAsked)]


async def test_sets_of_one_message_are_asked_in_their_order_whichever_hook_comes_first() -> None:
    asked = Asked()
    tasks = two_sets(asked)
    await until_true(lambda: len(asked_ids(asked)) == 2)
    assert asked_ids(asked) == [request.id for request in asked.inbox.pending] == ["t1@s", "t2@s"]
    for name in ("t2@s", "t1@s"):
        await asked.inbox.settle(name, Answered((Answer(("a",)),)), PANEL)
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
        asked.gate.waits.note(ev.ToolFinished("t1", "AskUserQuestion", "<tool_use_error>no", is_error=True))
    await until_true(lambda: asked_ids(asked) == ["t2@s"])
    await asked.inbox.settle("t2@s", Declined(), PANEL)
    assert await second == {}


async def test_a_request_cancelled_elsewhere_interrupts_the_turn() -> None:
    asked = Asked()
    task = asyncio.create_task(asked.gate.can_use_tool("Bash", {"command": "ls"}, CONTEXT))
    await asked.pending()
    assert await asked.inbox.settle("t@s", Cancelled("withdrawn"), PANEL) == Accepted()
    assert await task == PermissionResultDeny(message="withdrawn", interrupt=True)


async def test_an_outcome_of_the_wrong_kind_is_refused_and_an_error_where_it_comes_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = Asked()
    task = asyncio.create_task(asked.gate.can_use_tool("Bash", {"command": "ls"}, CONTEXT))
    await asked.pending()
    with pytest.raises(InvalidOutcome, match="a permission cannot end as “declined”"):
        await asked.inbox.settle("t@s", Declined(), PANEL)
    assert not task.done()
    # A database may hold what another program wrote.
    monkeypatch.setattr("ccq_tui.inbox.store.requests.check_outcome", lambda *_: None)
    await asked.inbox.settle("t@s", Declined(), PANEL)
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


@each_row(*range(4))
async def test_nothing_is_asked_after_the_end(steps: int) -> None:
    """Wherever on its way to the inbox the request is when the process goes."""
    asked = Asked()
    asked.gate.waits.note(ev.ToolFinished("t", "Bash", ""))
    task = asyncio.create_task(asked.gate.can_use_tool("AskUserQuestion", SOURCE, CONTEXT))
    await asyncio.sleep(0)  # it waits for its call now
    asked.gate.waits.note(CALLED)
    for _ in range(steps):
        await asyncio.sleep(0)
    asked.gate.give_up("the Claude process ended")
    count = len(asked.events)
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 5)
    assert asked.events[count:] == []
    # A question that waits can still be answered once the session is resumed.
    parked = [event for event in asked.events if isinstance(event, ev.RequestParked)]
    assert parked in ([], [ev.RequestParked("t@s", deferred=False)])
    assert len(await asked.inbox.run(lambda store: store.requests.waiting())) == len(parked)


async def test_a_question_that_was_just_answered_is_not_parked() -> None:
    asked = Asked()
    parking: list[asyncio.Task[bool | None]] = []

    def park(change: InboxChange) -> None:
        if isinstance(change, Settled):
            parking.append(asyncio.create_task(asked.gate.waits.park()))

    asked.inbox.subscribe(park)
    hook = asked.gate.before_question({"tool_input": SOURCE}, "t", {"signal": None})  # type: ignore[typeddict-item]
    asking = asyncio.create_task(hook)
    await asked.pending()
    await asked.inbox.settle("t@s", Answered((Answer(("a",)),)), PANEL)
    await asking
    assert await parking[0] is None, "else it would put off each question to come"


async def test_a_process_that_stood_still_tells_the_call_before_its_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(waits, "_SEEN_SECONDS", 0.2)
    asked = Asked()
    asked.gate.waits.note(ev.ToolFinished("t", "Bash", ""))
    task = asyncio.create_task(asked.gate.can_use_tool("AskUserQuestion", SOURCE, CONTEXT))
    await asyncio.sleep(0)  # it waits for its call now
    time.sleep(0.3)  # noqa: ASYNC251 - the whole process stands still
    for _ in range(5):
        await asyncio.sleep(0)
    assert asked.inbox.pending == ()
    asked.gate.waits.note(CALLED)
    await asked.pending()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_subagent_whose_name_comes_with_its_call_is_named() -> None:
    asked = Asked()
    asked.gate.waits.note(ev.ToolFinished("t", "Bash", ""))
    context = ToolPermissionContext(tool_use_id="t", agent_id="a1")
    task = asyncio.create_task(asked.gate.can_use_tool("Bash", {"command": "ls"}, context))
    await asyncio.sleep(0)  # the request came another way, and faster
    asked.gate.named("a1", "Explore")
    asked.gate.waits.note(CALLED)
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
    await asked.inbox.settle("t@s", Expired(), LIMIT)
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
    await quiet.inbox.settle("t@s", Expired(), LIMIT)
    text = json.dumps(await waits)
    assert "Nobody answered" in text
    assert '"Q?": "a"' not in text


async def test_a_verdict_is_kept_until_its_own_call_is_over() -> None:
    asked = Asked()
    hook = asyncio.create_task(
        asked.gate.before_question({"tool_input": SOURCE}, "t", {"signal": None})  # type: ignore[typeddict-item]
    )
    await asked.pending()
    await asked.inbox.settle("t@s", Declined(), PANEL)
    assert await hook == {}
    asked.gate.finished("another call")
    result = await asyncio.wait_for(asked.gate.can_use_tool("AskUserQuestion", SOURCE, CONTEXT), 5)
    assert isinstance(result, PermissionResultDeny)
    assert len([event for event in asked.events if isinstance(event, ev.RequestAsked)]) == 1


TEXT = json.dumps(SOURCE)
TOOL = "AskUserQuestion"


class Arrivals:
    """Arrivals, and what the inbox reports of them."""

    def __init__(self, **options: Any) -> None:
        self.events: list[InboxChange] = []
        inbox = MemoryInbox()
        inbox.subscribe(self.events.append)
        gate = Gate(inbox, launch_of(Path(), **options), lambda: "s", lambda _: None)
        self.arrivals = PartialSets(inbox, lambda: "s", gate.will_ask)

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
        if self.arrivals._next_report is not None:
            asyncio.get_running_loop().call_at(self.arrivals._next_report.when(), looked.set)
            async with asyncio.timeout(5):
                await looked.wait()
        assert self.arrivals._next_report is None

    async def shown(self, name: str = "t1", index: int = 0) -> None:
        """Have a part of a set told."""
        self.begin(name, index)
        self.grow(TEXT[:-10], index)
        await self.frame()

    @property
    def ended(self) -> list[tuple[str, str]]:
        ends = [change for change in self.events if isinstance(change, Settled)]
        return [(e.request.id, e.outcome.reason) for e in ends if isinstance(e.outcome, Cancelled)]


def finished(name: str, output: str, *, error: bool = True) -> ev.ToolFinished:
    return ev.ToolFinished(name, TOOL, output, error)


def over(reason: str) -> ev.TurnEnded:
    return ev.TurnEnded(reason, False, 0.0, None, 0, 0)


async def test_a_burst_is_told_once() -> None:
    arrivals = Arrivals()
    arrivals.begin("t1")
    arrivals.grow(TEXT)
    assert not arrivals.events
    await arrivals.frame()
    (event,) = arrivals.events
    assert isinstance(event, Grown)
    assert [o.label for o in event.request.questions.questions[0].options] == ["a", "b"]
    arrivals.arrivals.note(ev.ToolStarted("t1", TOOL, SOURCE))
    assert isinstance(arrivals.events[-1], Grown)
    assert arrivals.events[-1].arriving == Arriving(1, whole=True)


async def test_a_set_that_came_between_two_looks_is_shown_whole_before_its_hook() -> None:
    arrivals = Arrivals()
    arrivals.begin("t1")
    arrivals.grow(TEXT)
    arrivals.arrivals.note(ev.ToolStarted("t1", TOOL, SOURCE))
    (event,) = arrivals.events
    assert isinstance(event, Grown)
    assert event.arriving == Arriving(1, whole=True)
    await arrivals.frame()
    arrivals.arrivals.note(over("completed"))
    assert arrivals.ended == [("t1@s", PASSED_OVER)]


async def test_a_set_that_came_between_two_looks_is_told_before_one_behind_it() -> None:
    arrivals = Arrivals()
    arrivals.begin("t1")
    arrivals.grow(TEXT)
    arrivals.arrivals.note(ev.ToolStarted("t1", TOOL, SOURCE))
    await arrivals.shown("t2", 1)
    events = [e for e in arrivals.events if isinstance(e, Grown)]
    assert [(e.request.id, e.arriving) for e in events] == [
        ("t1@s", Arriving(1, whole=True)),
        ("t2@s", Arriving(0)),
    ]


async def test_nothing_is_told_of_what_nobody_will_be_asked() -> None:
    for text, parent, tool in (
        (Arrivals(questions="assume"), "", TOOL),
        (Arrivals(questions="adaptive", max_question_rounds=0), "", TOOL),
        (Arrivals(), "toolu_agent", TOOL),
        (Arrivals(), "", "Bash"),
    ):
        text.begin("t1", tool=tool, parent=parent)
        text.grow(TEXT, parent=parent)
        await text.frame()
        text.arrivals.note(finished("t1", "no"))
        assert not text.events


async def test_sets_on_their_way_count_as_rounds() -> None:
    arrivals = Arrivals(questions="adaptive", max_question_rounds=1)
    await arrivals.shown("t1")
    await arrivals.shown("t2", 1)
    assert {e.request.id for e in arrivals.events if isinstance(e, Grown)} == {"t1@s"}


@each_row(
    (ev.Retrying(1, 2, 0.5, None, "unknown"), BROKE),
    (ev.BlockFinished(ev.BlockKey("m2", 0), ev.BlockKind.TEXT, "Instead."), BROKE),
    (ev.ToolStarted("t9", TOOL, SOURCE), BROKE),
    (over("api_error"), BROKE),
    (over("aborted_streaming"), INTERRUPTED),
)
async def test_a_stream_that_ends_early(event: ev.AgentEvent, reason: str) -> None:
    arrivals = Arrivals()
    await arrivals.shown()
    arrivals.message("stop")
    assert not arrivals.ended
    arrivals.arrivals.note(event)
    assert arrivals.ended == [("t1@s", reason)]
    arrivals.arrivals.note(event)
    assert len(arrivals.ended) == 1


async def test_another_message_in_its_place() -> None:
    arrivals = Arrivals()
    await arrivals.shown()
    arrivals.arrivals.note(ev.Retrying(1, 2, 0.5, None, "unknown"))
    assert not arrivals.ended  # another agent's: this stream goes on
    arrivals.message("start")
    assert arrivals.ended == [("t1@s", BROKE)]


@each_row(
    (finished("t1", "<tool_use_error>InputValidationError: no"), REJECTED),
    (finished("t1", "The user doesn't want to proceed"), INTERRUPTED),
    (finished("t1", "Answered by a hook", error=False), PASSED_OVER),
    (over("completed"), PASSED_OVER),
)
async def test_a_whole_set_that_nobody_is_asked(event: ev.AgentEvent, reason: str) -> None:
    arrivals = Arrivals()
    await arrivals.shown()
    arrivals.arrivals.note(ev.ToolStarted("t1", TOOL, {"questions": "unreadable"}))
    arrivals.message("stop")
    arrivals.arrivals.note(ev.Retrying(1, 2, 0.5, None, "unknown"))
    assert not arrivals.ended
    arrivals.arrivals.note(event)
    assert arrivals.ended == [("t1@s", reason)]


async def test_the_end_of_the_process() -> None:
    arrivals = Arrivals()
    await arrivals.shown()
    arrivals.grow("x")
    arrivals.arrivals.give_up("gone")
    assert arrivals.ended == [("t1@s", "gone")]
    assert arrivals.arrivals._next_report is None
