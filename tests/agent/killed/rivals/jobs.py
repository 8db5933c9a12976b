"""Several plays at a time, each in a process of its own that ends what it has started."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from tests.agent.killed.counts import Seen
from tests.agent.killed.rivals.play import LIMIT, Rivals

A_PLAY = 8
"""Kills in one play."""
OVER_SECONDS = 300.0
"""How much longer than its own limit a play may take to end."""


def plan(kills: int, seed: int) -> list[tuple[int, int]]:
    """Return seed and number of kills of each play."""
    starts = range(0, kills, A_PLAY)
    return [(seed + number, min(A_PLAY, kills - start)) for number, start in enumerate(starts)]


class Jobs:
    """Plays several at a time.

    Args:
        plays: Seed and number of kills of each.
        root: Where they have their directories.
        jobs: How many go on at a time.
    """

    def __init__(self, plays: Sequence[tuple[int, int]], root: Path, jobs: int) -> None:
        self._plays = list(plays)
        self._root = root
        self._jobs = jobs
        self._running: dict[Connection, tuple[int, float, SpawnProcess]] = {}

    def __enter__(self) -> Jobs:
        return self

    def __exit__(self, *_: object) -> None:
        """End what still runs, and wait until it has ended what it had started."""
        processes = [process for _, _, process in self._running.values()]
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(OVER_SECONDS)

    def results(self) -> Iterator[tuple[int, float, Seen]]:
        """Play them all.

        Yields:
            For each, as it ends, the seed, how many seconds it took, and what was seen.
        """
        while self._plays or self._running:
            while self._plays and len(self._running) < self._jobs:
                self._begin(*self._plays.pop(0))
            for connection in wait(list(self._running), timeout=1.0):
                assert isinstance(connection, Connection)
                yield self._end(connection)
            for connection, (_, began, process) in self._running.items():
                if time.monotonic() - began > LIMIT + OVER_SECONDS:
                    process.terminate()
                    assert connection.closed or process.is_alive()

    def _begin(self, seed: int, kills: int) -> None:
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=_play, args=(there, seed, kills, self._root))
        process.start()
        there.close()
        self._running[here] = (seed, time.monotonic(), process)

    def _end(self, connection: Connection) -> tuple[int, float, Seen]:
        seed, began, process = self._running.pop(connection)
        try:
            seen = connection.recv()
        except EOFError:
            seen = Seen(problems=[f"the play of seed {seed} was ended: exit code {process.exitcode}"])
        connection.close()
        process.join(OVER_SECONDS)
        return seed, time.monotonic() - began, seen


def _play(results: Connection, seed: int, kills: int, root: Path) -> None:
    """Play once; what fails is a problem of that play, and the others go on."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    place = root / f"seed-{seed}"
    place.mkdir()
    rivals = Rivals(seed, kills, place)
    try:
        rivals.play()
    except Exception:  # noqa: BLE001 - whatever it is
        rivals.seen.problems.append(f"the play of seed {seed} failed\n{traceback.format_exc()}")
    if rivals.seen.counts["kills"] < kills:
        rivals.seen.problems.append(f"{rivals.seen.counts['kills']} kills of {kills} [{place.name}]")
    results.send(rivals.seen)
