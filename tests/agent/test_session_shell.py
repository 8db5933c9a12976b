"""Commands that a person ran in the shell, as the model hears of them, and in the record of a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccq_tui.agent.events import BlockGrew, HistoryLoaded, PromptAccepted, TurnEnded
from ccq_tui.prompts.shell_runs import ShellRun, message_of
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Running
from tests.agent.test_session_images import prompts
from tests.steps import step

RUN = ShellRun("make", "built", "slow", 2)
ANSWERED, UNANSWERED = message_of(RUN), message_of(RUN, answer=False)


def text(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": one} for one in texts]


async def test_one_that_claude_answers_is_a_turn_and_one_that_it_does_not_goes_with_the_next_prompt(
    play: Callable[..., Any],
) -> None:
    model, home = play(Scenario("a").says("One.").ends_turn().says("Two.").ends_turn().says("3").ends_turn())
    async with Running(home) as run:
        run.session.send(ANSWERED)
        await run.until(TurnEnded)
        assert prompts(model) == [text(ANSWERED)]
        run.session.send(UNANSWERED, answer=False)
        await run.until(TurnEnded, count=2)
        assert len(model.requests()) == 1
        run.session.send("and now?")
        await run.until(TurnEnded, count=3)
        assert prompts(model)[-1] == text(f"{UNANSWERED}\n", "and now?")
        session = run.session.session_id
    with step("a resumed session knows both"):
        async with Running(home, resume=session) as run:
            past = (await run.until(HistoryLoaded)).events
            said = [event.text for event in past if isinstance(event, PromptAccepted)]
            assert said == [ANSWERED, UNANSWERED, "and now?"]


async def test_one_that_ends_while_claude_works_interrupts_nothing(play: Callable[..., Any]) -> None:
    turns = Scenario("a").says("As far").hangs().says(" as this.").ends_turn().says("2").ends_turn()
    model, home = play(turns)
    async with Running(home) as run:
        run.session.send("begin")
        await run.until(BlockGrew)
        run.session.send(UNANSWERED, answer=False)
        await run.until(PromptAccepted, lambda event: event.text == UNANSWERED)
        model.release("hang")
        await run.until(TurnEnded, count=2)
        assert len(model.requests()) == 1
        run.session.send("next")
        await run.until(TurnEnded, count=3)
        assert prompts(model)[-1] == text(f"{UNANSWERED}\n", "next")
