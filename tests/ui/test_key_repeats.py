"""Waiting until a key has been let go."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from ccq_tui.screens.session.key_repeats import REPEAT_SECONDS, KeyRelease
from ccq_tui.screens.session.ui import SessionUi


def ui(clock: Callable[[], float] = time.monotonic) -> SessionUi:
    def after(seconds: float, call: Callable[[], Any]) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, call)

    return cast("SessionUi", SimpleNamespace(clock=clock, after=after))


async def test_repeats_that_came_while_the_program_stood_still_come_before_the_key_is_let_go() -> None:
    called: list[None] = []
    let_go = KeyRelease(ui(), lambda: called.append(None))
    time.sleep(REPEAT_SECONDS * 2)  # noqa: ASYNC251 - the whole program stands still
    for _ in range(20):  # the repeat passes through the queues of app and screen
        await asyncio.sleep(0)
    let_go.cancel()
    await asyncio.sleep(REPEAT_SECONDS * 2)
    assert called == []


async def test_a_key_counts_as_let_go_only_once_its_time_has_passed_by_the_clock_of_the_keys() -> None:
    now = 100.0
    let_go = asyncio.Event()
    KeyRelease(ui(lambda: now), let_go.set)
    await asyncio.sleep(REPEAT_SECONDS * 3)
    assert not let_go.is_set()
    now += REPEAT_SECONDS
    await asyncio.wait_for(let_go.wait(), 10)
