"""Silence where Claude should be heard is said in the status line."""

from __future__ import annotations

from ccq_tui.agent import events as ev
from ccq_tui.screens.session.status import SILENCE
from tests.ui.host import Clock
from tests.ui.running import running
from tests.ui.session import Driven, until

SILENT = "nothing from Claude"


async def test_silence_is_said_where_claude_should_be_heard() -> None:
    async with running(Driven(clock=Clock()), size=(120, 24)) as (run, pilot):
        heard: list[ev.AgentEvent] = []

        def line(seconds: float = 0.0) -> str:
            run.clock.skip(seconds)
            run.screen.status.changed()
            return run.screen.status_line.render().plain

        async def tell(event: ev.AgentEvent) -> None:
            run.told.tell(event)
            await until(pilot, lambda: event in heard)

        await until(pilot, lambda: run.screen.view.state is ev.SessionState.IDLE)
        run.screen.listeners += (heard.append,)
        await tell(ev.StateChanged(ev.SessionState.WORKING))
        assert SILENT not in line(SILENCE - 1)
        assert f"{SILENT} for 15s" in line(1)
        await tell(ev.ThinkingCounted(900))
        assert SILENT not in line(5)
        assert f"{SILENT} for 1m 05s" in line(60)
        await tell(ev.ToolStarted("t", "Bash", {"command": "make"}))
        assert SILENT not in line(300), "a command that runs counts its own seconds"
        await tell(ev.ToolFinished("t", "Bash", "done"))
        assert SILENT not in line(SILENCE - 1)
        assert f"{SILENT} for 15s" in line(1)
        await tell(ev.Retrying(1, 10, 30.0, 529, "overloaded"))
        assert SILENT not in line(SILENCE), "a retry has its own words"
        await tell(ev.StateChanged(ev.SessionState.WORKING))
        assert SILENT not in line(10)
        await tell(ev.PromptAccepted("More", queued=True, prompt_id="p"))
        await tell(ev.ModeChanged("plan"))
        assert f"{SILENT} for 15s" in line(5), "what a person does is no sign of Claude"
        await tell(ev.NoticeGiven("info", ev.COMPACTING))
        assert SILENT not in line(60), "a compaction says nothing until it is done"
        await tell(ev.StateChanged(ev.SessionState.AWAITING))
        assert SILENT not in line(300)
        await tell(ev.StateChanged(ev.SessionState.WORKING))
        assert SILENT not in line(1)
        await tell(ev.StateChanged(ev.SessionState.IDLE))
        assert SILENT not in line(300)
