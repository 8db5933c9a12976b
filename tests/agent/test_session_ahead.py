"""A process that was started before its session is the session's; one that no session took goes."""

from typing import Any

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude.head_start import HeadStart
from ccq_tui.agent.claude.prestart import MOST_WRITTEN, Prestarted
from ccq_tui.agent.loader import prestarted
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import DATABASE, SQLITE, Play, Running, alive, launch_in_home


def pid_of(ahead: Prestarted | None) -> int:
    process: Any = ahead._transport._process if ahead else None
    return int(process.pid)


async def test_the_cli_asks_the_model_before_there_is_a_session_which_takes_all_over(play: Play) -> None:
    model, home = play(Scenario("q").asks(DATABASE).says("Thanks.").ends_turn().says("Again."))
    async with prestarted(launch_in_home(home), "Build it") as ahead:
        assert not ahead.fits(launch_in_home(home, model="another"))
        assert ahead.fits(
            launch_in_home(home, prompt="Build it", draft="and", notices=("A theme is missing",))
        )
        pid = pid_of(ahead)
        await model.wait_for(lambda model: bool(model.requests()))
        async with Running(home, ahead=ahead) as run:
            name = run.session.send("Build it")
            assert name == ahead.prompt_id
            asked = await run.until(QuestionRequest)
            assert run.one(ev.Connected).session_id == ahead.session_id
            assert run.pid == pid, "no other one was started"
            run.answer(asked.request.id, SQLITE)
            assert "SQLite" in (await run.until(ev.ToolFinished)).output
            # Not `idle`: a CLI that works already need not have been idle as it was connected.
            await run.until(ev.TurnEnded)
            assert run.one(ev.PromptAccepted) == ev.PromptAccepted("Build it", queued=False, prompt_id=name)
            assert run.session.send("Build it") != name, "the same words again are another prompt"
            await run.until(ev.TurnEnded, count=2)
            assert not ahead.fits(run.session.launch), "it has its session"
        assert not alive(pid)
    assert len(model.requests()) == 3, "neither prompt reached the agent twice"


async def test_a_session_started_as_before_has_the_process_that_began_first(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, home = play(Scenario("q").asks(DATABASE).says("Thanks."))
    monkeypatch.chdir(home.project)
    # The first prompt is left to the session: a pipe that nobody reads yet would not take it.
    for prompt, is_second in (("word " * (MOST_WRITTEN // 5), False), ("Build it", True)):
        with HeadStart({}) as head_start:
            begun = head_start._process
            assert bool(begun) is is_second
            async with (
                prestarted(launch_in_home(home), prompt, head_start) as ahead,
                Running(home, ahead=ahead) as run,
            ):
                assert ahead.prompt == (prompt if is_second else "")
                name = run.session.send(prompt)
                assert (name == ahead.prompt_id) is is_second
                assert (await run.until(ev.PromptAccepted)).prompt_id == name
                asked = await run.until(QuestionRequest)
                run.answer(asked.request.id, SQLITE)
                assert "SQLite" in (await run.until(ev.ToolFinished)).output
                await run.until(ev.TurnEnded)
                assert run.one(ev.Connected).session_id == head_start.session_id
                assert not begun or run.pid == begun.pid


async def test_a_session_that_ends_before_it_has_its_process_gives_the_prompt_back(play: Play) -> None:
    _, home = play(Scenario("nothing"))
    async with prestarted(launch_in_home(home), "Build it") as ahead:
        pid = pid_of(ahead)
        run = Running(home, ahead=ahead)
        run.session.send("Build it")
        run.session.close()
        async with run:
            assert (await run.until(ev.SessionLost)).expected
        assert run.one(ev.PromptReturned).text == "Build it"
        assert not alive(pid)


async def test_a_cli_that_ends_at_once_gives_the_prompt_back(play: Play) -> None:
    _, home = play(Scenario("nothing"))
    program = home.root / "reads-a-line"
    program.write_text("#!/bin/sh\nread line\nexit 3\n", encoding="utf-8")
    program.chmod(0o700)
    async with prestarted(launch_in_home(home, cli_path=program), "Build it") as ahead:
        async with Running(home, ahead=ahead, cli_path=program) as run:
            name = run.session.send("Build it")
            assert not (await run.until(ev.SessionLost)).expected
        assert run.one(ev.PromptReturned).text == "Build it"
        assert ahead is None or run.one(ev.PromptAccepted).prompt_id == name


async def test_a_process_that_no_session_took_is_ended(play: Play) -> None:
    _, home = play(Scenario("nothing"))
    async with prestarted(launch_in_home(home)) as ahead:
        pid = pid_of(ahead)
        assert alive(pid)
    assert not alive(pid)


async def test_where_no_process_can_be_started_there_is_none(play: Play) -> None:
    _, home = play(Scenario("nothing"))
    async with prestarted(launch_in_home(home, cli_path=home.root / "none")) as ahead:
        assert ahead is None
    async with prestarted(None) as ahead:
        assert ahead is None
