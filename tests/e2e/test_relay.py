"""Two relay processes behind one Redis: no question is lost, none is answered twice."""

from __future__ import annotations

import os
from pathlib import Path

from tests.e2e.relaying import play, relay_process
from tests.unit.remote.relays import redis_server

PAIRS = int(os.environ.get("CCQ_TUI_TEST_PAIRS", "12"))
"""Terminals, and devices."""


async def test_every_question_is_answered_once_though_a_relay_is_killed(tmp_path: Path, home: Path) -> None:
    with (
        redis_server(tmp_path) as store,
        relay_process(store) as (first, one),
        relay_process(store) as (second, two),
    ):
        assert await play(store, [one, two], first, PAIRS) == PAIRS
        assert first.wait(10) == -9
        assert second.poll() is None
