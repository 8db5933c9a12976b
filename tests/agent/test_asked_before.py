"""A question that was answered before says so, and what is taken over reaches the model as an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ccq_tui.agent.events import QuestionAsked, TurnEnded
from ccq_tui.questions import Answer, Answered, Option, Question
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import opened
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Running, inbox_at

DATABASE = Question("Which database?", "Database", (Option("SQLite", "A file"), Option("MySQL", "A server")))
CHOSEN = Answered((Answer(("MySQL",), note="as in the other services"),))
TOLD = (
    'The user answered: "Which database?"="MySQL" notes: as in the other services. Read the answers '
    "carefully — they may request clarification, changes, or that you not proceed — and follow what they "
    "actually say."
)


async def test_an_answer_that_is_taken_over_reaches_the_model(
    play: Callable[..., Any], tmp_path: Path
) -> None:
    scenario = Scenario("q").asks(DATABASE).says("One.").ends_turn().asks(DATABASE).says("Two.").ends_turn()
    model, home = play(scenario)
    async with inbox_at(tmp_path) as inbox, Running(home, inbox=inbox) as run:
        run.session.send("Ask me.")
        first = await run.until(QuestionAsked)
        assert first.recalled == ()
        run.answer(first.request.id, CHOSEN)
        await run.until(TurnEnded)
        run.session.send("Ask me again.")
        again = await run.until(QuestionAsked, lambda event: event.request.id != first.request.id)
        (before,) = again.recalled
        assert before is not None
        assert before.answer == CHOSEN.answers[0]
        state = replace(opened(again.request.questions), recalled=again.recalled)
        for key in ("r", "enter"):
            state = step(state, Pressed(key, key if key == "r" else ""))
        assert state.outcome is not None
        run.answer(again.request.id, state.outcome)
        await run.until(TurnEnded, count=2)
    results = [
        block["content"]
        for message in model.requests()[-1].body["messages"]
        for block in (message["content"] if isinstance(message["content"], list) else ())
        if block.get("type") == "tool_result"
    ]
    assert results == [TOLD] * 2
