"""A resumed session: its questions are cards in the transcript, and nothing to answer."""

from __future__ import annotations

from textual.pilot import Pilot

from ccq_tui.agent.events import HistoryLoaded, PromptAccepted, RequestSettled, SessionState, StateChanged
from ccq_tui.inbox.requests import Cancelled
from ccq_tui.questions import Answer, Answered
from tests.ui.session import Driven, asked, until


async def test_questions_of_the_past_open_no_panel(run: Driven, pilot: Pilot[int]) -> None:
    answered = RequestSettled("one@id-1", Answered((Answer(note="because"),)))
    lost = RequestSettled("two@id-1", Cancelled("the session ended before it was answered"))
    past = (PromptAccepted("Build it"), asked("one"), answered, asked("two"), lost)
    run.told.tell(HistoryLoaded(past))
    run.told.tell(StateChanged(SessionState.IDLE))
    await until(pilot, lambda: "the session ended before" in run.screen.transcript.text())
    assert "✎ because" in run.screen.transcript.text()
    assert run.screen.dock.panel is None
    assert not run.screen.dock.line.items
