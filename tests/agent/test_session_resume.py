"""Going on with a session: what was said is there, and goes on under the right id."""

import os
from typing import Any
from uuid import uuid4

from ccq_tui.agent import events as ev
from ccq_tui.agent.problems import Problem
from ccq_tui.agent.session import LEFTOVER_ENDED, NO_EARLIER_SESSION
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import OPEN_HERE
from ccq_tui.inbox.requests import PermissionRequest, QuestionRequest
from ccq_tui.processes import Owner, this_process
from ccq_tui.questions import Answer, Answered
from ccq_tui.testing import CleanHome, ScriptedModel
from ccq_tui.testing.scenario import Scenario
from ccq_tui.transcript.model import TranscriptModel
from tests.agent.row import Row
from tests.agent.running import DATABASE, Play, Running, inbox_at, until_written, written
from tests.steps import step
from tests.unit.agent.test_guard import start
from tests.unit.transcript.test_drawing import shown

SCENARIO = Scenario("r").says("First.").asks(DATABASE).says("Settled.").ends_turn().says("Later.")


async def row(inbox: Inbox, session_id: str) -> Any:
    """Return what the inbox keeps of a session, if it keeps anything."""
    return await inbox.run(lambda store: store.sessions.get(session_id))


async def test_a_session_is_begun_forked_and_gone_on_with(play: Play) -> None:
    model, home = play(SCENARIO)
    with step("continue without a past begins anew"):
        session_id = await it_begins_anew(home)
    with step("continue takes the last session of the directory, and fork leaves it"):
        await it_is_continued_and_forked(home, session_id)
    async with inbox_at(home.home / "inbox") as inbox:
        program, _pid = start(f"--resume={session_id}")
        with step("it goes on here alone, and what a killed program left is ended"), program:
            program.wait(10)
            async with Running(home, inbox, resume=session_id) as run:
                await it_shows_its_past_and_goes_on(run, model, session_id)
                assert infos(run) == [LEFTOVER_ENDED]
                kinds = [type(event) for event in run.events]
                assert kinds.index(ev.NoticeGiven) > kinds.index(ev.HistoryLoaded), (
                    "it is below what was said"
                )
                async with Running(home, inbox, resume=session_id) as second:
                    assert (await second.ended()).reason == OPEN_HERE
                assert (await row(inbox, session_id)).owner == this_process()
            assert (await row(inbox, session_id)).owner is None, "it is given back with the end"
        other = Owner(os.getppid())
        assert await inbox.run(lambda store: store.sessions.claim(session_id, other)) is None
        with step("a session that another process runs starts nothing"):
            await a_session_that_another_process_runs_starts_nothing(home, inbox, session_id, other)
        with step("a copy is nobody's, and an id that another process was given is begun once"):
            await a_copy_is_begun_once_under_a_given_id(home, inbox, session_id, other)


async def it_begins_anew(home: CleanHome) -> str:
    async with Running(home, continue_last=True) as run:
        await run.until(ev.Connected)
        assert run.one(ev.NoticeGiven).text == NO_EARLIER_SESSION
        await run.send("Build it").until(QuestionRequest)
        await run.answer("toolu_r_1", Answered((Answer(("SQLite",), note="a file will do"),))).idle()
        assert [event.text for event in run.all(ev.BlockFinished)] == ["First.", "Settled."]
        await run.session.rename("The API")
        assert run.one(ev.TitleChanged) == ev.TitleChanged("The API")
        return run.session.session_id


async def it_is_continued_and_forked(home: CleanHome, session_id: str) -> None:
    async with Running(home, continue_last=True, fork=True) as run:
        connected = await run.until(ev.Connected)
        assert connected.session_id != session_id
        past = run.one(ev.HistoryLoaded)
        assert len(past.events) == 7
        assert past.title == "Fork of The API"
        await run.send("Go on").idle()
        assert run.session.session_id == connected.session_id
    stored = {path.stem: path for path in (home.config / "projects").glob("*/*.jsonl")}
    assert set(stored) == {session_id, connected.session_id}
    assert '"customTitle":"Fork of The API"' in stored[connected.session_id].read_text(encoding="utf-8")


async def it_shows_its_past_and_goes_on(run: Running, model: ScriptedModel, session_id: str) -> None:
    await run.until(ev.Connected)
    history = run.one(ev.HistoryLoaded)
    assert (history.title, history.first_prompt) == ("The API", "Build it")
    assert [type(event) for event in history.events] == [
        ev.PromptAccepted,
        ev.BlockFinished,
        ev.ToolStarted,
        ev.RequestAsked,
        ev.RequestSettled,
        ev.ToolFinished,
        ev.BlockFinished,
    ]
    prompt, reply, started, asked, answered, finished, settled = history.events
    assert prompt.text == "Build it"
    assert reply.text == "First."
    assert finished.tool == started.tool == "AskUserQuestion"
    assert '"Which database?"="SQLite"' in finished.output
    assert asked.request.session_id == session_id
    assert asked.request.questions.questions == (DATABASE,)
    assert answered.outcome == Answered((Answer(("SQLite",), note="a file will do"),))
    assert answered.at is not None
    assert run.inbox.pending == ()
    assert settled.text == "Settled."
    assert run.session.session_id == session_id
    await run.send("Go on").idle()
    assert run.session.session_id == session_id
    assert [event.text for event in run.all(ev.BlockFinished)] == ["Later."]
    ended = run.one(ev.TurnEnded)
    # What it cost before its first turn here is not that turn's.
    assert 0 < ended.turn_cost < ended.cost  # type: ignore[operator]
    texts = str(model.requests()[-1].body["messages"])
    assert "Build it" in texts
    assert "Settled." in texts


async def a_session_that_another_process_runs_starts_nothing(
    home: CleanHome, inbox: Inbox, session_id: str, other: Owner
) -> None:
    for options in ({"resume": session_id}, {"continue_last": True}):
        before = written(home, session_id)
        run = await it_is_left_to(other, home, inbox, **options)
        assert run.state is ev.SessionState.PARKED, "it can be tried again"
        assert run.all(ev.HistoryLoaded) == []
        assert written(home, session_id) == before, "nothing is mended in another process's record"


async def a_copy_is_begun_once_under_a_given_id(
    home: CleanHome, inbox: Inbox, original: str, other: Owner
) -> None:
    wanted = str(uuid4())
    assert await inbox.run(lambda store: store.sessions.claim(wanted, other)) is None
    for options in ({}, {"resume": original, "fork": True}):
        await it_is_left_to(other, home, inbox, chosen_id=wanted, **options)
    await inbox.run(lambda store: store.sessions.release(wanted, other))
    async with Running(home, inbox, chosen_id=wanted, resume=original, fork=True) as run:
        assert (await run.until(ev.Connected)).session_id == wanted
        assert (await row(inbox, wanted)).owner == this_process()


async def it_is_left_to(other: Owner, home: CleanHome, inbox: Inbox, **options: Any) -> Running:
    """Start a session that another process runs, which must start nothing and give the prompt back."""
    async with Running(home, inbox, **options) as run:
        lost = await run.send("Mine?").ended()
    assert (lost.kind, lost.reason) == (Problem.RUNS_ELSEWHERE, f"process {other.pid} runs it")
    assert run.one(ev.PromptReturned).text == "Mine?"
    assert run.all(ev.Connected) == []
    assert run.session._connection is None
    return run


def infos(run: Running) -> list[str]:
    return [event.text for event in run.all(ev.NoticeGiven) if event.level == "info"]


async def test_a_resume_shows_what_was_compacted_and_what_a_kill_ended(row: Row) -> None:
    await row.play(
        what_was_before_a_compaction_is_shown_above_it, what_ran_or_waited_in_a_killed_process_has_ended
    )


async def what_ran_or_waited_in_a_killed_process_has_ended(row: Row) -> None:
    scenario = Scenario("b").runs("Bash", command="sleep 300", description="Wait", run_in_background=True)
    scenario = scenario.says("It runs.").ends_turn().runs("Write", file_path="a.txt", content="a")
    run = await row.begin(scenario.says("Written.").ends_turn().says("I write it again."))
    await run.send("Begin").until(ev.TurnEnded)
    session_id = run.session.session_id
    await run.send("Write it").until(PermissionRequest)
    await until_written(row.home, session_id, '"toolu_b_2"')
    await run.killed()
    run = await row.start(session_id)
    await run.until(ev.HistoryLoaded)
    cut_off = await run.until(ev.ErrorReported)
    model = TranscriptModel()
    for event in run.events:
        model.apply(event)
    assert not model.ticking
    drawn = shown(model, 120)
    assert "■ Write a.txt · stopped" in drawn
    assert cut_off.text.startswith("Never ran, permission withdrawn as the process ended: Write ")
    assert f"⚠ {cut_off.text}" in drawn


async def what_was_before_a_compaction_is_shown_above_it(row: Row) -> None:
    scenario = Scenario("c")
    for number in ("One", "Two", "Three", "Four"):
        scenario = scenario.says(f"{number} it is.").ends_turn()
    run = await row.begin(scenario)
    for count, prompt in enumerate(("one", "/compact", "two", "/compact", "three"), start=1):
        await run.send(prompt).idle(count)
    run = await row.start(run.session.session_id, allowed_tools=("Bash",))
    past = (await run.until(ev.HistoryLoaded)).events
    texts = [
        "compacted" if isinstance(event, ev.Compacted) else event.text
        for event in past
        if isinstance(event, ev.Compacted | ev.PromptAccepted | ev.BlockFinished)
    ]
    assert texts == [
        *("one", "One it is.", "compacted", "/compact", "two", "Two it is."),
        *("compacted", "/compact", "three", "Three it is."),
    ]
