"""A process that was started before its session is the session's; one that no session took goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ccq_tui.agent.ahead import started_ahead
from ccq_tui.agent.claude.ahead import Ahead
from ccq_tui.agent.events import Connected, QuestionAsked, ToolFinished
from ccq_tui.questions import Answer, Answered, Option, Question
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Running, alive

DATABASE = Question(
    "Which database?", "Database", (Option("SQLite", "A file"), Option("PostgreSQL", "A server"))
)


def pid_of(ahead: Ahead | None) -> int:
    process: Any = ahead._transport._process if ahead else None  # type: ignore[attr-defined]
    return int(process.pid)


async def test_a_session_takes_over_the_process_that_was_started_for_it(play: Callable[..., Any]) -> None:
    _, home = play(Scenario("q").asks(DATABASE).says("Thanks."))
    run = Running(home)
    async with started_ahead(run.session.options) as ahead:
        assert ahead is not None
        assert not ahead.fits(replace(run.session.options, model="another"))
        pid = pid_of(ahead)
        run.session._ahead = ahead
        async with run:
            run.session.send("Build it")
            asked = await run.until(QuestionAsked)
            assert run.one(Connected).session_id == ahead.session_id
            assert run.pid == pid, "no other one was started"
            run.answer(asked.request.id, Answered((Answer(("SQLite",)),)))
            assert "SQLite" in (await run.until(ToolFinished)).output
            await run.idle()
            assert not ahead.fits(run.session.options), "it has its session"
        assert not alive(pid)


async def test_a_process_that_no_session_took_is_ended(play: Callable[..., Any]) -> None:
    _, home = play(Scenario("nothing"))
    async with started_ahead(Running(home).session.options) as ahead:
        pid = pid_of(ahead)
        assert alive(pid)
    assert not alive(pid)


async def test_where_no_process_can_be_started_there_is_none(play: Callable[..., Any]) -> None:
    _, home = play(Scenario("nothing"))
    options = Running(home).session.options
    async with started_ahead(replace(options, cli_path=home.root / "none")) as ahead:
        assert ahead is None
    async with started_ahead(None) as ahead:
        assert ahead is None
