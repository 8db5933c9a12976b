"""An answer that comes while its question is being parked reaches the agent, whichever surface gave it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.inbox.port import InboxChange, Settled
from ccq_tui.questions import Answer, Answered
from tests.actors import PANEL
from tests.ui.inboxed import Many, request_of
from tests.ui.session import keys_work, until

ANSWER = Answered((Answer(("First",)),))


@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("when", ["settled elsewhere before", "settled elsewhere", "answered here"])
async def test_an_answer_while_its_question_is_being_parked_starts_claude_again(
    tmp_path: Path, when: str, ends: bool
) -> None:
    run = Many(tmp_path)
    request = request_of("s1")
    async with run.app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: run.session_screen.view.session_id)
        await run.app.inbox.run(lambda store: store.requests.add(request, ""))
        session, screen = run.all[0], run.session_screen
        session.tell(ev.StateChanged(ev.SessionState.AWAITING))
        session.tell(ev.QuestionAsked(request))
        await keys_work(run, pilot)
        if when != "settled elsewhere before":
            session.tell(ev.RequestParked(request.id, deferred=True))
            await until(pilot, lambda: "Parked" in screen.dock.notices.text)
        if when == "answered here":
            await pilot.press("1", "enter")
            await until(pilot, lambda: session.answers)
        else:
            heard: list[InboxChange] = []
            run.app.inbox.subscribe(heard.append)  # told after the session
            await run.app.inbox.run(lambda store: store.requests.settle(request.id, ANSWER, PANEL))
            await until(pilot, lambda: any(isinstance(change, Settled) for change in heard))
        if when == "settled elsewhere before":
            session.tell(ev.RequestParked(request.id, deferred=True))
        await until(pilot, lambda: not screen.waiting.items)
        assert len(run.all) == 1  # the process that cannot take it is still there
        if ends:
            screen.session.keep_ended()
        session.tell(ev.StateChanged(ev.SessionState.PARKED))
        session.tell(ev.SessionLost("parked", expected=True, kind=ev.PARKED_KIND))
        if ends:
            await until(pilot, lambda: screen.view.state is ev.SessionState.PARKED)
            await pilot.pause()
            assert len(run.all) == 1
        else:
            await until(pilot, lambda: len(run.all) == 2)
            assert "Parked" not in screen.dock.notices.text, "it is no longer true"
