"""Question sets that are told while the model still writes them, and what becomes of them."""

from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude.partial_sets import BROKE, INTERRUPTED, REJECTED
from ccq_tui.inbox.port import Added, Grown, Settled
from ccq_tui.inbox.requests import Cancelled, QuestionRequest
from ccq_tui.questions import Answer, Answered, Option, Question, QuestionSet
from ccq_tui.testing import Scenario, ScriptedModel
from ccq_tui.testing.scenario import Cut, Message, ask, delegate, question_set_input
from tests.agent.running import EventLog, Running
from tests.agent.stage import Stage

LONG = "a description that says in some words what choosing this would mean" * 16
"""With it a set takes seconds at the speed at which it begins: a CLI that is held up tells its parts, too."""
DATABASE = Question("Which database?", "Database", (Option("SQLite", LONG), Option("PostgreSQL", LONG)))
FEATURES = Question("Which features?", "Features", (Option("Auth", LONG), Option("Logs", LONG)), True)
BAD = question_set_input([DATABASE, {"question": "What else?", "header": "Else", "options": []}])
SLOW = 400.0


async def scenes(stage: Stage) -> None:
    """Play what this module tests."""
    model = stage.model
    model.delta_size = 4
    scenario = Scenario("both").says("Two things.").together(ask(DATABASE), ask(FEATURES)).says("Thanks.")
    async with stage.scene("two sets in one message", scenario) as run:
        await each_grows_and_is_asked(run, model)
    scenario = Scenario("bad").asks(raw=BAD).asks(DATABASE).says("Thanks.")
    async with stage.scene("a set that the CLI rejects", scenario) as run:
        await it_ends_and_is_asked_again(run, model, REJECTED)
    broken = Message((ask(DATABASE, FEATURES),), closed=True, cut=Cut(after=1_000))
    scenario = Scenario("cut", (broken,)).asks(DATABASE).says("Thanks.")
    async with stage.scene("a stream that breaks", scenario) as run:
        await it_ends_and_is_asked_again(run, model, BROKE)
    scenario = Scenario("stop").asks(DATABASE, FEATURES).ends_turn().says("As you like.")
    async with stage.scene("a turn that is interrupted", scenario) as run:
        await an_interrupted_set_ends(run, model)
    asked = Scenario().together(ask(DATABASE)).says("Nobody to ask.")
    scenario = Scenario("sub").together(delegate("Look around", asked)).says("Done.")
    async with stage.scene("a subagent, which may not ask", scenario) as run:
        model.speed = SLOW * 10
        sets = sets_of(run)
        await run.send("Look around").idle()
        model.speed = 0.0
        assert [e.is_error for e in run.all(ev.ToolFinished) if e.parent] == [True]
        assert not sets.events


def sets_of(run: Running) -> EventLog:
    """Keep what the inbox reports of requests."""
    log = EventLog()
    run.inbox.subscribe(lambda change: isinstance(change, Grown | Added | Settled) and log._take(change))
    return log


async def first_arriving(run: Running, model: ScriptedModel) -> tuple[EventLog, Grown]:
    """Give the first that is reported of a set, and let the model write faster from then on."""
    sets, model.speed = sets_of(run), SLOW
    run.session.send("Ask me")
    first = await sets.until(Grown)
    model.speed = 0.0
    return sets, first


async def each_grows_and_is_asked(run: Running, model: ScriptedModel) -> None:
    sets, first = await first_arriving(run, model)
    assert first.request.questions.questions[0].text == DATABASE.text
    assert (first.arriving.complete, first.arriving.whole) == (0, False)
    assert not run.all(ev.ToolStarted)
    assert not run.inbox.pending  # what is on its way is not kept
    asked = await run.until(QuestionRequest, count=2)
    name = first.request.id
    assert {e.request.id for e in run.all(QuestionRequest)} == {name, asked.request.id}
    texts = [e for e in sets.all(Grown) if e.request.id == name]
    assert texts[-1].arriving.whole
    assert texts[-1].request.questions == QuestionSet(first.request.tool_use_id, (DATABASE,))
    assert isinstance(of(sets, name)[-1], Added)
    for event in run.all(QuestionRequest):
        label = event.request.questions.questions[0].options[1].label
        run.answer(event.request.id, Answered((Answer((label,)),)))
    await run.idle()
    assert not [e for e in sets.all(Settled) if isinstance(e.outcome, Cancelled)]
    assert '"Which database?"="PostgreSQL"' in model.result(first.request.tool_use_id).text
    assert '"Which features?"="Logs"' in model.result(asked.request.tool_use_id).text


async def it_ends_and_is_asked_again(run: Running, model: ScriptedModel, reason: str) -> None:
    sets, first = await first_arriving(run, model)
    asked = await run.until(QuestionRequest)
    assert of(sets, first.request.id)[-1].outcome == Cancelled(reason)
    await run.answer(asked.request.id, Answered((Answer(("SQLite",)),))).idle()
    assert '"Which database?"="SQLite"' in model.result(asked.request.tool_use_id).text


async def an_interrupted_set_ends(run: Running, model: ScriptedModel) -> None:
    sets, model.speed = sets_of(run), SLOW / 4
    run.session.send("Ask me")
    await sets.until(Grown)
    run.session.interrupt()
    await run.idle()
    model.speed = 0.0
    assert sets.one(Settled).outcome == Cancelled(INTERRUPTED)
    assert not run.all(QuestionRequest)
    await run.send("Never mind").idle(2)


def of(sets: EventLog, name: str) -> list[Any]:
    """What was reported of one set."""
    return [e for e in sets.events if e.request.id == name]
