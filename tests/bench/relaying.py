"""How long a relay takes from terminal to device and back, and what pending questions cost it."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from ccq_tui.testing import clean_environment
from tests.bench.figures import percentile
from tests.bench.measures import Effort, Family, Figures, Measure
from tests.bench.processes import memory
from tests.bench.programs import OURS, Program
from tests.e2e.relaying import Side, played, relay_process, sides
from tests.unit.remote.relays import a_request

TO_DEVICE_P50 = Measure("relay.to_device_p50", "question to device over server-sent events, p50", "ms")
TO_DEVICE = Measure("relay.to_device_p99", "question to device over server-sent events, p99", "ms", limit=250)
TO_TERMINAL_P50 = Measure("relay.to_terminal_p50", "answer to terminal over a waiting call, p50", "ms")
TO_TERMINAL = Measure("relay.to_terminal_p99", "answer to terminal over a waiting call, p99", "ms", limit=250)
EMPTY = Measure("relay.memory", "memory of a relay", "MB")
FULL = Measure("relay.full", "10,000 pending questions: memory more", "MB")
OF_PAIRING, AT_ONCE = 1_000, 20


def play(_program: Program, effort: Effort) -> Figures:
    """Ask and answer one question after the other; then ask many."""
    with clean_environment("") as home:
        store = f"sqlite:{Path(home.env['HOME']) / 'relay.db'}"
        with relay_process(store, home.env) as (process, url):
            outcomes = asyncio.run(one_by_one(store, url, effort.presses))
            for measure, percent in ((TO_DEVICE_P50, 50), (TO_DEVICE, 99)):
                yield measure, percentile([to_device for to_device, _ in outcomes], percent)
            for measure, percent in ((TO_TERMINAL_P50, 50), (TO_TERMINAL, 99)):
                yield measure, percentile([to_terminal for _, to_terminal in outcomes], percent)
            empty = memory(process.pid, alone=True)
            yield EMPTY, empty
            asyncio.run(fill(store, url, effort.blocks))
            time.sleep(effort.settled)
            yield FULL, memory(process.pid, alone=True) - empty


async def one_by_one(store: str, url: str, questions: int) -> list[tuple[float, float]]:
    """Ask and answer, each in a pairing of its own, whose device listens already."""
    async with sides(store, [url], questions) as made:
        return [await played(terminal, device, listening=True) for terminal, device in made]


async def fill(store: str, url: str, questions: int) -> None:
    """Publish questions that stay."""
    async with sides(store, [url], -(-questions // OF_PAIRING)) as made:
        terminals = [made[number // OF_PAIRING][0] for number in range(questions)]
        turns = asyncio.Semaphore(AT_ONCE)

        async def ask(terminal: Side) -> None:
            async with turns:
                body = {"pairingId": terminal.pairing, "request": a_request()}
                response = await terminal.call("POST", "/request", body)
                assert response.status_code == 200, response.text

        await asyncio.gather(*map(ask, terminals))
        # A device of each fetches what waits.
        for _, device in made:
            assert (await device.call("GET", f"/requests/{device.pairing}")).status_code == 200


FAMILY = Family(
    "relay", (OURS,), (TO_DEVICE_P50, TO_DEVICE, TO_TERMINAL_P50, TO_TERMINAL, EMPTY, FULL), play, most_runs=3
)
