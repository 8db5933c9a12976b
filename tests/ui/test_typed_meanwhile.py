"""What is typed while one session is put in another's place, or another one is shown, is in a prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import cycle
from pathlib import Path
from string import ascii_lowercase
from unittest.mock import patch

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from ccq_tui.agent.events import SessionState
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.screens.overlay import Overlay
from ccq_tui.screens.session import SessionScreen
from tests.ui.session import Driven, until


async def type_during(run: Driven, pilot: Pilot[int], work: Awaitable[object]) -> str:
    """Type a letter at each turn of the event loop until the work is done; return the letters."""
    letters, typed = cycle(ascii_lowercase), ""
    doing = asyncio.ensure_future(work)
    while not doing.done():
        letter = next(letters)
        run.app.post_message(events.Key(letter, letter))
        typed += letter
        await asyncio.sleep(0)
        if len(typed) > 5_000:
            await asyncio.sleep(0.001)
    await doing
    await until(pilot, lambda: not run.app._message_queue.qsize())
    return typed


async def replaced(run: Driven) -> None:
    await run.app.manager.replace_session(run.screen.session, run.screen.launch)


async def another(run: Driven) -> None:
    await run.app.manager.open(run.screen.launch)


@pytest.mark.parametrize("work", [replaced, another])
async def test_no_letter_is_lost(tmp_path: Path, work: Callable[[Driven], Awaitable[None]]) -> None:
    run = Driven(Launch(settings=Settings(cwd=tmp_path)))
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        old = run.session_screen
        typed = await type_during(run, pilot, work(run))
        assert run.session_screen is not old
        # What was typed into the old prompt may come back in front of it: that session had not begun.
        rest = typed.removeprefix(old.dock.prompt.text)
        await until(pilot, lambda: run.session_screen.dock.prompt.text.endswith(rest))
        assert rest


@pytest.mark.parametrize("key", ["ctrl+n", "f1"])
async def test_no_letter_is_lost_as_a_field_of_another_screen_comes(tmp_path: Path, key: str) -> None:
    run = Driven(Launch(settings=Settings(cwd=tmp_path)))
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        prompt = run.session_screen.dock.prompt

        async def opened() -> None:
            run.app.post_message(events.Key(key, None))
            for _ in range(10_000):
                if isinstance(run.app.screen, Overlay) and run.app.screen.focused is not None:
                    return
                await asyncio.sleep(0)

        typed = await type_during(run, pilot, opened())
        field = run.app.screen.focused
        await until(pilot, lambda: prompt.text + text_in(field) == typed)
        assert text_in(field)


def text_in(field: object) -> str:
    assert isinstance(field, Input | TextArea)
    return field.value if isinstance(field, Input) else field.text


async def test_no_session_is_put_in_anothers_place_while_the_program_ends(tmp_path: Path) -> None:
    run = Driven(Launch(settings=Settings(cwd=tmp_path)))
    gate, end = asyncio.Event(), SessionScreen.end

    async def held(screen: SessionScreen) -> None:
        await gate.wait()
        await end(screen)

    with patch.object(SessionScreen, "end", held):
        async with run.app.run_test() as pilot:
            await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
            run.app.manager.work("resume", partial(replaced, run))
            await pilot.press("ctrl+q")
            gate.set()
            await until(pilot, lambda: run.app._exit)
            assert len(run.launches) == 1
