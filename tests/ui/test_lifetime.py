"""Delayed work: it is done while its owner lives, and comes to nothing afterwards."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.pilot import Pilot
from textual.widgets import Static
from textual.worker import WorkerState

from ccq_tui import theming
from ccq_tui.agent import events as ev
from ccq_tui.inbox.requests import PlanRequest
from ccq_tui.widgets.lifetime import after, after_refresh, soon, start_work
from ccq_tui.widgets.notice_line import NoticeLine
from tests.ui.host import press_later
from tests.ui.inboxed import Many
from tests.ui.running import running
from tests.ui.session import permission

ENDINGS = 8


class Noticing(App[None]):
    """A line that notices pass on."""

    def compose(self) -> ComposeResult:
        yield NoticeLine()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theming.variable_defaults()


@asynccontextmanager
async def busy(line: NoticeLine) -> AsyncIterator[None]:
    """Keep a widget from taking its messages for as long as this is open."""
    done, begun = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await done.wait()

    line.call_next(work)
    async with asyncio.timeout(10):
        await begun.wait()
    try:
        yield
    finally:
        done.set()


async def due(line: NoticeLine, calls: int) -> None:
    """Wait until so many calls wait for a busy widget."""
    async with asyncio.timeout(10):
        while len(line._next_callbacks) < calls:  # noqa: ASYNC110 (a queue calls nobody)
            await asyncio.sleep(0.001)


async def test_the_end_of_a_notice_does_not_end_the_next_one() -> None:
    async with running(Noticing()) as (app, pilot):
        line = app.query_one(NoticeLine)
        async with busy(line):
            line.say("first", seconds=0)
            await due(line, 1)
            line.say("second")
        await pilot.pause()
        assert line.text == "second"


# -- owners that end ----------------------------------------------------------------------------------------


class Leaving(Static):
    """Does something as it is unmounted, and waits until that is due: its owner has no child from then on."""

    def __init__(self, then: Callable[[], object]) -> None:
        super().__init__("leaving")
        self._then = then

    async def on_unmount(self) -> None:
        self._then()
        for _ in range(5):
            await asyncio.sleep(0)


class Owner(Vertical):
    """Touches its child later, in each of the ways there are."""

    def __init__(self) -> None:
        super().__init__()
        self.touched: list[str] = []
        self.go = asyncio.Event()
        self.ending = False

    def compose(self) -> ComposeResult:
        yield Leaving(self._child_gone)

    def touch(self, way: str) -> None:
        self.query_one(Leaving)
        self.touched.append(way)

    async def work(self) -> None:
        await self.go.wait()
        while self.ending and self.children:  # noqa: ASYNC110 (nobody says when they are gone)
            await asyncio.sleep(0)
        self.touch("work")

    def _child_gone(self) -> None:
        after(self, 0, lambda: self.touch("after"))
        soon(self, lambda: self.touch("soon"))
        after_refresh(self, lambda: self.touch("after_refresh"))
        self.ending = True
        self.go.set()


class Owning(App[None]):
    def compose(self) -> ComposeResult:
        yield Owner()


async def test_an_owner_that_lives_is_called_back_in_each_way() -> None:
    async with running(Owning()) as (app, pilot):
        owner = app.query_one(Owner)
        worker = start_work(owner, owner.work, name="touch")
        after(owner, 0, lambda: owner.touch("after"))
        soon(owner, lambda: owner.touch("soon"))
        after_refresh(owner, lambda: owner.touch("after_refresh"))
        owner.go.set()
        await worker.wait()
        async with asyncio.timeout(10):
            while len(owner.touched) < 4:
                await pilot.pause()
        assert sorted(owner.touched) == ["after", "after_refresh", "soon", "work"]


@pytest.mark.parametrize("way", ["remove", "exit"])
async def test_an_owner_that_has_ended_is_not_called_back(way: str, caplog: pytest.LogCaptureFixture) -> None:
    app = Owning()
    with caplog.at_level(logging.INFO, logger="ccq_tui"):
        async with app.run_test() as pilot:
            owner = app.query_one(Owner)
            worker = start_work(owner, owner.work, name="touch")
            after_refresh(owner, lambda: owner.touch("after_refresh"))
            await pilot.pause()
            owner.touched.clear()
            if way == "remove":
                await owner.remove()
                await pilot.pause()
            else:
                app.exit()
        assert app._exception is None
    assert owner.touched == []
    assert worker.state in (WorkerState.SUCCESS, WorkerState.CANCELLED)


async def test_work_that_fails_while_its_owner_lives_is_told() -> None:
    async def fail() -> None:
        raise ValueError("failed")

    async with running(Owning()) as (app, pilot):
        worker = start_work(app, fail, name="failing")
        async with asyncio.timeout(10):
            while not worker.is_finished:
                await pilot.pause()
        assert worker.state is WorkerState.ERROR
        assert isinstance(worker.error, ValueError)


# -- the program, ended at any moment -----------------------------------------------------------------------


async def used(run: Many, pilot: Pilot[int]) -> None:
    """Use what delays something: panels that open and close, notices, lists, searches, other screens."""
    session = run.all[0]
    asking = asyncio.ensure_future(session.ask_person())
    try:
        for keys in (
            ("h", "/", "m", "escape"),
            ("ctrl+u", "@", "a", "escape", "ctrl+u"),
            ("f2",),
            ("down", "o", "x", "enter"),
            ("f2", "f2"),
            ("escape",),
            ("f5", "slash", "a", "escape", "escape"),
            ("f1", "a", "escape"),
            ("ctrl+f", "a", "escape"),
        ):
            session.tell(ev.BlockGrew(ev.BlockKey("m1", 0), ev.BlockKind.TEXT, "some words " * 5))
            await pilot.press(*keys)
            run.clock.skip(1.0)
            await asyncio.sleep(0)
        session.tell(ev.PermissionAsked(permission()))
        await press_later(pilot, "f2", seconds=2.0)
        session.tell(ev.PlanProposed(PlanRequest("toolu_plan", session.name, "# A plan\n\n1. One\n")))
        session.tell(ev.StateChanged(ev.SessionState.WORKING))
        await pilot.press("ctrl+n", "escape", "pageup")
    finally:
        asking.cancel()


@pytest.mark.parametrize("seed", range(ENDINGS))
async def test_the_program_ends_whole_at_any_moment(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)  # noqa: S311 (it guards nothing)
    run = Many(tmp_path)
    turns = chance.randrange(3000)
    async with run.app.run_test(size=(80, 24)) as pilot:
        using = asyncio.ensure_future(used(run, pilot))
        for _ in range(turns):
            await asyncio.sleep(0)
            if using.done():
                break
        if chance.random() < 0.5:
            run.app.exit()
        else:
            start_work(run.app, run.app.action_quit, name="quit")
        using.cancel()
        await asyncio.gather(using, return_exceptions=True)
        began = tuple(run.app.workers)
    assert run.app._exception is None
    async with asyncio.timeout(10):
        while not all(worker.is_finished for worker in began):  # noqa: ASYNC110 (cancelled ones cannot be awaited)
            await asyncio.sleep(0.001)
    assert [worker.name for worker in began if worker.state is WorkerState.ERROR] == []
