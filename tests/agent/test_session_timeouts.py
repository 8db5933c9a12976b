"""What the agent and the history are told when a time limit passes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ccq_tui.agent.events import QuestionAsked, RequestSettled, SessionState, TurnEnded
from ccq_tui.agent.texts import EXPIRED
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.questions import Expired
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Running
from tests.agent.test_session_parking import DATABASE, inbox_at, said, stored


async def test_nobody_answered_is_the_result_of_the_call_and_no_option_is(
    play: Callable[..., Any], tmp_path: Path
) -> None:
    model, home = play(Scenario("q").asks(DATABASE).says("Then I assume nothing.").ends_turn())
    async with inbox_at(tmp_path) as inbox:
        async with Running(home, inbox=inbox) as run:
            run.session.send("Build it")
            name = (await run.until(QuestionAsked)).request.id
            run.session.answer(name, Expired(), "timeout")
            assert (await run.until(RequestSettled)).outcome == Expired()
            await run.until(TurnEnded)
        assert EXPIRED in model.result(name).text
        assert '"Which database?"="' not in said(model)
        await inbox.run(lambda _: None)
        assert (await stored(inbox, name)).state is RequestState.DELIVERED
        rows = await inbox.run(lambda store: store.history(request_id=name))
        assert [(row.became, row.cause, row.surface) for row in rows] == [
            ("pending", "asked", ""),
            ("expired", "expired", "timeout"),
            ("delivered", "seen as result", ""),
        ]


async def test_what_is_parked_or_closed_by_a_limit_says_so_in_the_history(
    play: Callable[..., Any], tmp_path: Path
) -> None:
    _, home = play(Scenario("q").asks(DATABASE))
    async with inbox_at(tmp_path) as inbox, Running(home, inbox=inbox) as run:
        run.session.send("Build it")
        await run.until(QuestionAsked)
        session_id = run.session.session_id
        run.session.park("no answer for 10 min (park_after)")
        await run.ended(waiting=1)
        assert run.session.state is SessionState.PARKED
        rows = await inbox.run(lambda store: store.history(session_id=session_id))
        states = [(row.became, row.cause) for row in rows if not row.request_id]
        assert states[-1] == ("parked", "no answer for 10 min (park_after)")
        assert ("awaiting", "told by the session") in states
