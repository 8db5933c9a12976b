"""A stall of the event loop is noted with its length and its place."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from pathlib import Path

import pytest

from ccq_tui.loop_monitor import VARIABLE, watch_stalls


def stumble() -> None:
    time.sleep(0.05)


def stand_still(seen: Counter[tuple[str, ...]]) -> None:
    """Stand still until the thread has looked, which may not get the processor for a while."""
    until = time.monotonic() + 20
    time.sleep(0.4)
    while "stand_still" not in str(seen.copy().most_common(1)) and time.monotonic() < until:
        time.sleep(0.05)


async def test_a_stall_is_noted_with_the_place_that_took_longest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "stalls"
    monkeypatch.setenv(VARIABLE, str(file))
    watch = watch_stalls()
    assert watch is not None
    await asyncio.sleep(0.01)
    stumble()  # no beat between the two: one stall
    stand_still(watch._seen)
    await asyncio.sleep(0.02)  # the watch's own timer comes first
    watch.stop()
    watch._thread.join(20)
    noted = [json.loads(line) for line in file.read_text().splitlines()]
    # The machine may have stood still itself before or after, and longer.
    (ours,) = (stall for stall in noted if "stand_still" in str(stall["where"]))
    assert ours["ms"] > 400
    assert ours["cpu"] < ours["ms"]  # it slept
    assert any("test_stalls.py" in call for call in ours["where"])


async def test_nothing_is_watched_unless_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert watch_stalls() is None
    monkeypatch.setenv(VARIABLE, str(tmp_path / "missing" / "stalls"))
    assert watch_stalls() is None
