"""The list of sessions to resume, in a session and before the first one."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from ccq_tui.agent.options import SessionOptions
from ccq_tui.agent.reader import EarlierSession, ReaderError
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.processes import this_process
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.screens.pickers import Picker, SessionPicker, sessions
from tests.ui.drawn import screen_text
from tests.ui.running import running
from tests.ui.session import Driven, until

DOCS = EarlierSession(
    "bbbb-2", "Write the docs", 0.0, "docs", "", (("user", "Write them"), ("assistant", "Which tone?"))
)
LOGIN = EarlierSession("aaaa-1", "Fix the login", 0.0, "main", "", (("user", "It is broken"),))


class Kept:
    """Claude Code's sessions as a test has them, and what was done with them."""

    def __init__(self, *here: EarlierSession) -> None:
        self.here = list(here)
        self.elsewhere: list[EarlierSession] = []
        self.deleted: list[str] = []
        self.broken = False

    async def list(self, _options: SessionOptions, *, everywhere: bool = False) -> tuple[EarlierSession, ...]:
        if self.broken:
            raise ReaderError("it took longer than 30 seconds")
        return (*self.here, *(self.elsewhere if everywhere else ()))

    async def rename(self, _options: SessionOptions, session_id: str, title: str) -> None:
        self.here = [
            EarlierSession(one.session_id, title, one.modified, one.branch)
            if one.session_id == session_id
            else one
            for one in self.here
        ]

    async def delete(self, _options: SessionOptions, session_id: str) -> Path:
        self.deleted.append(session_id)
        self.here = [one for one in self.here if one.session_id != session_id]
        return Path(f"{session_id}.jsonl")


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Kept:
    kept = Kept(LOGIN, DOCS)
    monkeypatch.setattr(sessions, "earlier_sessions", kept.list)
    monkeypatch.setattr(sessions, "rename_earlier", kept.rename)
    monkeypatch.setattr(sessions, "delete_earlier", kept.delete)
    return kept


def started(tmp_path: Path, **more: Any) -> Driven:
    return Driven(
        Launch(
            settings=Settings(cwd=tmp_path),
            program=ProgramArguments(choose=True, state=tmp_path / "state"),
            **more,
        )
    )


async def listed(pilot: Pilot[int], run: Driven) -> SessionPicker:
    await until(pilot, lambda: isinstance(run.app.screen, SessionPicker) and run.app.screen.state.rows)
    run.clock.skip(1.0)  # its rows came just now
    return run.app.screen


async def stock(path: Path) -> None:
    """Leave a question waiting in the docs' session, and the other session running here."""
    inbox = Inbox.begin(path)
    question = Question("Which tone?", "Tone", (Option("Dry", "a"), Option("Warm", "b")))
    request = QuestionRequest("toolu_1", "bbbb-2", QuestionSet("toolu_1", (question,)))
    await inbox.run(lambda store: store.requests.add(request))
    await inbox.run(lambda store: store.sessions.claim("aaaa-1", this_process()))
    await inbox.close()


async def test_a_session_is_found_by_typing_and_gone_on_with(kept: Kept, tmp_path: Path) -> None:
    run = started(tmp_path, prompt="Go on")
    await asyncio.to_thread(lambda: asyncio.run(stock(tmp_path / "state" / "inbox.db")))
    async with run.app.run_test(size=(80, 24)) as pilot:
        shown = await listed(pilot, run)
        assert run.launches == []
        await pilot.press(*"docs")
        assert [row.value for row in shown.state.shown] == ["bbbb-2"]
        assert "? 1" in shown.state.shown[0].right
        await until(
            pilot, lambda: "? Which tone?" in screen_text(run.app) and "● Which tone?" in screen_text(run.app)
        )
        await pilot.press("enter")
        await until(pilot, lambda: run.launches)
        launch = run.launches[0]
        assert (launch.resume, launch.fork, launch.prompt) == ("bbbb-2", False, "Go on")


async def test_a_session_that_runs_is_not_deleted(kept: Kept, tmp_path: Path) -> None:
    run = started(tmp_path)
    await asyncio.to_thread(lambda: asyncio.run(stock(tmp_path / "state" / "inbox.db")))
    async with run.app.run_test(size=(80, 24)) as pilot:
        shown = await listed(pilot, run)
        await until(pilot, lambda: "open" in shown.state.rows[0].right)
        await pilot.press("ctrl+d")
        await until(pilot, lambda: "close it there first" in shown.notice)
        assert kept.deleted == []


async def test_deleting_asks_and_keeps_at_first(kept: Kept, tmp_path: Path) -> None:
    async with running(started(tmp_path)) as (run, pilot):
        shown = await listed(pilot, run)
        for keys, left in ((("enter",), ["aaaa-1", "bbbb-2"]), (("down", "enter"), ["bbbb-2"])):
            await pilot.press("ctrl+d")
            await until(pilot, lambda: isinstance(run.app.screen, Picker) and run.app.screen is not shown)
            assert "Fix the login" in run.app.screen.heading
            await pilot.press(*keys)
            await until(pilot, lambda: run.app.screen is shown)
            await until(pilot, lambda left=left: [row.value for row in shown.state.rows] == left)
            run.clock.skip(1.0)  # it was covered until just now
        assert kept.deleted == ["aaaa-1"]


async def test_a_session_gets_another_title_and_esc_keeps_the_old_one(kept: Kept, tmp_path: Path) -> None:
    async with running(started(tmp_path)) as (run, pilot):
        shown = await listed(pilot, run)
        await pilot.press("ctrl+r", *" x", "escape")
        assert [row.label for row in shown.state.rows] == ["Fix the login", "Write the docs"]
        await pilot.press("ctrl+r", "ctrl+u", *"Login", "enter")
        await until(pilot, lambda: [row.label for row in shown.state.rows] == ["Login", "Write the docs"])
        assert shown.state.filter == ""


async def test_a_session_of_another_directory_is_forked_there(kept: Kept, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    kept.elsewhere = [EarlierSession("cccc-3", "Elsewhere", 0.0, "", str(there))]
    async with running(started(tmp_path), size=(100, 24)) as (run, pilot):
        shown = await listed(pilot, run)
        await pilot.press("ctrl+a")
        await until(pilot, lambda: len(shown.state.rows) == 3)
        await pilot.press(*"else", "ctrl+f")
        await until(pilot, lambda: run.launches)
        launch = run.launches[0]
        assert (launch.resume, launch.fork, launch.settings.directory) == ("cccc-3", True, there)


async def test_leaving_the_first_list_ends_the_program(kept: Kept, tmp_path: Path) -> None:
    kept.here = []
    async with running(started(tmp_path)) as (run, pilot):
        await until(pilot, lambda: "No other session of this directory" in screen_text(run.app))
        await pilot.press("enter", "ctrl+d", "ctrl+f", "ctrl+r", "escape")
        await until(pilot, lambda: run.app.return_code == 0)
        assert run.launches == []


async def test_sessions_that_cannot_be_read_are_said_so(kept: Kept, tmp_path: Path) -> None:
    kept.broken = True
    async with running(started(tmp_path)) as (run, pilot):
        await until(pilot, lambda: "longer than 30 seconds" in screen_text(run.app))
