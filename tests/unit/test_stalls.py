"""A stall of the event loop is noted with its length and its place."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest

from ccq_tui.stalls import VARIABLE, watch_stalls


def stumble() -> None:
    time.sleep(0.05)


def stand_still() -> None:
    time.sleep(0.4)  # long enough for the thread to look, also when others have the processor


async def test_a_stall_is_noted_with_the_place_that_took_longest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "stalls"
    monkeypatch.setenv(VARIABLE, str(file))
    watch = watch_stalls()
    assert watch is not None
    await asyncio.sleep(0.01)
    stumble()  # no beat between the two: one stall
    stand_still()
    await asyncio.sleep(0.02)  # the watch's own timer comes first
    watch.stop()
    noted = [json.loads(line) for line in file.read_text().splitlines()]
    longest = max(noted, key=lambda stall: stall["ms"])
    assert longest["ms"] > 80
    assert longest["cpu"] < longest["ms"]  # it slept
    assert any("test_stalls.py" in call and "stand_still" in call for call in longest["where"])


async def test_nothing_is_watched_unless_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert watch_stalls() is None
    monkeypatch.setenv(VARIABLE, str(tmp_path / "missing" / "stalls"))
    assert watch_stalls() is None
