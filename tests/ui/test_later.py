"""Calls that are made later."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.app import App, ComposeResult

from ccq_tui import theming
from ccq_tui.widgets.later import after
from ccq_tui.widgets.notice_line import NoticeLine


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


async def test_a_call_that_waits_for_its_turn_can_still_be_taken_back() -> None:
    app = Noticing()
    async with app.run_test() as pilot:
        line = app.query_one(NoticeLine)
        called: list[str] = []
        async with busy(line):
            first = after(line, 0, lambda: called.append("first"))
            after(line, 0, lambda: called.append("second"))
            await due(line, 2)
            first.cancel()
        await pilot.pause()
        assert called == ["second"]


async def test_the_end_of_a_notice_does_not_end_the_next_one() -> None:
    app = Noticing()
    async with app.run_test() as pilot:
        line = app.query_one(NoticeLine)
        async with busy(line):
            line.say("first", seconds=0)
            await due(line, 1)
            line.say("second")
        await pilot.pause()
        assert line.text == "second"
