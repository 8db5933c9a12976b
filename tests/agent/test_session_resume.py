"""Going on with a session: what was said is there, and goes on under the right id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccq_tui.agent.events import (
    BlockFinished,
    Connected,
    HistoryLoaded,
    NoticeGiven,
    PromptAccepted,
    QuestionAsked,
    RequestSettled,
    SessionState,
    ToolFinished,
    ToolStarted,
)
from ccq_tui.agent.problems import Problem
from ccq_tui.questions import Answer, Answered, Option, Question
from ccq_tui.testing import CleanHome, ScriptedModel
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Running
from tests.steps import step

DATABASE = Question(
    "Which database?", "Database", (Option("SQLite", "A file"), Option("PostgreSQL", "A server"))
)
SCENARIO = Scenario("r").says("First.").asks(DATABASE).says("Settled.").ends_turn().says("Later.")


async def test_a_session_is_begun_forked_and_gone_on_with(play: Callable[..., Any]) -> None:
    model, home = play(SCENARIO)
    with step("continue without a past begins anew"):
        session_id = await it_begins_anew(home)
    with step("continue takes the last session of the directory, and fork leaves it"):
        await it_is_continued_and_forked(home, session_id)
    with step("a resumed session shows its past and goes on"):
        await it_shows_its_past_and_goes_on(home, model, session_id)


async def it_begins_anew(home: CleanHome) -> str:
    async with Running(home, continue_conversation=True) as run:
        await run.until(Connected)
        assert run.one(NoticeGiven).text == "There is no earlier session here; this is a new one."
        run.session.send("Build it")
        await run.until(QuestionAsked)
        run.answer("toolu_r_1", Answered((Answer(("SQLite",), note="a file will do"),)))
        await run.idle()
        assert [event.text for event in run.all(BlockFinished)] == ["First.", "Settled."]
        return run.session.session_id


async def it_is_continued_and_forked(home: CleanHome, session_id: str) -> None:
    async with Running(home, continue_conversation=True, fork=True) as run:
        connected = await run.until(Connected)
        assert connected.session_id != session_id
        assert len(run.one(HistoryLoaded).events) == 7
        run.session.send("Go on")
        await run.idle()
        assert run.session.session_id == connected.session_id
    stored = [path.stem for path in (home.config / "projects").glob("*/*.jsonl")]
    assert sorted(stored) == sorted([session_id, connected.session_id])


async def it_shows_its_past_and_goes_on(home: CleanHome, model: ScriptedModel, session_id: str) -> None:
    async with Running(home, resume=session_id) as run:
        await run.until(Connected)
        history = run.one(HistoryLoaded)
        assert not history.cut
        assert [type(event) for event in history.events] == [
            PromptAccepted,
            BlockFinished,
            ToolStarted,
            QuestionAsked,
            RequestSettled,
            ToolFinished,
            BlockFinished,
        ]
        prompt, said, started, asked, answered, finished, settled = history.events
        assert isinstance(prompt, PromptAccepted)
        assert prompt.text == "Build it"
        assert isinstance(said, BlockFinished)
        assert said.text == "First."
        assert isinstance(started, ToolStarted)
        assert isinstance(finished, ToolFinished)
        assert finished.tool == started.tool == "AskUserQuestion"
        assert '"Which database?"="SQLite"' in finished.output
        assert isinstance(asked, QuestionAsked)
        assert asked.request.session_id == session_id
        assert asked.request.questions.questions == (DATABASE,)
        assert isinstance(answered, RequestSettled)
        assert answered.outcome == Answered((Answer(("SQLite",), note="a file will do"),))
        assert answered.at is not None
        assert run.inbox.pending == ()
        assert isinstance(settled, BlockFinished)
        assert settled.text == "Settled."
        assert run.session.session_id == session_id
        run.session.send("Go on")
        await run.idle()
        assert run.session.session_id == session_id
        assert [event.text for event in run.all(BlockFinished)] == ["Later."]
    texts = str(model.requests()[-1].body["messages"])
    assert "Build it" in texts
    assert "Settled." in texts


async def test_a_session_that_does_not_exist_is_said(play: Callable[..., Any]) -> None:
    _, home = play(Scenario("r").says("First."))
    unknown = "11111111-1111-4111-8111-111111111111"
    async with Running(home, resume=unknown) as run:
        lost = await run.ended()
    assert (lost.kind, lost.reason) == (Problem.NO_CONVERSATION, unknown)
    assert run.session.state is SessionState.FAILED
