"""Two relay processes behind one Redis: no question is lost, none is answered twice."""

import asyncio
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from ccq_tui.remote.relay.members import Invitation, join, new_pairing
from ccq_tui.remote.relay.sqlite import open_store
from tests.unit.remote.relays import a_request, redis_server

FAILURES = (httpx2.TransportError, httpx2.StreamError)
TRY_SECONDS = 60.0
PAIRS = int(os.environ.get("CCQ_TUI_TEST_PAIRS", "12"))
"""Terminals, and devices."""


@contextmanager
def relay_process(store: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the installed relay at a free port until the block ends."""
    program = [sys.executable, "-m", "ccq_tui", "relay", "--port", "0", "--store", store]
    with subprocess.Popen(program, stderr=subprocess.PIPE, text=True) as process:
        line = process.stderr.readline()
        assert line.startswith("Serving a relay at "), line + process.stderr.read()
        try:
            yield process, line.removeprefix("Serving a relay at ").partition(";")[0]
        finally:
            process.terminate()


@dataclass
class Side:
    """A terminal or a device, which calls the relays in turn, and another one when a call fails."""

    pairing: str
    token: str
    relays: Iterator[str]
    client: httpx2.AsyncClient

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    async def call(self, method: str, path: str, body: Any = None) -> httpx2.Response:
        ends = time.monotonic() + TRY_SECONDS
        while True:
            try:
                url = next(self.relays) + path
                response = await self.client.request(method, url, json=body, headers=self.headers)
            except FAILURES:
                if time.monotonic() > ends:
                    raise
                continue
            if response.status_code != 503:
                return response

    async def asked(self) -> str:
        """Wait for the request, as a device: events, and the list after each connect."""
        while True:
            url = f"{next(self.relays)}/events/{self.pairing}"
            try:
                async with self.client.stream("GET", url, headers=self.headers) as stream:
                    async for line in stream.aiter_lines():
                        if line in (": connected", "event: added"):
                            listed = (await self.call("GET", f"/requests/{self.pairing}")).json()
                            if listed["requests"]:
                                return str(listed["requests"][0]["id"])
            except FAILURES:
                continue

    async def answer_of(self, request: str) -> dict[str, Any]:
        """Wait for the answer, as a terminal."""
        while True:
            found = (await self.call("GET", f"/request/{self.pairing}/{request}?wait=25")).json()
            if found["status"] == "answered":
                return dict(found["answer"])


async def played(terminal: Side, device: Side) -> None:
    """Ask, and answer twice at once, differently, by any relays."""
    request = a_request()
    hearing = asyncio.create_task(device.asked())
    body = {"pairingId": terminal.pairing, "request": request}
    assert (await terminal.call("POST", "/request", body)).json() == {"success": True}
    waiting = asyncio.create_task(terminal.answer_of(request["id"]))
    found = await hearing
    assert found == request["id"]
    path = f"/request/{device.pairing}/{found}/answer"
    calls = (device.call("POST", path, {"answer": {"choice": number}}) for number in (1, 2))
    responses = await asyncio.gather(*calls)
    answer = await waiting
    conflicts = [one.json()["winner"] for one in responses if one.status_code == 409]
    taken = sum(one.status_code == 200 for one in responses)
    assert taken + len(conflicts) == 2, [one.text for one in responses]
    assert answer["answer"] in ({"choice": 1}, {"choice": 2})
    assert taken <= 1
    assert all(winner == answer for winner in conflicts)


async def play(store: str, urls: list[str], victim: subprocess.Popen[str], pairs: int) -> int:
    """Have pairs of a terminal and a device play at once, and kill a relay when half of them are done.

    Returns how many played.
    """
    made = []
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=4 * pairs)
    async with open_store(store) as opened, httpx2.AsyncClient(limits=limits, timeout=40) as client:
        for number in range(pairs):
            pairing, token = await new_pairing(opened, False, "desk")
            invited = Invitation(role="device", pairing=pairing)
            _, device = await join(opened, invited, "phone", "")
            turns = [itertools.cycle(urls[(number + n) % 2 :] + urls[: (number + n) % 2]) for n in (0, 1)]
            made.append((Side(pairing, token, turns[0], client), Side(pairing, device, turns[1], client)))
        tasks = [asyncio.create_task(played(*one)) for one in made]
        for done in itertools.islice(asyncio.as_completed(tasks), pairs // 2):
            await done
        victim.kill()
        return len(await asyncio.gather(*tasks))


async def test_every_question_is_answered_once_though_a_relay_is_killed(tmp_path: Path, home: Path) -> None:
    with (
        redis_server(tmp_path) as store,
        relay_process(store) as (first, one),
        relay_process(store) as (second, two),
    ):
        assert await play(store, [one, two], first, PAIRS) == PAIRS
        assert first.wait(10) == -9
        assert second.poll() is None
