"""What the agent was seen to have, answers and prompts, is delivered once its session's record has it."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from ccq_tui.agent import delivery
from ccq_tui.agent import events as ev
from ccq_tui.agent.controls import Send
from ccq_tui.agent.delivery import (
    CLOSED,
    ENDED,
    MESSAGE,
    Delivery,
    UnrecordedPrompts,
    cut_off,
    prompt_id_of,
    prompts_before,
    way_in,
)
from ccq_tui.agent.events import AgentEvent, PromptAccepted, PromptDelivered, PromptRecorded, PromptReturned
from ccq_tui.agent.history import SessionPast
from ccq_tui.agent.problems import Problem
from ccq_tui.inbox.actors import WITHDRAWN
from ccq_tui.inbox.agent_texts import ABANDONED, INTERRUPTED
from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import InboxChange
from ccq_tui.inbox.requests import Allowed, Cancelled, PermissionRequest, QuestionRequest
from ccq_tui.inbox.sessions import InboxSessions
from ccq_tui.inbox.store.rows import StoredDraft, StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Answer, Answered, Option, Question, QuestionSet
from ccq_tui.questions.wire import answers_as_message
from tests.actors import PANEL
from tests.memory_inbox import MemoryInbox
from tests.steps import until_true
from tests.tables import each_row

QUESTION = Question("Which?", "Which", (Option("A", "a"), Option("B", "b")))
ANSWERED = 'Your questions have been answered: "Which?"="A".'


class NotingSessions(InboxSessions):
    """Notes what was delivered."""

    def __init__(self, inbox: Inbox) -> None:
        super().__init__(inbox)
        self.noted: list[tuple[str, str]] = []
        self.news = asyncio.Event()

    def delivered(self, request_id: str, way: str) -> None:
        self.noted.append((request_id, way))
        self.news.set()


class Noting(MemoryInbox):
    """An inbox that notes what was delivered."""

    def __init__(self) -> None:
        super().__init__()
        self.sessions = NotingSessions(self)
        self.deaf = False

    def subscribe(self, callback: Callable[[InboxChange], None]) -> Callable[[], None]:
        end = super().subscribe(callback)

        def stop() -> None:
            self.deaf = True
            end()

        return stop


def answered(name: str, output: str = ANSWERED) -> tuple[Noting, Delivery]:
    """Have a question asked, and give its call a result."""
    inbox = Noting()
    made = Delivery(inbox, lambda _: None, lambda _: None)
    made.note(ev.RequestAsked(QuestionRequest(name, "s", QuestionSet(name, (QUESTION,)))))
    made.note(ev.ToolFinished(name, "AskUserQuestion", output, False))
    return inbox, made


async def test_a_result_is_delivered_after_the_time_that_the_record_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(delivery, "RECORDED_SECONDS", 0.01)
    inbox, _ = answered("a")
    assert inbox.sessions.noted == []
    async with asyncio.timeout(5):
        await inbox.sessions.news.wait()
    assert inbox.sessions.noted == [("a@s", "result")]


@pytest.mark.parametrize("in_order", [True, False])
async def test_what_was_told_a_moment_before_the_end_counts_only_if_it_ended_in_order(in_order: bool) -> None:
    inbox, made = answered("a")
    made.close(in_order=in_order)
    assert inbox.deaf
    assert inbox.sessions.noted == ([("a@s", "result")] if in_order else [])


@each_row(
    ABANDONED,
    # As the record has it where program and CLI were killed while a deferred call was made again.
    "Tool permission request failed: AbortError: Stream closed",
    "[Tool result missing due to internal error]",
)
async def test_what_a_cli_says_without_an_answer_delivers_nothing(output: str) -> None:
    inbox, made = answered("a", output)
    made.close(in_order=True)
    assert inbox.sessions.noted == []
    history = SessionPast("s", (ev.ToolFinished("a", "AskUserQuestion", output, True),))
    assert not way_in(history, "a")


async def test_a_call_whose_id_comes_again_is_delivered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "RECORDED_SECONDS", 0.01)
    failed: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context))
    inbox, made = answered("a")
    made.note(ev.RequestAsked(QuestionRequest("a", "s", QuestionSet("a", (QUESTION,)))))
    made.note(ev.ToolFinished("a", "AskUserQuestion", ANSWERED, False))
    later = asyncio.Event()
    asyncio.get_running_loop().call_later(0.05, later.set)
    async with asyncio.timeout(5):
        await later.wait()
    assert (inbox.sessions.noted, failed) == ([("a@s", "result")], [])


async def test_a_decision_of_an_earlier_process_is_closed_and_one_that_was_not_taken_is_named(
    tmp_path: Path,
) -> None:
    inbox = await Inbox.connect(tmp_path / "inbox.db")
    waits, taken, untaken, lost, interrupted = (
        PermissionRequest(name, "s", "Bash", {"command": f"touch {name}"}) for name in "abcde"
    )
    decided = (taken, untaken, lost, interrupted)
    events: list[ev.AgentEvent] = []
    try:

        def add_all(store: Store) -> None:
            for request in (waits, *decided):
                store.requests.add(request)

        await inbox.run(add_all)
        for request in decided:
            await inbox.settle(request.id, Allowed(), PANEL)
        made = Delivery(inbox, events.append, lambda _: None)
        results = {"b": "done", "d": ABANDONED, "e": INTERRUPTED}
        past = tuple(ev.ToolFinished(call, "Bash", text, text != "done") for call, text in results.items())
        await made.catch_up("s", SessionPast("s", past))

        def stored(store: Store) -> list[StoredRequest | None]:
            return [store.requests.get(request.id) for request in (waits, *decided)]

        states = {one.request.tool_use_id: one.state for one in await inbox.run(stored) if one is not None}
        made.close(in_order=True)
    finally:
        await inbox.close()
    assert states == {
        "a": "cancelled",
        "b": "delivered",
        "c": "cancelled",
        "d": "cancelled",
        "e": "delivered",
    }
    assert events == [
        ev.ErrorReported(
            Problem.CUT_OFF,
            "No result, as the process ended: Bash touch c"
            " · Never ran, permission withdrawn as the process ended: Bash touch d, Bash touch a",
        )
    ]


@pytest.mark.parametrize("ended", ["killed", "swept", CLOSED])
async def test_words_typed_for_a_permission_of_an_ended_process_are_offered(ended: str) -> None:
    inbox, events = MemoryInbox(), list[ev.AgentEvent]()
    request = PermissionRequest("a", "s", "Bash", {"command": "touch a"})
    draft = first_draft(request).with_draft(other="not this one")

    def leave(store: Store) -> None:
        store.requests.add(request)
        store.drafts.save_all([StoredDraft(request, draft, PANEL, -1)])
        if ended == "swept":
            store.requests.withdraw_orphans()
        elif ended == CLOSED:
            store.requests.settle(request.id, Cancelled(CLOSED), WITHDRAWN)

    await inbox.run(leave)
    made = Delivery(inbox, events.append, lambda _: None)
    await made.catch_up("s", SessionPast("s"))
    assert events[:2] == [ev.RequestSettled(request.id, Cancelled(ENDED)), ev.DraftLeft(draft)]
    events.clear()
    past = (ev.ToolStarted("a", "Bash", {}), PromptAccepted("go on", prompt_id="later"))
    await made.catch_up("s", SessionPast("s", past))
    made.close(in_order=True)
    assert not [one for one in events if isinstance(one, ev.DraftLeft)], "another prompt has gone on"


@pytest.mark.parametrize("output", ["done", INTERRUPTED])
async def test_a_permission_is_delivered_once_its_call_has_a_result(output: str) -> None:
    inbox = Noting()
    made = Delivery(inbox, lambda _: None, lambda _: None)
    request = PermissionRequest("a", "s", "Bash", {})
    made.note(ev.RequestAsked(request))
    made.note(ev.ToolFinished("a", "Bash", output, output != "done"))
    made.close(in_order=True)
    assert inbox.sessions.noted == [(request.id, "result")]


def test_a_call_of_the_past_without_a_result_is_named() -> None:
    calls = tuple(ev.ToolStarted(str(n), "Bash", {"command": f"make {n}"}) for n in range(5))
    question = ev.ToolStarted("q", "AskUserQuestion", {})
    assert cut_off((*calls, question, ev.ToolFinished("0", "Bash", "done", False)), ()) == (
        "No result, as the process ended: Bash make 1, Bash make 2, Bash make 3 and 1 more"
    )


async def test_the_answer_to_a_call_with_the_id_of_an_earlier_one_is_sent(tmp_path: Path) -> None:
    started = ev.ToolStarted("call_0", "AskUserQuestion", {})
    finished = ev.ToolFinished("call_0", "AskUserQuestion", ANSWERED, False)
    request = QuestionRequest("call_0", "s", QuestionSet("call_0", (QUESTION,)))
    answer = Answered((Answer(("B",)),))
    inbox = await Inbox.connect(tmp_path / "inbox.db")

    def asked_twice(store: Store) -> None:
        for outcome in (Answered((Answer(("A",)),)), answer):
            store.requests.add(request)
            store.requests.settle(request.id, outcome, PANEL)
            if outcome != answer:
                store.requests.mark_delivered(request.id, "result")

    async def sent(*past: ev.AgentEvent, uuids: tuple[str, ...] = ()) -> list[Send]:
        commands: list[Send] = []
        made = Delivery(inbox, lambda _: None, commands.append)
        await made.catch_up("s", SessionPast("s", past, uuids))
        made.close(in_order=False)
        return commands

    try:
        await inbox.run(asked_twice)
        (message,) = await sent(started, finished, started)
        assert message.text == answers_as_message(request.questions, answer)
        assert message.prompt_id != prompt_id_of("call_0"), "Claude Code drops a message under an id it had"
        earlier = await sent(started, started, uuids=(prompt_id_of("call_0"),))
        assert earlier == [message], "in each process under the same id"
        assert await sent(started, finished, started, uuids=(message.prompt_id,)) == []
        assert await inbox.run(lambda store: store.requests.undelivered("s")) == []
    finally:
        await inbox.close()


def test_only_a_result_behind_the_last_start_of_a_call_is_its_own() -> None:
    started = ev.ToolStarted("a", "AskUserQuestion", {})
    finished = ev.ToolFinished("a", "AskUserQuestion", ANSWERED, False)
    other = ev.ToolStarted("b", "Bash", {})
    assert way_in(SessionPast("s", (started, finished, other)), "a") == "result"
    assert way_in(SessionPast("s", (started, finished, other, started)), "a") == ""
    assert way_in(SessionPast("s", (started, finished, started, other, finished)), "a") == "result"


def test_a_question_knows_the_prompts_before_it_also_where_its_call_was_not_written_down() -> None:
    past = (ev.PromptAccepted("one", prompt_id="1"), ev.ToolStarted("a", "AskUserQuestion", {}))
    history = SessionPast("s", (*past, ev.PromptAccepted("two", prompt_id="2")))
    assert prompts_before(history, "a") == {"1"}
    again = replace(history, events=(*history.events, past[1]))
    assert prompts_before(again, "a") == {"1", "2"}, "a call of a model that uses ids twice"
    assert prompts_before(history, "b") == {"1", "2"}


async def test_a_question_without_a_call_is_asked_for_an_answer_by_message() -> None:
    events: list[ev.AgentEvent] = []
    request = QuestionRequest("a", "s", QuestionSet("a", (QUESTION,)))

    inbox = MemoryInbox()
    await inbox.run(lambda store: store.requests.add(request))
    made = Delivery(inbox, events.append, lambda _: None)
    await made.catch_up("s", SessionPast("s", ()))
    made.close(in_order=True)
    assert events == [ev.RequestAsked(request, by_message=True)]


QUESTION_REQUEST = QuestionRequest("a", "s", QuestionSet("a", (QUESTION,)))
A = Answered((Answer(("A",)),))
TURN_ENDED = ev.TurnEnded(
    "aborted_tools", is_error=False, duration=1.0, cost=None, input_tokens=0, output_tokens=0
)


@pytest.mark.parametrize("deferred", [False, True])
async def test_an_answer_given_while_what_waits_is_read_is_sent_by_message(deferred: bool) -> None:
    inbox, events, sent = MemoryInbox(), list[ev.AgentEvent](), list[Send]()

    class Slow(InboxSessions):
        async def left(self, session_id: str) -> list[tuple[OpenRequest, int]]:
            read = await super().left(session_id)
            await inbox.settle(QUESTION_REQUEST.id, A, PANEL)
            return read

    inbox.sessions = Slow(inbox)
    waiting = asyncio.create_task(inbox.ask(QUESTION_REQUEST))
    await asyncio.sleep(0)
    made = Delivery(inbox, events.append, sent.append)
    await made.catch_up("s", SessionPast("s", deferred=frozenset({"a"} if deferred else ())))
    if deferred:  # its call is never made again
        made.note(TURN_ENDED)
    made.close(in_order=True)
    assert await waiting == A
    assert events == [ev.RequestSettled(QUESTION_REQUEST.id, A)]
    assert [one.text for one in sent] == [answers_as_message(QUESTION_REQUEST.questions, A)]


async def test_a_request_withdrawn_while_what_waits_is_read_is_not_asked() -> None:
    inbox, events = MemoryInbox(), list[ev.AgentEvent]()

    class Slow(InboxSessions):
        async def left(self, session_id: str) -> list[tuple[OpenRequest, int]]:
            read = await super().left(session_id)
            inbox.withdraw(QUESTION_REQUEST.id, "rewound")
            await asyncio.wait({waiting})
            return read

    inbox.sessions = Slow(inbox)
    waiting = asyncio.create_task(inbox.ask(QUESTION_REQUEST))
    await asyncio.sleep(0)
    made = Delivery(inbox, events.append, lambda _: None)
    await made.catch_up("s", SessionPast("s"))
    made.close(in_order=True)
    assert await waiting == Cancelled("rewound")
    assert events == []


async def test_a_call_that_was_made_again_before_its_past_is_read_has_its_answer_once() -> None:
    inbox, events, sent = MemoryInbox(), list[ev.AgentEvent](), list[Send]()
    await inbox.run(lambda store: store.requests.add(QUESTION_REQUEST))
    await inbox.settle(QUESTION_REQUEST.id, A, PANEL)
    made = Delivery(inbox, events.append, sent.append)
    made.note(ev.RequestAsked(QUESTION_REQUEST))
    made.note(ev.ToolFinished("a", "AskUserQuestion", ANSWERED, False))
    await made.catch_up("s", SessionPast("s", deferred=frozenset({"a"})))
    made.note(TURN_ENDED)
    made.close(in_order=True)
    assert (events, sent) == ([], [])


async def test_an_answer_that_a_message_brought_is_known_after_each_resume_and_not_sent_again(
    tmp_path: Path,
) -> None:
    inbox = await Inbox.connect(tmp_path / "inbox.db")
    events, sent = list[ev.AgentEvent](), list[Send]()
    try:
        await inbox.run(lambda store: store.requests.add(QUESTION_REQUEST))
        await inbox.settle(QUESTION_REQUEST.id, A, PANEL)
        await inbox.run(lambda store: store.requests.mark_delivered(QUESTION_REQUEST.id, MESSAGE))
        made = Delivery(inbox, events.append, sent.append)
        await made.catch_up(
            "s", SessionPast("s", (ev.ToolFinished("a", "AskUserQuestion", ABANDONED, True),))
        )
        made.close(in_order=True)
    finally:
        await inbox.close()
    assert (events, sent) == ([ev.RequestSettled(QUESTION_REQUEST.id, A)], [])


class PromptRecorder:
    """What a session tells, and a record that has some prompts."""

    def __init__(self, *recorded: str) -> None:
        self.events: list[AgentEvent] = []
        self.looked_up: list[Mapping[str, str]] = []
        self._recorded = frozenset(recorded)
        self.unwritten = UnrecordedPrompts(self.events.append, self._taken)

    async def _taken(self, prompts: Mapping[str, str]) -> frozenset[str]:
        self.looked_up.append(dict(prompts))
        return self._recorded

    def delivered(self, *names: str) -> None:
        for name in names:
            self.unwritten.note(PromptAccepted(f"text of {name}", prompt_id=name))
            self.unwritten.note(PromptDelivered(name))


async def test_it_is_recorded_a_while_after_it_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "RECORDED_SECONDS", 0.01)
    recorder = PromptRecorder()
    recorder.delivered("a")
    assert recorder.events == []
    await until_true(lambda: recorder.events, 20)
    await recorder.unwritten.report("s", "killed", {}, in_order=False)
    assert recorder.events == [PromptRecorded("a")]
    assert recorder.looked_up == []


async def test_what_the_record_lacks_comes_back_when_the_cli_was_killed() -> None:
    recorder = PromptRecorder("b")
    recorder.delivered("a", "b", "c")
    recorder.unwritten.note(PromptReturned("text of c", "", "c"))
    recorder.unwritten.note(PromptAccepted("waits", prompt_id="d"))
    await recorder.unwritten.report("s", "killed", {}, in_order=False)
    assert recorder.looked_up == [{"a": "s", "b": "s"}]
    assert recorder.events == [PromptReturned("text of a", "killed", "a"), PromptRecorded("b")]


async def test_what_a_rewind_gives_back_does_not_come_back_when_the_cli_is_killed() -> None:
    recorder = PromptRecorder()
    recorder.delivered("a", "b", "c")
    recorder.unwritten.rewound("x")
    recorder.unwritten.rewound("b")
    await recorder.unwritten.report("s", "killed", {}, in_order=False)
    assert recorder.events == [
        PromptRecorded("b"), PromptRecorded("c"), PromptReturned("text of a", "killed", "a"),
    ]  # fmt: skip


async def test_an_end_in_order_leaves_the_cli_the_time_to_write() -> None:
    recorder = PromptRecorder()
    recorder.delivered("a", "b")
    await recorder.unwritten.report("s", "closed", {}, in_order=True)
    assert recorder.events == [PromptRecorded("a"), PromptRecorded("b")]
    assert recorder.looked_up == []
