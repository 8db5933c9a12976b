"""/cd: a session goes on in another directory."""

from __future__ import annotations

import json
from pathlib import Path

from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.events import ModeChanged, PromptDelivered, SessionState, StateChanged, TaskStarted
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from ccq_tui.screens.pickers import Picker
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.trust import TrustScreen
from tests.steps import step
from tests.ui.host import press_later
from tests.ui.running import running
from tests.ui.session import Driven, until
from tests.ui.test_commands import say
from tests.ui.test_sessions import Several

MOVED = {"status": "ok", "cwd": "/", "changed": True, "transcript_relocated": True}


def noticed(run: Driven) -> str:
    return str(run.session_screen.transcript.model.blocks)


def moves(run: Several) -> list[dict[str, object]]:
    """The wishes to move that the first session's Claude was asked."""
    return [dict(fields) for subtype, fields in run.all[0].asked if subtype == "set_cwd"]


async def test_a_session_goes_on_in_another_directory_with_its_mode(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    async with running(Several(Launch(settings=Settings(cwd=tmp_path))), size=(100, 30)) as (run, pilot):
        run.told.tell(PromptDelivered("p1"))
        run.told.tell(ModeChanged("plan"))
        run.told.replies["set_cwd"] = {"status": "needs_trust", "directory": str(there)}
        await until(pilot, lambda: run.session_screen.view.mode == "plan")
        with step("Claude Code does not trust it: one stays, or trusts it"):
            await say(pilot, run, "/cd there")
            await until(pilot, lambda: isinstance(run.app.screen, Picker))
            await press_later(pilot, "enter")
            await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))
            assert (len(run.all), run.told.closed) == (1, False)
            await say(pilot, run, "/cd there")
            await until(pilot, lambda: isinstance(run.app.screen, Picker))
            run.told.replies["set_cwd"] = MOVED
            await press_later(pilot, "down", "enter")
        with step("its record is moved, then it starts there in its mode"):
            await until(pilot, lambda: len(run.all) == 2 and isinstance(run.app.screen, SessionScreen))
            asked = {"path": str(there)}
            trusted = {"trust_accepted": True, "trusted_directory": str(there)}
            assert moves(run) == [asked, asked, asked | trusted]
            assert run.all[0].closed
            launch = run.launches[1]
            assert (launch.settings.directory, launch.resume) == (there, "id-1")
            assert launch.settings.permission_mode == "plan"
            await until(pilot, lambda: "works in" in run.session_screen.dock.notices.text)
            assert run.session_screen.view.cwd == there
            assert len(run.app.sessions) == 1


async def test_what_a_directory_carries_is_trusted_before_claude_code_goes_there(tmp_path: Path) -> None:
    there = tmp_path / "there"
    (there / ".claude").mkdir(parents=True)
    settings = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}
    (there / ".claude" / "settings.json").write_text(json.dumps(settings))
    run = Several(Launch(settings=Settings(cwd=tmp_path), program=ProgramArguments(flags={"cwd": tmp_path})))
    async with run.app.run_test(size=(100, 30)) as pilot:
        run.told.tell(PromptDelivered("p1"))
        run.told.replies["set_cwd"] = MOVED
        await until(pilot, lambda: run.session_screen.view.session_id)
        said = ("", "/new opens a session there without it")
        for letter, words in zip("nd", said, strict=True):
            await say(pilot, run, "/cd there")
            await until(pilot, lambda: isinstance(run.app.screen, TrustScreen))
            await press_later(pilot, letter)
            await press_later(pilot, "enter")
            await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))
            await until(pilot, lambda words=words: words in noticed(run))  # type: ignore[misc]
            assert (moves(run), len(run.all)) == ([], 1)
        await say(pilot, run, "/cd there")
        await until(pilot, lambda: isinstance(run.app.screen, TrustScreen))
        await press_later(pilot, "y")
        await press_later(pilot, "enter")
        await until(pilot, lambda: len(run.all) == 2)
        assert moves(run) == [{"path": str(there)}]


async def test_a_session_without_a_turn_begins_anew_there(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    async with running(Several(Launch(settings=Settings(cwd=tmp_path))), size=(100, 30)) as (run, pilot):
        await until(pilot, lambda: run.session_screen.view.state is SessionState.IDLE)
        await say(pilot, run, "/cd there")
        await until(pilot, lambda: len(run.all) == 2)
        assert (moves(run), run.launches[1].resume) == ([], "")
        assert run.launches[1].settings.directory == tmp_path / "there"


async def test_a_session_stays_where_it_cannot_move(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    async with running(Several(Launch(settings=Settings(cwd=tmp_path))), size=(100, 30)) as (run, pilot):
        run.told.tell(PromptDelivered("p1"))
        await until(pilot, lambda: run.session_screen.view.state is SessionState.IDLE)
        with step("there is no such directory, or it is there"):
            await say(pilot, run, "/cd nowhere")
            await until(pilot, lambda: "no directory nowhere" in noticed(run))
            await say(pilot, run, "/cd .")
            await until(pilot, lambda: "works in" in run.session_screen.dock.notices.text)
            await say(pilot, run, "/cd")
            assert run.session_screen.dock.prompt.text == "/cd "
        with step("Claude Code refuses"):
            run.told.replies["set_cwd"] = {"status": "rejected", "message": "A rule forbids it."}
            await say(pilot, run, "/cd there")
            await until(pilot, lambda: "/cd failed: A rule forbids it." in noticed(run))
            run.told.replies["set_cwd"] = CommandError("It did not answer")
            await say(pilot, run, "/cd there")
            await until(pilot, lambda: "/cd failed: It did not answer" in noticed(run))
            count = len(moves(run))
        with step("something runs that would end"):
            run.told.tell(TaskStarted("t1", "", "Watch", background=True))
            await say(pilot, run, "/cd there")
            await until(pilot, lambda: "background work would end" in noticed(run))
            run.told.tell(StateChanged(SessionState.WORKING))
            await until(pilot, lambda: run.session_screen.view.busy)
            await say(pilot, run, "/cd there")
            await until(pilot, lambda: "Claude is working" in noticed(run))
        assert (len(moves(run)), len(run.all)) == (count, 1)
