"""Deaths and early ends: nothing hangs, nothing is left, nothing typed is lost."""

import asyncio
from subprocess import Popen

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude import process, spawn
from ccq_tui.agent.problems import Problem
from ccq_tui.agent.session import AgentSession
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import DATABASE, LIMIT, Play, Running, alive, launch_in_home, until_written
from tests.memory_inbox import MemoryInbox
from tests.steps import until_true


async def test_a_killed_cli_ends_the_question_and_the_session(play: Play) -> None:
    _, home = play(Scenario("q").asks(DATABASE).says("Thanks."))
    run = Running(home)
    async with run:
        await run.send("Build it").until(QuestionRequest)
        await run.send("One more thing").until(ev.PromptAccepted, count=2)
        # Killed sooner, it has not written down that it read the first prompt, which then comes back, too.
        await until_written(home, run.session.session_id, '"type":"user"')
        lost = await run.killed()
        assert run.one(ev.RequestParked) == ev.RequestParked(run.request("toolu_q_1"), deferred=False)
        assert not lost.expected
        assert lost.kind is Problem.CLI_KILLED
        assert run.state is ev.SessionState.FAILED
        assert run.one(ev.PromptReturned).text == "One more thing"
        run.session.send("Too late")
        returned = run.all(ev.PromptReturned)[-1]
        assert (returned.text, returned.reason) == ("Too late", "The session is over.")


async def test_cancelling_the_task_twice_leaves_no_process(play: Play) -> None:
    _, home = play(Scenario("q").says("Hello").hangs())
    run = Running(home)
    async with run:
        await run.send("Build it").until(ev.BlockGrew)
        pid = run.pid
        run.task.cancel()
        await asyncio.sleep(0)
        run.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run.task
        assert pid is not None
        assert not alive(pid)
        assert run.one(ev.SessionLost).expected


async def test_closing_before_the_cli_is_there(play: Play) -> None:
    _, home = play(Scenario("q").says("Hello"))
    async with Running(home) as run:
        run.session.send("Build it")
        run.session.close()
        lost = await run.ended()
    assert lost.expected
    assert run.one(ev.PromptReturned).text == "Build it"


async def test_a_start_that_is_cancelled_leaves_no_process(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Popen[bytes]] = []
    monkeypatch.setattr(process, "start", lambda *how: started.append(spawn.start(*how)) or started[-1])
    _, home = play(Scenario("a").says("One.").ends_turn())
    session = AgentSession(launch_in_home(home), MemoryInbox(), lambda _event: None)
    task = asyncio.create_task(session.run())
    await until_true(lambda: started)
    task.cancel()
    await asyncio.wait({task}, timeout=LIMIT)
    assert task.done()
    await until_true(lambda: not alive(started[0].pid), 2.0)
