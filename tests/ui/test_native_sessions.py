"""Sessions in Claude Code's own screen that wait are listed, and answered there."""

from __future__ import annotations

from pathlib import Path

from textual.pilot import Pilot

from ccq_tui.config.settings import Settings
from ccq_tui.inbox.session_groups import Group
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.screens.inbox.inbox_list import SessionPlace
from ccq_tui.screens.inbox.screen import InboxScreen
from ccq_tui.screens.overview import screen as overview
from ccq_tui.screens.overview.screen import OverviewScreen
from tests.steps import step
from tests.ui.host import Clock
from tests.ui.inboxed import Many, open_inbox, state_of
from tests.ui.running import running
from tests.ui.session import until
from tests.unit.bridges.native import ASKED, NativeSession, calls, ends, prompt, says


def waiting(home: Path) -> NativeSession:
    """Make a native session that waits at a question, whose record is read here and never written."""
    session = NativeSession(home / ".claude")
    session.write(prompt("go"), says("Let me ask."), calls("toolu_1", "AskUserQuestion", ASKED))
    session.stands("waiting", seconds_ago=60)
    return session


async def open_overview(pilot: Pilot[int], run: Many) -> OverviewScreen:
    await pilot.press("f5")
    await until(pilot, lambda: isinstance(run.app.screen, OverviewScreen))
    return run.app.screen


async def test_the_inbox_lists_them_and_says_where_they_are_answered(tmp_path: Path, home: Path) -> None:
    session = waiting(home)
    record = session.path.read_bytes()
    async with running(Many(tmp_path, clock=Clock()), size=(100, 24)) as (run, pilot):
        await open_inbox(pilot, run, 1)
        (row,) = run.inbox_screen.state.rows
        assert (row.place, row.session, row.directory, row.question) == (
            SessionPlace.THERE, "project · Claude Code", "/work/project", "Which database?",
        )  # fmt: skip
        with step("no key answers, declines, parks or goes to it"):
            for key in ("right", "enter", "ctrl+d", "p"):
                await pilot.press(key)
                await until(pilot, lambda: "Answer it there" in run.said())
                await pilot.press("f1", "escape")
                await until(pilot, lambda: isinstance(run.app.screen, InboxScreen))
            assert run.inbox_screen.panel is None
            assert run.inbox_screen.declining is None
        with step("it is copied"):
            await pilot.press("c")
            await until(pilot, lambda: "Which database?" in run.app.clipboard)
            assert "Question copied" in run.said()
        with step("what a hook asks of the same call takes its place, and can be answered"):
            await run.app.runtime.inbox.run(lambda store: store.requests.add(row.stored.request))
            await until(
                pilot, lambda: [one.place for one in run.inbox_screen.state.rows] == [SessionPlace.ASKER]
            )
            await pilot.press("right")
            await until(pilot, lambda: run.inbox_screen.panel)
            await pilot.press("escape")
            await until(pilot, lambda: run.inbox_screen.panel is None)
            assert await state_of(run, row.id) is RequestState.PENDING
        with step("once the hook is gone and the question answered there, it is listed no longer"):
            run.app.runtime.inbox.withdraw(row.id, "over")
            session.write(ends("toolu_1", "done"))
            session.stands("busy")
            await until(pilot, lambda: run.inbox_screen.state.rows == ())
    assert session.path.read_bytes().startswith(record)


async def test_the_overview_shows_them_and_the_settings_leave_them_out(tmp_path: Path, home: Path) -> None:
    session = waiting(home)
    async with running(Many(tmp_path), size=(100, 24)) as (run, pilot):
        shown = await open_overview(pilot, run)
        await until(pilot, lambda: len(shown.state.rows) == 2)
        card = next(one for one in shown.state.rows if one.place is SessionPlace.THERE)
        assert (card.session, card.group, card.last_line) == (
            "project · Claude Code", Group.NEEDS, "Which database?",
        )  # fmt: skip
        await pilot.press("home")
        assert shown.state.under == card
        for key in ("enter", "d", "r"):
            await pilot.press(key)
            assert overview.CLOSED[SessionPlace.THERE] in str(shown.query_one("NoticeLine").render())
        assert "answer it there" in str(shown.query_one("#overview-about").render())
    session.stands("waiting", seconds_ago=30)
    off = Many(tmp_path, settings=Settings(cwd=tmp_path, native_sessions=False))
    async with off.app.run_test(size=(100, 24)) as pilot:
        shown = await open_overview(pilot, off)
        await until(pilot, lambda: shown.feed.all_read)
        assert [one.place for one in shown.state.rows] == [SessionPlace.HERE]
