"""Tickets become sessions, ask, wait without a process, go on, stop and end."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent.claude.connection import Connection
from ccq_tui.inbox.kinds import parse_outcome
from ccq_tui.inbox.requests import call_of
from ccq_tui.service import segment as segment_module
from ccq_tui.service import service as service_module
from ccq_tui.service.policy import Repository
from ccq_tui.service.run import Happened, RunState
from ccq_tui.service.service import Service
from ccq_tui.service.tokens import page_key
from ccq_tui.testing.scenario import Scenario
from tests.actors import PANEL
from tests.agent.killed.process import running_below
from tests.agent.running import Play
from tests.agent.service.postgres import MISSING, fresh, postgres, programs
from tests.agent.service.stage import serving
from tests.agent.test_runtime import DATABASE
from tests.steps import step, until_true
from tests.unit.worktrees.repositories import run

OVER = (RunState.ENDED, RunState.FAILED)
NEEDS_POSTGRES = pytest.mark.skipif(programs() is None, reason=MISSING)
COMMIT = "git add made && git commit -qm Made"


async def test_a_ticket_asks_waits_without_a_process_and_ends_with_a_branch(
    play: Play, repo: Path, tmp_path: Path
) -> None:
    run(tmp_path, "clone", "--quiet", "--bare", str(repo), "origin.git")
    run(repo, "remote", "add", "origin", str(tmp_path / "origin.git"))
    scenario = Scenario("day").says("Let me ask.").asks(DATABASE)
    scenario = scenario.runs("Bash", command=f"touch made && {COMMIT}", description="Make it")
    model, home = play(scenario.says("Made.").ends_turn().says("And more.").ends_turn())
    here = Repository(repo, base="main", push=True, allow=("creator",))
    async with serving(home, here) as one:
        with step("a message comes before its ticket, and twice"):
            assert await one.say("With care, please.") is None
            assert await one.say("With care, please.") is None
        with step("it asks, and no process waits"):
            made = await one.ticket()
            assert (await one.ticket()).id == made.id, "the same ticket again is the same run"
            waiting = await one.until(made, RunState.WAITING)
            assert not running_below(home.config, 5.0)
            assert "With care, please." in str(model.requests()[-1].body)
            assert one.recorded(made, Happened.REPORTED) == ["Let me ask."]
            (asked,) = await one.service.requests(waiting)
            assert one.recorded(made, Happened.ASKED)[0].startswith("Which database?")
    with step("everything is started again, and the inbox answers; first wins"):
        async with serving(home, here) as one:
            redis = parse_outcome(asked.request, {"answers": [{"selected": [2]}]})
            await one.service.inbox.settle(asked.request.id, redis, PANEL)
            permission = await until_true(lambda: one.service.requests(waiting))
            assert model.result(call_of(asked.request.id)).text.startswith(
                'Your questions have been answered: "Which database?"="Redis".'
            )
            await one.say("y")
            ended = await one.until(made, *OVER)
            assert ended.result == f"Made.\n\nBranch: `{ended.branch}` at origin"
            assert "Bash" in str(permission[0].request)
            assert run(tmp_path / "origin.git", "log", "--format=%s", "-1", ended.branch) == "Made"
            assert ended.id not in run(repo, "worktree", "list"), "all of it is pushed"
    with step("another message continues it, in a worktree of what was pushed"):
        async with serving(home, here) as one:
            await one.say("More!")
            ended = await one.until(made, *OVER, segment=ended.segment + 1)
            assert ended.result.startswith("And more.")
            assert len(one.recorded(made, Happened.ENDED)) == 2
            received = str(model.requests()[-1].body)
            assert [received.count(text) for text in ("Build it", "With care, please.", "More!")] == [1, 1, 1]


async def test_a_session_that_could_not_be_parked_is_parked_a_moment_later(
    play: Play, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    park, tries = Connection.park, 0

    async def comes_to_nothing_once(connection: Connection) -> bool:
        nonlocal tries
        tries += 1
        return tries > 1 and await park(connection)

    _model, home = play(Scenario("one").asks(DATABASE).says("Done.").ends_turn())
    monkeypatch.setattr(segment_module, "PARK_SECONDS", 0.5)
    monkeypatch.setattr(Connection, "park", comes_to_nothing_once)
    async with serving(home, repo) as one:
        await one.until(await one.ticket(), RunState.WAITING)
        assert tries == 2


async def test_a_question_whose_service_was_killed_before_it_was_kept_is_asked_and_nothing_is_prompted(
    play: Play, repo: Path
) -> None:
    model, home = play(Scenario("one").asks(DATABASE).says("Done.").ends_turn())
    async with serving(home, repo) as one:
        made = await one.until(await one.ticket(), RunState.WAITING)
        (asked,) = await one.service.requests(made)
    with closing(sqlite3.connect(home.root / "one" / "inbox.db")) as database, database:
        database.execute("DELETE FROM requests")
    (record,) = home.config.glob(f"projects/*/{made.session}.jsonl")
    lines = record.read_text("utf-8").splitlines(keepends=True)
    (call,) = [number for number, line in enumerate(lines) if '"tool_use"' in line and "parentUuid" in line]
    record.write_text("".join(lines[: call + 1]), "utf-8")
    async with serving(home, repo) as one:
        one.service.store.move(made, RunState.WORKING)
        await one.until(made, RunState.WAITING)
        (again,) = await one.service.requests(made)
        assert (call_of(again.request.id), len(model.requests())) == (call_of(asked.request.id), 1)
        redis = parse_outcome(again.request, {"answers": [{"selected": [2]}]})
        await one.service.inbox.settle(again.request.id, redis, PANEL)
        assert (await one.until(made, *OVER)).result.startswith("Done.")
        assert str(model.requests()[-1].body).count("[x] Redis") == 1


async def test_limits_of_work_and_of_a_permission(play: Play, repo: Path) -> None:
    scenario = (
        Scenario("slow").runs("Bash", command="touch made", description="Ask first").says("No.").ends_turn()
    )
    model, home = play(scenario)
    async with serving(home, repo, permission=0.5) as one:
        made = await one.ticket()
        assert "Nobody decided within" in (await one.until(made, *OVER)).result
    async with serving(home, repo, work=0.2) as one:
        model.begin(Scenario("work").hangs().says("Never.").ends_turn())
        made = await one.ticket("T-2")
        assert "the limit" in (await one.until(made, *OVER)).result


async def test_what_failed_is_tried_again_by_a_later_message_alone(
    play: Play, repo: Path, tmp_path: Path
) -> None:
    _model, home = play(Scenario("wrong").says("Never."))
    run(repo, "remote", "add", "origin", str(tmp_path / "gone.git"))
    async with serving(home, repo) as one:
        await one.say("With care.")
        made = await one.ticket()
        await one.until(made, RunState.FAILED)
        await one.say("Again.")
        await one.until(made, RunState.FAILED, segment=1)
        for _ in range(3):
            await one.service.advance(made)
        assert one.service.store.get(made.id).segment == 1


async def test_a_machine_that_is_gone_leaves_its_runs_to_another(play: Play, repo: Path) -> None:
    model, home = play(Scenario("first").asks(DATABASE).says("First.").ends_turn())
    async with serving(home, repo) as one:
        made = await one.ticket()
        await one.until(made, RunState.WAITING)
    async with serving(home, repo, machine="two") as two:
        model.begin(Scenario("second").says("Second.").ends_turn())
        (adopted,) = two.service.store.adopt("one", "two", ["repo"])
        assert (adopted.id, adopted.machine) == (made.id, "two")
        ended = await two.until(made, *OVER)
        assert ended.result.startswith("Second.")
        sent = str(model.requests()[-1].body)
        assert "Another machine worked on this before" in sent
        assert "asked: Which database?" in sent


async def test_a_message_that_claude_reads_while_it_works_brings_one_end(play: Play, repo: Path) -> None:
    work = Scenario("work").runs("Bash", command="until [ -e go ]; do sleep 0.1; done", description="Wait")
    model, home = play(work.says("Worked.").ends_turn())
    async with serving(home, Repository(repo, allowed_tools=("Bash",))) as one:
        made = await one.ticket()
        await until_true(lambda: one.recorded(made, Happened.REPORTED))
        await one.say("With care, please.")
        await until_true(lambda: len(one.service._segments.live[made.id]._sent) == 2)
        (Path(one.service.store.get(made.id).directory) / "go").touch()
        ended = await one.until(made, *OVER)
        assert str(model.requests()[-1].body).count("With care, please.") == 1
        assert not one.service.store.kept(ended)
        assert len(one.recorded(made, Happened.ENDED)) == 1


@pytest.mark.timeout(120)
async def test_a_stop_before_its_ticket_starts_nothing_and_an_ended_run_is_forgotten(
    play: Play, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_module, "FORGET_SECONDS", service_module.POLL_SECONDS)
    record, cuts = Service.record, [Happened.ENDED]

    async def record_or_fail(service: Service, run_id: str, kind: Happened, *more: Any) -> None:
        if kind in cuts:
            cuts.remove(kind)
            raise RuntimeError("cut off before it is recorded")
        await record(service, run_id, kind, *more)

    monkeypatch.setattr(Service, "record", record_or_fail)
    model, home = play(Scenario("later").says("Done after all.").ends_turn())
    async with serving(home, repo, keep=2.0) as one:
        assert await one.say("Stop", stop=True) is None
        stopped = await one.until(await one.ticket(), RunState.STOPPED)
        assert (stopped.session, model.requests()) == ("", [])
        assert one.recorded(stopped, Happened.ENDED) == ["Stopped. A message here continues it."]
        await one.say("Go on.")
        ended = await one.until(stopped, RunState.ENDED)
        store = one.service.store

        async def is_forgotten() -> bool:
            return not store.list() and not await one.service.inbox.run(
                lambda it: it.sessions.get(ended.session)
            )

        await until_true(is_forgotten)
        assert {one.kind for one in store.events(ended.id)} == {Happened.ACTED}


def back_up(to: Path, state: Path, runs: str, own: Sequence[Path]) -> None:
    """Copy all that docs/service.md names, while the service runs: the inbox last."""
    to.mkdir()
    shutil.copy(state / "service-key", to)
    for number, place in enumerate(own):
        shutil.copytree(place, to / str(number), symlinks=True)
    if runs.startswith("postgresql:"):
        subprocess.run([f"{programs()}/pg_dump", runs, "--file", to / "runs"], check=True)
    else:
        with closing(sqlite3.connect(runs)) as open_runs, closing(sqlite3.connect(to / "runs")) as copy:
            open_runs.backup(copy)
    words = [sys.executable, "-m", "ccq_tui", "inbox", "backup", to / "inbox.db"]
    subprocess.run(words, check=True, env=os.environ | {"XDG_STATE_HOME": str(state.parent)})


def destroy_and_restore(backup: Path, state: Path, runs: str, own: Sequence[Path]) -> None:
    for place in (*own, state):
        shutil.rmtree(place)
    state.mkdir(mode=0o700)
    for name in ("service-key", "inbox.db"):
        shutil.copy(backup / name, state)
    for number, place in enumerate(own):
        shutil.copytree(backup / str(number), place, symlinks=True)
    if runs.startswith("postgresql:"):
        subprocess.run([f"{programs()}/psql", "-q", runs, "-f", backup / "runs"], check=True)
    else:
        for old in Path(runs).parent.glob("runs.db*"):
            old.unlink()
        shutil.copy(backup / "runs", runs)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=NEEDS_POSTGRES)])
async def test_a_backup_taken_while_it_runs_is_restored_as_the_docs_say(
    play: Play, repo: Path, tmp_path: Path, kind: str
) -> None:
    model, home = play(Scenario("day").asks(DATABASE).says("Done.").ends_turn())
    state, own = home.root / "ccq-tui", (home.config, repo)
    with ExitStack() as stack:
        server = stack.enter_context(postgres(tmp_path)) if kind == "postgres" else ""
        before, after = (fresh(server), fresh(server)) if server else [str(home.root / "runs.db")] * 2
        async with serving(home, repo, machine=state.name, url=before if server else "") as one:
            key = page_key(state)
            made = await one.ticket()
            await one.until(made, RunState.WAITING)
            await asyncio.to_thread(back_up, tmp_path / "backup", state, before, own)
            await one.say("Stop", stop=True)  # later: it is lost
            await one.until(made, RunState.STOPPED)
        await asyncio.to_thread(destroy_and_restore, tmp_path / "backup", state, after, own)
        async with serving(home, repo, machine=state.name, url=after if server else "") as one:
            [known] = one.service.store.list()
            assert (known.id, known.state, page_key(state)) == (made.id, RunState.WAITING, key)
            await one.say("2")
            assert (await one.until(made, RunState.ENDED)).result.startswith("Done.")
            assert '"Which database?"="Redis"' in model.result("toolu_day_1").text
