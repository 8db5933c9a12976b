"""Prompts that are sent before Claude has started can be taken back."""

from __future__ import annotations

from ccq_tui.agent.events import PromptAccepted, PromptReturned, SessionState
from tests.ui.running import running
from tests.ui.session import Driven, ToldSession, until


class SlowSession(ToldSession):
    """A session whose CLI is still starting."""

    async def run(self) -> None:
        """Tell nothing by itself."""


async def test_up_takes_back_the_last_prompt_that_nobody_has_read() -> None:
    async with running(Driven(make=SlowSession)) as (run, pilot):
        prompt = run.screen.dock.prompt
        assert run.screen.view.state is SessionState.STARTING
        for text in ("one", "two"):
            prompt.put(text)
            await pilot.press("enter")
        await until(pilot, lambda: run.told.sent == ["one", "two"])
        await pilot.press("up")
        await until(pilot, lambda: run.told.withdrawn == ["p2"])
        run.told.tell(PromptReturned("two", "you withdrew it", "p2", wanted=True))
        await until(pilot, lambda: prompt.text == "two")
        assert "two" not in run.screen.transcript.text()
        assert "one" in run.screen.transcript.text()
        run.told.tell(PromptAccepted("one", prompt_id="p1"))
        await until(pilot, lambda: not prompt.has_queued)
        prompt.put("")
        await pilot.press("up")
        await until(pilot, lambda: prompt.text == "two")
        assert run.told.withdrawn == ["p2"], "what is read already is history"
