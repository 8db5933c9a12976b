"""Questions that outlive their process: parked and asked again, or answered by message; each answer once."""

import asyncio
import json
from contextlib import suppress
from functools import partial

import pytest

from ccq_tui.agent import delivery
from ccq_tui.agent import events as ev
from ccq_tui.agent.claude import waits
from ccq_tui.agent.claude.connection import Connection
from ccq_tui.agent.delivery import CLEARED, REWOUND
from ccq_tui.agent.session import NOT_TAKEN_BACK, NOTHING_WAITS
from ccq_tui.inbox.agent_texts import POSTPONED
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import Cancelled, QuestionRequest, call_of
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.inbox.verdicts import Accepted
from ccq_tui.questions import Answer, Answered, Option, Question, QuestionSet, machine
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.state import PanelState, opened
from ccq_tui.questions.wire import answers_as_message
from ccq_tui.testing import ScriptedModel
from ccq_tui.testing.model import Exchange
from ccq_tui.testing.scenario import Scenario, ask
from tests.actors import PANEL, PHONE
from tests.agent.row import Row
from tests.agent.running import DATABASE, LIMIT, SQLITE, Running, stored, until_written, written
from tests.unit.inbox.test_inbox import opened_in

COLOR = Question("Which color?", "Color", (Option("Red", "x"), Option("Blue", "y")))
LAYOUT = Question("Which layout?", "Layout", (Option("Tabs", "x"), Option("List", "y")))
LOOKS = Scenario("q").says("I look.").asks(DATABASE).says("Thanks.").ends_turn()
TWICE = Scenario("q").says("One.").ends_turn().asks(DATABASE).asks(LAYOUT).says("Thanks.").ends_turn()
TWICE = TWICE.says("Fine.").ends_turn()
ANSWERED = 'Your questions have been answered: "Which database?"="SQLite".'


def last_sent(model: ScriptedModel) -> str:
    """All that the model was told in its last request."""
    return body_text(model.requests()[-1])


def body_text(request: Exchange) -> str:
    return json.dumps(request.body, ensure_ascii=False).replace("\\n", "\n")


async def test_a_parked_question_is_the_same_call_again(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "RECORDED_SECONDS", SOON)
    await row.play(
        of_two_only_the_last_is_the_same_call_again,
        partial(turns_after_it_are_known_where_the_record_is_repaired, repairs=True),
        partial(turns_after_it_are_known_where_the_record_is_repaired, repairs=False),
        it_is_asked_and_answered_once,
    )


async def it_is_asked_and_answered_once(row: Row) -> None:
    # Parked with a draft.
    scenario = LOOKS.asks(DATABASE).says("Thanks again.").ends_turn().says("Fine.").ends_turn()
    name, session_id, draft = await parked_with_a_draft(row, scenario)
    # Another process, with an inbox of its own on the same file.
    assert await row.inbox.close()
    row.run, row.inbox = None, await Inbox.connect(row.home.root / "inbox.db")
    # Ended before its call is made again, it stays parked.
    run = await row.start(session_id)
    await run.until(ev.StateChanged, lambda e: e.state is not ev.SessionState.STARTING)
    run.session.close()
    assert (await run.ended()).kind == "parked"
    # Asked by the same call, with its draft.
    run = await row.start(session_id)
    again = await run.until(QuestionRequest, lambda e: run.draft_of(e.request.id))
    assert again.request.id == name
    assert not again.by_message
    assert run.draft_of(again.request.id) == draft
    run.session.park()
    assert (await run.ended()).kind == "parked"
    # Answered while no process waits: delivered as soon as one asks.
    assert await row.inbox.settle(name, SQLITE, PANEL) == Accepted()
    run = await row.start(session_id)
    await run.until(ev.RequestSettled, lambda e: e.request_id == name and e.outcome == SQLITE)
    await run.until(ev.TurnEnded)
    result = row.model.result(call_of(name))
    assert result.text.startswith(ANSWERED)
    assert not result.is_error
    await run.idle(0)
    assert run.all(ev.PromptDelivered) == []  # and not by message as well
    assert len(row.model.requests()) == 2
    await delivered(row.inbox, name, "result")
    asked = await asked_and_killed(run)
    # After a kill the answer goes as a message.
    run = await row.start(session_id)
    again = await run.until(QuestionRequest, lambda e: e.by_message)
    assert again.request == asked
    texts = [event for past in run.all(ev.HistoryLoaded) for event in past.events]
    settled = [event.request_id for event in texts if isinstance(event, ev.RequestSettled)]
    assert asked.id not in settled, "it waits: it was not cancelled"
    ready = await run.until(ev.StateChanged, lambda e: e.state is ev.SessionState.IDLE)
    assert run.events.index(again) < run.events.index(ready), "a line is no prompt while a question is left"
    await run.answer(asked.id, SQLITE).until(ev.PromptDelivered)
    await run.until(ev.TurnEnded)
    assert last_sent(row.model).count(answers_as_message(asked.questions, SQLITE)) == 1
    await row.close()
    await delivered(row.inbox, asked.id, "message")
    # Another start finds it delivered, knows the answer, and sends nothing.
    count = len(row.model.requests())
    run = await row.start(session_id)
    await run.until(ev.RequestSettled, lambda e: e.request_id == asked.id and e.outcome == SQLITE)
    await run.idle(0)
    assert run.all(ev.HistoryLoaded)
    assert [e for e in run.all(QuestionRequest) if e.by_message] == []
    await row.close()
    assert len(row.model.requests()) == count


async def parked_with_a_draft(row: Row, scenario: Scenario) -> tuple[str, str, PanelState]:
    """Ask, select something and park; give the question's name, the session's id and the draft."""
    run = await row.begin(scenario)
    run.session.send("Build it")
    request = (await run.until(QuestionRequest)).request
    draft = machine.step(opened(request.questions), Pressed("down"))
    opened_in(row.inbox, request.id).type(draft, PANEL)
    run.session.park()
    assert (await run.ended()).kind == "parked"
    assert run.one(ev.RequestParked) == ev.RequestParked(request.id, deferred=True)
    assert run.state is ev.SessionState.PARKED
    assert (await stored(row.inbox, request.id)).state is RequestState.PENDING
    return request.id, run.session.session_id, draft


async def asked_and_killed(run: Running) -> QuestionRequest:
    """Have another question asked, and kill the CLI while it waits."""
    before = len(run.all(QuestionRequest))
    run.session.send("Go on")
    asked = (await run.until(QuestionRequest, count=before + 1)).request
    await run.killed()
    assert run.all(ev.RequestParked)[-1] == ev.RequestParked(asked.id, deferred=False)
    return asked


async def killed_after_a_turn(row: Row, scenario: Scenario) -> tuple[str, QuestionRequest]:
    """End a turn, ask, and kill the CLI; return the session and what waits in it."""
    run = await row.begin(scenario)
    await run.send("First").idle()
    return run.session.session_id, await asked_and_killed(run)


async def delivered(inbox: Inbox, request_id: str, way: str | None = None) -> None:
    """Wait until an answer is known to have arrived, and check in which way it did, where it is known."""
    async with asyncio.timeout(LIMIT):
        while (await stored(inbox, request_id)).state is not RequestState.DELIVERED:  # noqa: ASYNC110 (a row calls nobody)
            await asyncio.sleep(0.05)
    assert way is None or (await stored(inbox, request_id)).way == way


async def turns_after_it_are_known_where_the_record_is_repaired(row: Row, repairs: bool) -> None:
    """The measured need: without the line, the model does not know what was said after the answer.

    Where it does, the CLI finds its place by itself, and the repair can go.
    """
    scenario = Scenario("r").asks(DATABASE).says("Thanks.").ends_turn()
    scenario = scenario.says("Later.").ends_turn().says("Last.").ends_turn()
    name, session_id, _ = await parked_with_a_draft(row, scenario)
    run = await row.start(session_id, repair_records=repairs)
    await run.until(QuestionRequest)
    await run.answer(name, SQLITE).until(ev.TurnEnded)
    await run.send("And then?").until(ev.TurnEnded, count=2)
    await until_written(row.home, session_id, "Later.")
    await run.killed()
    before = written(row.home, session_id)
    run = await row.start(session_id, repair_records=repairs)
    assert "Later." in str(await run.until(ev.HistoryLoaded)), "it is shown in either case"
    added = written(row.home, session_id).removeprefix(before)
    await run.send("Go on").until(ev.TurnEnded)
    assert ("Later." in last_sent(row.model)) is repairs
    assert added.startswith('{"type":"last-prompt"') is repairs


async def of_two_only_the_last_is_the_same_call_again(row: Row) -> None:
    scenario = Scenario("q").together(ask(DATABASE), ask(LAYOUT)).says("Thanks.").ends_turn().says("Fine.")
    run = await row.begin(scenario)
    await run.send("Build it").until(QuestionRequest, count=2)
    session_id = run.session.session_id
    first, last = (event.request.id for event in run.all(QuestionRequest))
    run.session.close()  # quitting parks, too
    assert (await run.ended()).kind == "parked"
    assert {e.request_id: e.deferred for e in run.all(ev.RequestParked)} == {first: False, last: True}
    run = await row.start(session_id)
    await run.until(QuestionRequest, lambda e: e.request.id == last and not e.by_message)
    await run.until(QuestionRequest, lambda e: e.request.id == first and e.by_message)
    run.answer(last, Answered((Answer(("Tabs",) if call_of(last).endswith("2") else ("SQLite",)),)))
    await run.answer(first, SQLITE).until(ev.PromptDelivered)
    await run.until(ev.TurnEnded, count=2)
    assert POSTPONED in row.model.result(call_of(first)).text
    assert '"Which layout?"="Tabs"' in row.model.result(call_of(last)).text
    assert last_sent(row.model).count("[x] SQLite") == 1


TABS = Answered((Answer(("Tabs",)),))
PATIENT = 30.0
SOON = 0.3
"""Seconds after which an answer counts as recorded; the usual two are waited for where a kill follows."""


async def one_of_two_parked(row: Row, *, deferred: bool) -> tuple[str, str]:
    """Answer the first of two and park the other one at once; give the names of both.

    A question comes before the two in one message; the result of each comes a second after its answer.
    """
    scenario = Scenario("q").asks(COLOR).together(ask(DATABASE), ask(LAYOUT)).says("Thanks.").ends_turn()
    run = await row.begin(scenario.says("Fine.").ends_turn().says("Good.").ends_turn())
    run.session.send("Build it")
    run.answer((await run.until(QuestionRequest)).request.id, Answered((Answer(("Red",)),)))
    await run.until(QuestionRequest, count=3)
    _, first, last = (event.request.id for event in run.all(QuestionRequest))
    await run.answer(first, SQLITE).until(ev.RequestSettled, count=2)
    run.session.park()
    assert (await run.ended()).kind == "parked"
    assert run.one(ev.RequestParked) == ev.RequestParked(last, deferred=deferred)
    return first, last


async def test_a_question_is_parked_beside_a_call_that_has_its_result(
    row: Row, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = {"matcher": "AskUserQuestion", "hooks": [{"type": "command", "command": "sleep 1"}]}
    (row.home.config / "settings.json").write_text(json.dumps({"hooks": {"PostToolUse": [slow]}}))
    monkeypatch.setattr(waits, "ALONE_SECONDS", PATIENT)
    await row.play(it_is_parked_once_the_call_beside_it_has_its_result)
    monkeypatch.setattr(waits, "ALONE_SECONDS", 0.05)
    await row.play(beside_a_call_without_a_result_it_is_answered_by_message)


async def it_is_parked_once_the_call_beside_it_has_its_result(row: Row) -> None:
    first, last = await one_of_two_parked(row, deferred=True)
    assert await row.inbox.settle(last, TABS, PANEL) == Accepted()
    session_id = row.run.session.session_id
    run = await row.start(session_id)
    await run.until(ev.RequestSettled, lambda e: e.request_id == last and e.outcome == TABS)
    await run.until(ev.TurnEnded)
    await delivered(row.inbox, last, "result")
    await delivered(row.inbox, first, "result")
    await run.killed()  # the CLI notes no end of the session
    run = await row.start(session_id)
    await run.idle(0)
    await run.send("Go on").until(ev.TurnEnded)
    assert run.all(QuestionRequest) == []
    results = [
        (result.tool_use_id, result.text.partition(". You can")[0]) for result in row.model.tool_results()
    ]
    assert sorted(results[1:]) == [
        (call_of(first), ANSWERED.removesuffix(".")),
        (call_of(last), 'Your questions have been answered: "Which layout?"="Tabs"'),
    ]
    bodies = [json.dumps(request.body, ensure_ascii=False) for request in row.model.requests()[2:]]
    assert [(body.count('=\\"SQLite'), body.count('=\\"Tabs')) for body in bodies] == [(1, 1), (1, 1)]


async def beside_a_call_without_a_result_it_is_answered_by_message(row: Row) -> None:
    first, last = await one_of_two_parked(row, deferred=False)
    run = await row.start(row.run.session.session_id)
    await run.until(QuestionRequest, lambda e: e.request.id == last and e.by_message)
    run.answer(last, TABS)
    await delivered(row.inbox, last, "message")
    await delivered(row.inbox, first)
    await row.close()
    # What was answered, and had no result yet, may have one by now, or came as a message, too.
    assert last_sent(row.model).count("[x] Tabs") == 1
    assert last_sent(row.model).count("[x] SQLite") + last_sent(row.model).count('=\\"SQLite') == 1


async def test_answers_that_go_as_messages_arrive_once(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    # The first one is not noted as delivered before the kill.
    monkeypatch.setattr(delivery, "RECORDED_SECONDS", PATIENT)
    await row.play(
        one_read_in_the_middle_of_a_turn_is_not_sent_again,
        one_read_in_one_message_with_a_prompt_is_not_sent_again,
    )
    monkeypatch.setattr(delivery, "RECORDED_SECONDS", SOON)
    await row.play(
        one_taken_back_for_a_park_that_comes_to_nothing_is_sent_by_the_next_process,
        a_cleared_conversation_keeps_its_question_and_the_next_one_hears_nothing_of_it,
        rewinding_to_before_a_question_that_waits_withdraws_it,
    )


async def asked_twice(row: Row) -> tuple[str, QuestionRequest, str]:
    """Have one question wait for a message and another one for its result; return the session and both."""
    session_id, asked = await killed_after_a_turn(row, TWICE)
    run = await row.start(session_id)
    await run.until(QuestionRequest, lambda e: e.by_message)
    run.session.send("Go on")
    return session_id, asked, (await run.until(QuestionRequest, lambda e: not e.by_message)).request.id


async def one_read_in_the_middle_of_a_turn_is_not_sent_again(row: Row) -> None:
    session_id, asked, layout = await asked_twice(row)
    run = row.run
    await run.answer(asked.id, SQLITE).until(ev.PromptAccepted, lambda e: e.queued)
    await run.answer(layout, TABS).until(ev.PromptDelivered, count=2)
    await run.until(ev.TurnEnded)
    await until_written(row.home, session_id, '"type":"queued_command"')
    await run.killed()
    assert (await stored(row.inbox, asked.id)).state is RequestState.ANSWERED
    run = await row.start(session_id)
    await delivered(row.inbox, asked.id, "message")
    await run.send("And now?").until(ev.TurnEnded)
    assert [e.text for e in run.all(ev.PromptAccepted)] == ["And now?"]
    assert last_sent(row.model).count(answers_as_message(asked.questions, SQLITE)) == 1


async def one_read_in_one_message_with_a_prompt_is_not_sent_again(row: Row) -> None:
    scenario = (
        Scenario("q").says("One.").ends_turn().asks(DATABASE).says("Slow").hangs().says("er").ends_turn()
    )
    session_id, asked = await killed_after_a_turn(
        row, scenario.says("Both.").ends_turn().says("x").ends_turn()
    )
    run = await row.start(session_id)
    await run.until(QuestionRequest, lambda e: e.by_message)
    await run.send("Go on").until(ev.BlockGrew)
    await run.answer(asked.id, SQLITE).until(ev.PromptAccepted, lambda e: e.queued)
    last = run.session.send("And this")
    await run.until(ev.PromptAccepted, lambda e: e.prompt_id == last)
    run.session.interrupt()
    await run.until(ev.PromptDelivered, count=3)
    await until_written(row.home, session_id, '"mergedSendUuids"')
    await run.killed()
    run = await row.start(session_id)
    await delivered(row.inbox, asked.id, "message")
    await run.send("And now?").until(ev.TurnEnded)
    assert last_sent(row.model).count(answers_as_message(asked.questions, SQLITE)) == 1


async def one_taken_back_for_a_park_that_comes_to_nothing_is_sent_by_the_next_process(row: Row) -> None:
    reclaim = Connection.reclaim
    session_id, asked, layout = await asked_twice(row)
    run = row.run

    async def and_then_it_is_answered(connection: Connection, reason: str) -> None:
        patch.undo()
        await reclaim(connection, reason)
        assert await row.inbox.settle(layout, TABS, PHONE) == Accepted()
        await run.until(ev.RequestSettled, lambda e: e.request_id == layout)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connection, "reclaim", and_then_it_is_answered)
        run.answer(asked.id, SQLITE)
        message = (await run.until(ev.PromptAccepted, lambda e: e.queued)).prompt_id
        run.session.withdraw(message)
        await run.until(ev.NoticeGiven, lambda e: e.text == NOT_TAKEN_BACK)
        run.session.park()
        await run.until(ev.NoticeGiven, lambda e: e.text == NOTHING_WAITS)
    await run.idle()
    assert [(e.prompt_id, e.kept) for e in run.all(ev.PromptReturned)] == [(message, True)]
    await row.start(session_id)
    await delivered(row.inbox, asked.id, "message")
    assert last_sent(row.model).count(answers_as_message(asked.questions, SQLITE)) == 1


async def rewinding_to_before_a_question_that_waits_withdraws_it(row: Row) -> None:
    scenario = Scenario("q").says("One.").ends_turn().asks(DATABASE).says("x").ends_turn()
    session_id, asked = await killed_after_a_turn(row, scenario.says("Three.").ends_turn())
    run = await row.start(session_id)
    await run.until(QuestionRequest, lambda e: e.by_message)
    later = run.session.send("Something else first")
    await run.idle()
    # To before what came after the question: it waits on.
    assert not (await run.session.rewind(later, files=False)).refusal
    assert (await stored(row.inbox, asked.id)).state is RequestState.PENDING
    # To before the prompt that it answers to: it was never asked.
    (history,) = run.all(ev.HistoryLoaded)
    prompts = [e.prompt_id for e in history.events if isinstance(e, ev.PromptAccepted)]
    assert not (await run.session.rewind(prompts[-1], files=False)).refusal
    settled = await run.until(ev.RequestSettled, lambda e: e.request_id == asked.id)
    assert settled.outcome == Cancelled(REWOUND)
    every = await row.inbox.run(lambda store: store.history.changes(session_id=asked.session_id))
    changes = [change for change in every if change.request_id == asked.id]
    assert changes[-1].cause == REWOUND


async def a_cleared_conversation_keeps_its_question_and_the_next_one_hears_nothing_of_it(row: Row) -> None:
    scenario = Scenario("q").says("One.").ends_turn().asks(DATABASE).says("Thanks.").ends_turn()
    session_id, asked = await killed_after_a_turn(row, scenario)
    run = await row.start(session_id)
    await run.until(QuestionRequest, lambda e: e.by_message)
    # Cleared: it is no longer asked here, and waits.
    settled = await run.send("/clear").until(ev.RequestSettled, lambda e: e.request_id == asked.id)
    assert settled.outcome == Cancelled(CLEARED)
    assert (await stored(row.inbox, asked.id)).state is RequestState.PENDING
    # Answered meanwhile: nothing of it goes into the conversation that began.
    run.answer(asked.id, SQLITE)
    await run.send("Something new").until(ev.BlockFinished, lambda e: e.text == "One.")
    await run.until(ev.TurnEnded)
    assert run.session.session_id != session_id
    await row.close()
    assert (await stored(row.inbox, asked.id)).state is RequestState.ANSWERED
    # Its own conversation has it once it goes on.
    run = await row.start(session_id)
    await run.until(ev.BlockFinished, lambda e: e.text == "Thanks.")
    await delivered(row.inbox, asked.id, "message")
    answer = answers_as_message(asked.questions, SQLITE)
    news = [body_text(request) for request in row.model.requests()]
    assert [answer in text for text in news] == [False] * (len(news) - 1) + [True]


async def test_a_parked_question_of_an_interrupted_turn_or_a_copy(
    row: Row, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "RECORDED_SECONDS", SOON)
    await row.play(
        partial(a_turn_interrupted_before_it_asks_again_leaves_it_to_a_message, answered=False),
        partial(a_turn_interrupted_before_it_asks_again_leaves_it_to_a_message, answered=True),
        a_copy_has_a_question_of_its_own,
    )


async def a_turn_interrupted_before_it_asks_again_leaves_it_to_a_message(row: Row, answered: bool) -> None:
    name, session_id, draft = await parked_with_a_draft(row, LOOKS.says("Fine.").ends_turn())
    called = asyncio.Event()

    async def hold(_calls: waits.Calls, _call: str) -> None:
        called.set()
        await asyncio.Event().wait()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(waits.Calls, "shown", hold)  # nothing is asked before the interrupt
        run = await row.start(session_id)
        async with asyncio.timeout(LIMIT):
            await called.wait()
        if answered:
            assert await row.inbox.settle(name, SQLITE, PANEL) == Accepted()
        await interrupted(run)
    if not answered:
        again = await run.until(QuestionRequest, lambda e: e.by_message)
        assert (again.request.id, run.draft_of(again.request.id)) == (name, draft)
        run.answer(name, SQLITE)
    await run.until(ev.RequestSettled, lambda e: e.request_id == name and e.outcome == SQLITE)
    await run.until(ev.PromptDelivered)
    await run.until(ev.TurnEnded, count=2)
    assert last_sent(row.model).count(answers_as_message(QuestionSet("", (DATABASE,)), SQLITE)) == 1
    await delivered(row.inbox, name, "message")


async def interrupted(run: Running) -> None:
    """Interrupt as a person does: Claude Code confirms an interrupt in that moment, and may not obey it."""
    async with asyncio.timeout(LIMIT):
        while not run.all(ev.TurnEnded):
            run.session.interrupt()
            with suppress(TimeoutError):
                async with asyncio.timeout(5):
                    await run.until(ev.TurnEnded)


async def a_copy_has_a_question_of_its_own(row: Row) -> None:
    # Parked in the original.
    name, session_id, draft = await parked_with_a_draft(row, LOOKS)
    # Asked and answered in the copy.
    run = await row.start(session_id, fork=True)
    own = await run.until(QuestionRequest)
    assert (own.request.tool_use_id, run.draft_of(own.request.id)) == (call_of(name), None)
    assert own.request.session_id == run.session.session_id != session_id
    postgres = Answered((Answer(("PostgreSQL",)),))
    assert await row.inbox.settle(own.request.id, postgres, PANEL) == Accepted()
    await run.until(ev.TurnEnded)
    assert '"Which database?"="PostgreSQL"' in row.model.result(call_of(name)).text
    await delivered(row.inbox, own.request.id, "result")
    count = len(row.model.requests())
    # The original's waits on, and nobody has told it what was answered in the copy.
    assert (await stored(row.inbox, name)).state is RequestState.PENDING
    run = await row.start(session_id)
    again = await run.until(QuestionRequest, lambda e: run.draft_of(e.request.id))
    assert (again.request.id, run.draft_of(again.request.id)) == (name, draft)
    assert len(row.model.requests()) == count
    assert await row.inbox.settle(name, SQLITE, PANEL) == Accepted()
    await run.until(ev.TurnEnded)
    await delivered(row.inbox, name, "result")
    await row.close()
    assert len(row.model.requests()) == count + 1
    assert ANSWERED in last_sent(row.model).replace('\\"', '"')
    assert '"Which database?"="PostgreSQL"' not in last_sent(row.model).replace('\\"', '"')
