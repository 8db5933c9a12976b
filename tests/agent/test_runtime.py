"""Sessions live, park, are answered by another process, crash and come back, without any screen."""

import asyncio
import json
import os
import signal
import sqlite3
import sys
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.requests import Allowed, PermissionRequest, QuestionRequest, call_of
from ccq_tui.questions import Answer, Answered, Option, Question
from ccq_tui.runtime.launches import SessionSpec
from ccq_tui.runtime.limits import Due, LimitReached
from ccq_tui.runtime.person import Configured
from ccq_tui.runtime.runtime import Runtime
from ccq_tui.runtime.session import SupervisedSession
from ccq_tui.testing import CleanHome
from ccq_tui.testing.scenario import Scenario
from ccq_tui.worktrees.creation import planned
from tests.actors import PANEL
from tests.agent.running import LIMIT, EventLog, Play, alive, until_written
from tests.steps import step
from tests.unit.worktrees.repositories import repository

DATABASE = Question("Which database?", "Database", (Option("SQLite", "A file"), Option("Redis", "A server")))
COLOR = Question("Which color?", "Color", (Option("Red", "x"), Option("Blue", "y")))
REDIS = 'Your questions have been answered: "Which database?"="Redis".'


class House:
    """A runtime on the inbox of a clean home, and the processes of its sessions."""

    def __init__(self, home: CleanHome, *, most_live: int = 8) -> None:
        self.home = home
        self.pids: set[int] = set()
        self.program = ProgramArguments(environment=home.overrides(), state=state_of(home))
        first = Launch(
            settings=Settings(max_live_sessions=most_live, permission_mode="default"), program=self.program
        )
        self.runtime = Runtime(first, Configured([]))

    def open(self, **settings: Any) -> "WatchedSession":
        """Open a session and run it."""
        wanted = Settings(cwd=self.home.project, permission_mode="default", **settings)
        log = WatchedSession(self.runtime.add(Launch(settings=wanted, program=self.program)))
        log.session.start()
        return log

    def pid_of(self, received: "WatchedSession") -> int:
        """The process of a session; it is looked after the end."""
        connection = received.session.agent._connection  # type: ignore[attr-defined]
        self.pids.add(connection._pid)
        return int(connection._pid)


class WatchedSession(EventLog):
    """What a session told."""

    def __init__(self, session: SupervisedSession) -> None:
        super().__init__()
        self.session = session
        session.subscribe(self._take)

    async def state(self, state: ev.SessionState) -> None:
        """Wait until the session does something."""
        async with asyncio.timeout(LIMIT):
            while self.session.facts.state is not state:
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def house(home: CleanHome, **options: Any) -> AsyncIterator[House]:
    """Put a runtime together; nothing is left at the end."""
    one = House(home, **options)
    try:
        yield one
    finally:
        assert await one.runtime.close()
        assert not [pid for pid in one.pids if alive(pid)]
        assert not one.runtime._tasks


def state_of(home: CleanHome) -> Path:
    return home.home / ".local" / "state" / "ccq-tui"


async def other_process(home: CleanHome, *words: str, code: int = 0) -> str:
    """Run ccq-tui as another process, to its end; it must end with a code."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "ccq_tui", *words, env=home.env, cwd=home.project, stdout=PIPE, stderr=STDOUT
    )
    output, _ = await asyncio.wait_for(process.communicate(), LIMIT)
    assert process.returncode == code, output.decode()
    return output.decode()


def unread(home: CleanHome) -> list[tuple[str, list[str]]]:
    """The prompts on disk that Claude has not read, by their session."""
    with closing(sqlite3.connect(state_of(home) / "inbox.db")) as database:
        rows = database.execute("SELECT kept_for, body FROM prompts").fetchall()
    return [(kept_for, [one["text"] for one in json.loads(body)["sent"]]) for kept_for, body in rows]


async def test_a_day_without_a_screen(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    # A command of another process takes longer than that to start on a busy machine.
    monkeypatch.setattr("ccq_tui.runtime.runtime.IDLE_SECONDS", LIMIT)
    scenario = Scenario("day").asks(DATABASE).runs("Bash", command="touch made", description="Create it")
    scenario = scenario.says("Made.").ends_turn().asks(COLOR).says("Blue it is.").ends_turn()
    scenario = scenario.runs("Bash", command="touch more", description="Create more").says("Here again.")
    model, home = play(scenario.ends_turn().says("And again.").ends_turn())
    plan = planned(worktree_home(home), "night")
    async with house(home, most_live=1) as one:
        with step("a new session in a worktree, whose question another process answers"):
            spec = SessionSpec(home.project, "Build it", plan, labels={"ticket": "ABC-1"})
            log = WatchedSession(await one.runtime.open(spec))
            session = log.session
            asked = (await log.until(QuestionRequest)).request
            assert [one.request.id for one in session.waiting] == [asked.id]
            await other_process(home, "answer", asked.id, "--choose", "2")
            settled = await log.until(ev.RequestSettled)
            assert (settled.request_id, settled.outcome) == (asked.id, Answered((Answer(("Redis",)),)))
            name = session.facts.session_id
            listed = json.loads(await other_process(home, "sessions", "--label", "ticket=ABC-1", "--json"))
            assert [one["id"] for one in listed["sessions"]] == [name]
        with step("a permission is given"):
            permission = (await log.until(PermissionRequest)).request
            assert session.why_not_parkable.startswith("cannot be paused: it would lose the permission")
            await one.runtime.inbox.settle(permission.id, Allowed(), PANEL)
            await log.until(ev.TurnEnded)
            assert (plan.worktree.path / "made").is_file()
            assert model.result(call_of(asked.id)).text.startswith(REDIS)
            assert not session.waiting
        with step("another session waits for room"):
            second = one.open()
            assert second.session is one.runtime.sessions[1]
            await second.state(ev.SessionState.QUEUED)
        with step("a prompt of another process; its question is paused, the room is the other session's"):
            pid = one.pid_of(log)
            os.kill(pid, signal.SIGSTOP)
            sent = await other_process(home, "send", name[:8], "And the color?", "--json")
            result = {"kind": "send", "session": name, "result": "done", "words": "has the prompt"}
            assert json.loads(sent) == {"version": 1, "command": result}
            assert unread(home) == [(name, ["And the color?"])], "it survives a kill of this process"
            os.kill(pid, signal.SIGCONT)
            color = (await log.until(QuestionRequest, count=2)).request
            await log.until(ev.PromptRecorded, count=2)
            await one.runtime.inbox.run(lambda _: None)
            assert unread(home) == []
            assert "paused" in await other_process(home, "park", name)
            await log.state(ev.SessionState.PARKED)
            assert not alive(pid)
            await second.until(ev.Connected)
            one.pid_of(second)
            await second.session.end()
            one.runtime.forget(second.session)
            assert one.runtime.sessions == (session,)
        with step("answered by another process, it is woken, and gets the answer as the call's result"):
            await other_process(home, "answer", color.id, "--choose", "2")
            await log.until(ev.TurnEnded, count=3)  # the parked turn ended, too
            assert model.result(call_of(color.id)).text.startswith(
                'Your questions have been answered: "Which color?"="Blue".'
            )
            assert len(model.requests()) == 5
        with step("its next turn is interrupted by another process"):
            session.send("More")
            await log.until(PermissionRequest, count=2)
            assert await other_process(home, "interrupt", name) == "Build it · More is interrupted.\n"
            await log.until(ev.TurnEnded, count=4)
            refused = await other_process(home, "interrupt", name, code=2)
            assert refused == "Error: Build it · More is not interrupted: no turn runs in it.\n"
        with step("its process is killed, and it is started again"):
            await until_written(home, name, "Blue it is.")
            os.kill(one.pid_of(log), signal.SIGKILL)
            await log.until(ev.SessionLost, lambda lost: not lost.expected)
            assert session.facts.state is ev.SessionState.FAILED
            assert session.start_again() == 0
            assert session.facts.state is ev.SessionState.STARTING, "at once: nothing starts it twice"
            await log.until(ev.Reconnected)
            session.send("Still there?")
            await log.until(ev.TurnEnded, count=5)
            assert "Blue it is." in str(model.requests()[-1].body)
        with step("ended by another process, it takes no more prompts"):
            pid = one.pid_of(log)
            assert "has ended" in await other_process(home, "end", name)
            await log.state(ev.SessionState.ENDED)
            assert not alive(pid)
            refused = await other_process(home, "send", name, "Again", code=2)
            assert refused.endswith(f"is not running; ccq-tui resume {name} continues it.\n")
            assert "has no process" in await other_process(home, "end", name)
        with step("the inbox knows what it takes to go on"):
            one.runtime.forget(session)
            again = WatchedSession(await one.runtime.resume(name))
            await again.send("Once more").until(ev.TurnEnded)
            assert again.session.facts.cwd == plan.worktree.path
            one.pid_of(again)
        with step("ended for good, nothing wakes it"):
            await again.session.end()
            again.session.wake(answered=True)
            assert again.session.facts.state is ev.SessionState.ENDED
    assert any("is kept" in line for line in one.runtime.cleanup.parting), "it holds a new file"


def worktree_home(home: CleanHome) -> Path:
    """Make the project a repository."""
    home.project.rmdir()
    return repository(home.project)


async def test_the_example_runs(play: Play) -> None:
    scenario = Scenario("example").asks(DATABASE).runs("Bash", command="touch made", description="Create it")
    model, home = play(scenario.says("Made.").ends_turn())
    example = Path(__file__).parents[2] / "docs/examples/headless.py"
    worktree_home(home)
    process = await asyncio.create_subprocess_exec(
        sys.executable, example, home.project, "Build it", env=home.env, stdout=PIPE
    )
    request_id = (await asyncio.wait_for(process.stdout.readline(), LIMIT)).decode().strip()
    await other_process(home, "answer", request_id, "--choose", "2")
    printed = (await asyncio.wait_for(process.communicate(), LIMIT))[0].decode()
    assert "by ccq-tui answer" in printed
    assert "is kept, on branch" in printed
    assert "Nightly ended its turn: $" in printed
    assert model.result(call_of(request_id)).text.startswith(REDIS)


async def test_a_limit_parks_a_session_that_nobody_looks_at(play: Play) -> None:
    _model, home = play(Scenario("limit").asks(DATABASE).says("Thanks.").ends_turn())
    async with house(home) as one:
        received = one.open(park_after="1s")
        received.session.send("Build it")
        asked = (await received.until(QuestionRequest)).request
        reached = await received.until(LimitReached)
        assert (reached.limit.due, received.session.facts.state) == (Due.PARK, ev.SessionState.PARKED)
        assert [one.request.id for one in received.session.waiting] == [asked.id]
        name, inbox = received.session.facts.session_id, one.runtime.inbox
        rows = await inbox.run(lambda store: store.history.changes(session_id=name))
        states = [(row.became, row.cause) for row in rows if not row.request_id]
        assert ("awaiting", "told by the session") in states
        assert states[-1] == ("parked", "no answer for 1 s (park_after)")
        await inbox.settle(asked.id, Answered((Answer(("SQLite",)),)), PANEL)
        await received.until(ev.RequestSettled)
        await received.state(ev.SessionState.IDLE)
        one.pid_of(received)


async def test_reconnecting_after_a_refused_sign_in_makes_room_for_the_new_process(play: Play) -> None:
    scenario = Scenario("refused").fails(401, "invalid x-api-key").ends_turn().says("Here again.").ends_turn()
    _model, home = play(scenario, env={"CLAUDE_CODE_MAX_RETRIES": "0"})
    async with house(home, most_live=1) as one:
        received = one.open()
        await received.send("Build it").until(ev.TurnEnded)
        await received.state(ev.SessionState.IDLE)
        assert received.session.recovery.words == "F6 sign in"
        before = one.pid_of(received)
        received.session.take_offer()
        received.session.reconnect()
        await received.until(ev.Reconnected)
        assert not alive(before)
        await received.send("Go on.").until(ev.TurnEnded, count=2)
        one.pid_of(received)


@pytest.fixture
def soon_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ccq_tui.runtime.runtime.IDLE_SECONDS", 0.2)


@pytest.mark.usefixtures("soon_idle")
async def test_an_idle_process_gives_way_to_a_session_that_waits_for_one(play: Play) -> None:
    scenario = Scenario("one").asks(DATABASE).says("First.").ends_turn().says("Again.").ends_turn()
    model, home = play(scenario)
    async with house(home, most_live=1) as one:
        with step("what works or waits gives no way"):
            first = one.open()
            await first.state(ev.SessionState.IDLE)
            one.pid_of(first)
            first.session.send("One")
            asked = (await first.until(QuestionRequest)).request
            second = one.open()
            await second.state(ev.SessionState.QUEUED)
            assert first.session.facts.state is ev.SessionState.AWAITING
        with step("its turn ends, and nothing else keeps its process"):
            await one.runtime.inbox.settle(asked.id, Answered((Answer(("Redis",)),)), PANEL)
            await first.until(ev.IdleProcessEnded)
            assert first.session.facts.state is ev.SessionState.ENDED
            assert first.all(ev.TurnEnded)
            await second.state(ev.SessionState.IDLE)
            one.pid_of(second)
        with step("its next prompt resumes it, and one in which nothing was said yet gives way, too"):
            first.session.send("Two")
            await second.until(ev.IdleProcessEnded)
            name, inbox = second.session.facts.session_id, one.runtime.inbox
            assert await inbox.run(lambda store: store.sessions.get(name)) is None
            await first.until(ev.TurnEnded, count=2)
            line = json.dumps(model.requests()[-1].body)
            assert [text for text in ("One", "First.", "Two") if text in line] == ["One", "First.", "Two"]
        with step("that comes back with its first prompt"):
            second.session.send("Three")
            await first.until(ev.IdleProcessEnded, count=2)
            await second.until(QuestionRequest)
            line = json.dumps(model.requests()[-1].body)
            assert [text for text in ("First.", "Two", "Three") if text in line] == ["Three"]
    assert model.result(asked.tool_use_id).text.startswith(REDIS)
