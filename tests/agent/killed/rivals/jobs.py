"""Several plays at a time, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from tests.agent.killed.counts import Seen
from tests.agent.killed.rivals.play import Rivals

A_PLAY = 8
"""Kills in one play."""


def plan(kills: int, seed: int) -> list[tuple[int, int]]:
    """Return seed and number of kills of each play."""
    starts = range(0, kills, A_PLAY)
    return [(seed + number, min(A_PLAY, kills - start)) for number, start in enumerate(starts)]


def played(plays: list[tuple[int, int]], root: Path, jobs: int) -> Iterator[tuple[int, float, Seen]]:
    """Play several at a time.

    Args:
        plays: Seed and number of kills of each.
        root: Where they have their directories.
        jobs: How many go on at a time.

    Yields:
        For each, as it ends, the seed, how many seconds it took, and what was seen.
    """
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        for play in as_completed([pool.submit(_play, *one, root) for one in plays]):
            yield play.result()


def _play(seed: int, kills: int, root: Path) -> tuple[int, float, Seen]:
    """Play once; what fails is a problem of that play, and the others go on."""
    began, place = time.monotonic(), root / f"seed-{seed}"
    place.mkdir()
    rivals = Rivals(seed, kills, place)
    try:
        rivals.play()
    except Exception:  # noqa: BLE001 - whatever it is
        rivals.seen.problems.append(f"the play of seed {seed} failed\n{traceback.format_exc()}")
    if rivals.seen.counts["kills"] < kills:
        rivals.seen.problems.append(f"{rivals.seen.counts['kills']} kills of {kills} [{place.name}]")
    return seed, time.monotonic() - began, rivals.seen
