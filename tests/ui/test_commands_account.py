"""/login and /logout lend the terminal to Claude Code, and say what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ccq_tui.agent.events import SessionLost, SessionState, StateChanged, TaskStarted
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from tests.ui.running import running
from tests.ui.session import Driven, until
from tests.ui.test_commands import EndingSession, notices, say


class LostSession(EndingSession):
    """A session that says that it is over once it was closed."""

    async def run(self) -> None:
        await super().run()
        self.tell(StateChanged(SessionState.ENDED))
        self.tell(SessionLost(self.cause, expected=True))


def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Driven:
    """Return the program with a stand-in for Claude Code, in a terminal that can be lent."""
    program = tmp_path / "claude"
    program.write_text(f"#!/bin/sh\nprintf '%s ' \"$@\" >> {tmp_path}/called\n{script}\n")
    program.chmod(0o755)
    driven = Driven(Launch(settings=Settings(cwd=tmp_path, cli_path=program)), LostSession)

    @contextmanager
    def suspend() -> Iterator[None]:
        yield

    monkeypatch.setattr(driven.app, "suspend", suspend)
    return driven


async def test_an_idle_session_starts_again_with_the_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(made(tmp_path, monkeypatch, "exit 0")) as (driven, pilot):
        await until(pilot, lambda: driven.screen.view.state is SessionState.IDLE)
        await say(pilot, driven, "/login")
        await until(pilot, lambda: len(driven.launches) == 2)
        assert "Signed in · the session restarts" in notices(driven)
        await until(pilot, lambda: driven.screen.view.state is SessionState.IDLE)
    assert (tmp_path / "called").read_text() == "auth login "


async def test_a_session_at_work_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(made(tmp_path, monkeypatch, "exit 0")) as (driven, pilot):
        await until(pilot, lambda: driven.screen.view.state is SessionState.IDLE)
        driven.told.tell(TaskStarted("t1", "", "npm run dev", background=True))
        await until(pilot, lambda: driven.screen.view.tasks)
        await say(pilot, driven, "/login")
        await until(pilot, lambda: notices(driven).count("uses the account from its next start on") == 1)
        driven.told.tell(StateChanged(SessionState.WORKING))
        await until(pilot, lambda: driven.screen.view.state is SessionState.WORKING)
        await say(pilot, driven, "/login")
        await until(pilot, lambda: notices(driven).count("uses the account from its next start on") == 2)
        await say(pilot, driven, "/logout")
        await until(pilot, lambda: "Signed out" in notices(driven))
        assert len(driven.launches) == 1
    assert (tmp_path / "called").read_text() == "auth login auth login auth logout "


async def test_a_failure_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(made(tmp_path, monkeypatch, "exit 3")) as (driven, pilot):
        await until(pilot, lambda: driven.screen.view.state is SessionState.IDLE)
        await say(pilot, driven, "/login")
        await until(pilot, lambda: "Claude Code ended with exit code 3" in notices(driven))
        (tmp_path / "claude").unlink()
        await say(pilot, driven, "/logout")
        await until(pilot, lambda: "cannot be started: No such file" in notices(driven))
        assert len(driven.launches) == 1


@pytest.mark.parametrize("end", ["exit 130", "kill -INT $$"])
async def test_ctrl_c_cancels_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    async with running(made(tmp_path, monkeypatch, end)) as (driven, pilot):
        await until(pilot, lambda: driven.screen.view.state is SessionState.IDLE)
        await say(pilot, driven, "/login")
        await until(
            pilot, lambda: "/login was cancelled · nothing changed" in driven.screen.dock.notices.text
        )
        assert "failed" not in notices(driven)
        assert len(driven.launches) == 1
