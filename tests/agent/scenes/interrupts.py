"""Interrupts, and the closing of a session: nothing hangs, nothing typed is lost."""

import json

from ccq_tui.agent import events as ev
from ccq_tui.inbox.requests import Cancelled, QuestionRequest, call_of
from ccq_tui.testing import ScriptedModel
from ccq_tui.testing.scenario import Scenario, ask
from tests.agent.running import DATABASE, SQLITE, Running
from tests.agent.stage import Stage


async def scenes(stage: Stage) -> None:
    """Play what this module tests."""
    scenario = Scenario("q").together(ask(DATABASE), ask(DATABASE)).ends_turn().asks(DATABASE)
    async with stage.scene("an interrupt ends every question", scenario.says("Thanks.")) as run:
        await an_interrupt_ends_every_question(run, stage.model)
    scenario = Scenario("q").says("As far as I know").hangs().says(" nothing").ends_turn().says("Yes.")
    async with stage.scene("an interrupted answer keeps what was read", scenario) as run:
        await an_interrupted_answer_keeps_what_was_read(run)
    scenario = Scenario("q").says("As far").hangs().says(" not").ends_turn().says("Yes.").ends_turn()
    async with stage.scene("commands that the CLI refuses", scenario) as run:
        await refused_commands_are_settled(run)
    silent = Scenario("a").hangs().says("never").ends_turn().says("Two.").ends_turn()
    async with stage.scene("the first prompt of all, interrupted in silence", silent) as run:
        await the_turn_is_forgotten(run, stage.model)
    begun = Scenario("a").says("One.").ends_turn().hangs().says("never").ends_turn().says("Two.")
    async with stage.scene("a later one, interrupted in silence", begun.ends_turn()) as run:
        await run.send("begin").idle()
        await the_turn_is_forgotten(run, stage.model, turns=1)
    async with stage.scene("closing with a question open", Scenario("q").asks(DATABASE)) as run:
        await closing_with_a_question_open_leaves_nothing(run)


async def refused_commands_are_settled(run: Running) -> None:
    """The CLI never echoes them: what becomes of them is told by the end of their turns alone."""
    for count in (1, 2):
        await run.send("/exit").idle(count)
    first = run.session.send("Tell me")
    await run.until(ev.BlockGrew)
    # None of those before it waits any more.
    accepted = run.all(ev.PromptAccepted)
    assert [(event.text, event.queued) for event in accepted] == [
        ("/exit", False),
        ("/exit", False),
        ("Tell me", False),
    ]
    queued = [run.session.send(text) for text in ("/exit", "More", "/exit")]
    await run.until(ev.PromptAccepted, count=6)
    run.session.interrupt()
    await run.idle(3)
    delivered = [event.prompt_id for event in run.all(ev.PromptDelivered)]
    assert delivered == [*(event.prompt_id for event in accepted[:2]), first, *queued]
    run.session.withdraw(queued[0])
    await run.until(ev.NoticeGiven, lambda e: "read it already" in e.text)


async def an_interrupt_ends_every_question(run: Running, model: ScriptedModel) -> None:
    await run.send("Build it").until(QuestionRequest, count=2)
    run.session.interrupt()
    await run.idle()
    cancelled = Cancelled("interrupted")
    assert {call_of(e.request_id): e.outcome for e in run.all(ev.RequestSettled)} == {
        "toolu_q_1": cancelled,
        "toolu_q_2": cancelled,
    }
    ended = run.one(ev.TurnEnded)
    # The CLI asks before it has read the end of the model's stream, and says so when it is interrupted there.
    assert ended.reason in ("aborted_tools", "aborted_streaming")
    assert (ended.is_error, ended.text) == (True, "")
    asked = await run.send("Again").until(QuestionRequest, count=3)
    await run.answer(asked.request.id, SQLITE).idle(2)
    assert '"Which database?"="SQLite"' in model.result(asked.request.tool_use_id).text


async def an_interrupted_answer_keeps_what_was_read(run: Running) -> None:
    grown = await run.send("Tell me").until(ev.BlockGrew)
    queued = run.session.send("Anything else?")
    await run.until(ev.PromptAccepted, lambda e: e.queued)
    run.session.interrupt()
    await run.until(ev.PromptDelivered, lambda e: e.prompt_id == queued)
    await run.until(ev.TurnEnded, count=2)
    finished = run.all(ev.BlockFinished)
    assert finished[0].key == grown.key
    assert [event.text for event in finished] == ["As far as I know", "Yes."]


async def the_turn_is_forgotten(run: Running, model: ScriptedModel, turns: int = 0) -> None:
    """Interrupt a prompt after so many turns, take it back, and send another one."""
    wrong = run.session.send("the wrong words")
    await model.wait_for(lambda asked: len(asked.requests()) > turns)
    run.session.interrupt()
    assert (await run.until(ev.TurnEnded, lambda e: e.is_error)).reason == "aborted_streaming"
    assert run.all(ev.PromptDelivered)[-1].prompt_id == wrong
    await run.idle(turns + 1)
    assert (await run.session.rewind(wrong, files=False)).refusal == ""
    await run.send("the right words").until(ev.TurnEnded, count=turns + 2)
    asked = json.dumps(model.requests()[-1].body["messages"])
    assert asked.count("the right words") == 1
    assert "wrong words" not in asked
    assert "interrupted by user" not in asked


async def closing_with_a_question_open_leaves_nothing(run: Running) -> None:
    await run.send("Build it").until(QuestionRequest)
    run.session.close()
    lost = await run.ended()
    assert lost.expected
    assert lost.kind == "parked"
    assert run.one(ev.RequestParked).deferred
    assert run.state is ev.SessionState.PARKED
