"""Prompts that a turn has not read when the session ends: each comes back or was read, never both."""

import json

from ccq_tui.agent import events as ev
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.testing import ScriptedModel
from ccq_tui.testing.scenario import Scenario
from tests.agent.row import Row
from tests.agent.running import DATABASE, SQLITE, until_written

HANGS = Scenario("a").says("One.").ends_turn().says("As far").hangs().says(" not").ends_turn()


def sent_texts(model: ScriptedModel) -> str:
    """Everything that the model was ever sent."""
    return json.dumps([exchange.body["messages"] for exchange in model.requests()])


async def test_what_a_turn_has_not_read_comes_back(row: Row) -> None:
    await row.play(
        what_waits_at_the_end_comes_back_and_is_sent_once,
        what_waits_behind_a_question_comes_back_when_it_is_parked,
        the_record_tells_what_was_read,
    )


async def what_waits_at_the_end_comes_back_and_is_sent_once(row: Row) -> None:
    run = await row.begin(HANGS.says("Three.").ends_turn())
    await run.send("begin").idle()
    await run.send("go on").until(ev.BlockGrew, lambda e: e.text.startswith("As"))
    queued = [run.session.send(text) for text in ("first in line", "second in line")]
    await run.until(ev.PromptAccepted, lambda e: e.queued, count=2)
    run.session.close()
    await run.ended()
    returned = [(event.prompt_id, event.text) for event in run.all(ev.PromptReturned)]
    assert returned == list(zip(queued, ("first in line", "second in line"), strict=True))
    assert not {event.prompt_id for event in run.all(ev.PromptDelivered)} & set(queued)
    assert "in line" not in sent_texts(row.model)
    session = run.session.session_id
    # Resumed, it knows nothing of them.
    run = await row.start(session)
    assert await run.session.taken(dict.fromkeys(queued, session)) == frozenset()
    await run.send("first in line\nsecond in line").until(ev.TurnEnded)
    assert sent_texts(row.model).count("second in line") == 1


async def what_waits_behind_a_question_comes_back_when_it_is_parked(row: Row) -> None:
    run = await row.begin(Scenario("q").asks(DATABASE).says("Thanks.").ends_turn())
    asked = await run.send("begin").until(QuestionRequest)
    await run.send("while I think").until(ev.PromptAccepted, lambda e: e.queued)
    run.session.park()
    await run.ended()
    assert run.one(ev.PromptReturned).text == "while I think"
    run = await row.start(run.session.session_id, allowed_tools=("Bash",))
    await run.until(QuestionRequest)
    await run.answer(asked.request.id, SQLITE).until(ev.TurnEnded)
    # As the call's own result: another prompt in between would have taken the call away.
    assert '"Which database?"="SQLite"' in row.model.result(asked.request.tool_use_id).text
    assert "while I think" not in sent_texts(row.model)


async def the_record_tells_what_was_read(row: Row) -> None:
    scenario = Scenario("a").says("Slow").hangs().says("er").ends_turn()
    scenario = scenario.runs("Bash", command="sleep 1").says("Done.").hangs().says(" Not.").ends_turn()
    run = await row.begin(scenario)
    first = run.session.send("begin")
    await run.until(ev.BlockGrew)
    merged = [run.session.send(text) for text in ("one", "two")]
    await run.until(ev.PromptAccepted, count=3)
    run.session.interrupt()
    await run.until(ev.ToolStarted)
    within = run.session.send("within the turn")
    await run.until(ev.BlockGrew, lambda e: e.text.startswith("Done"))
    refused, waits = run.session.send("/exit"), run.session.send("waits")
    await run.until(ev.PromptAccepted, count=6)
    session = run.session.session_id
    names = dict.fromkeys([first, *merged, within, refused, waits, "x" * 36], session)
    await until_written(row.home, session, '"content":"waits"')
    assert await run.session.taken(names) == {first, *merged, within}
    run.session.interrupt()
    await run.until(ev.PromptDelivered, lambda e: e.prompt_id == waits)
    await until_written(row.home, session, f'"uuid":"{waits}"')
    assert await run.session.taken(names) == {first, *merged, within, refused, waits}
