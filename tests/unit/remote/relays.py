"""A real relay on loopback, and who calls it."""

import asyncio
import json
import secrets
import shutil
import subprocess
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from ccq_tui.inbox.requests import PermissionRequest
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.remote.pairings import Pairing
from ccq_tui.remote.publication import Channel
from ccq_tui.remote.relay.members import new_pairing
from ccq_tui.remote.relay.serve import RelayOptions, serve_relay
from ccq_tui.remote.relay.sqlite import open_store
from ccq_tui.remote.relay.store import RelayStore
from ccq_tui.remote.seal import KEY_BYTES, Code, digest, to_base64


@dataclass
class RunningRelay:
    """A relay that takes calls, and can be stopped and started again at its port."""

    options: RelayOptions
    store: RelayStore
    client: httpx2.AsyncClient
    url: str = ""
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _serving: asyncio.Task[None] | None = None

    async def start(self) -> None:
        url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._stop.clear()
        serving = serve_relay(self.options, started=url.set_result, stop=self._stop)
        self._serving = asyncio.create_task(serving)
        await asyncio.wait({self._serving, url}, return_when=asyncio.FIRST_COMPLETED)
        if not url.done():
            await self._serving
        self.client.base_url = self.url = url.result()
        self.options = replace(self.options, port=int(self.url.rpartition(":")[2]))

    async def stop(self) -> None:
        self._stop.set()
        if self._serving is not None:
            await asyncio.wait_for(self._serving, 10)

    @property
    def nobody(self) -> "Caller":
        return Caller(self, "")

    async def pairing(self, *, sealed: bool = False, devices: int = 1) -> "TestPairing":
        """Make a pairing with devices, by the calls of the protocol where there are any."""
        pairing, token = await new_pairing(self.store, sealed, "desk")
        key = to_base64(secrets.token_bytes(KEY_BYTES)) if sealed else ""
        made = TestPairing(self, pairing, Caller(self, token), key)
        for number in range(devices):
            made.devices.append(await made.join(f"phone {number}"))
        return made


@dataclass
class Caller:
    """Who has a token, or none."""

    relay: RunningRelay
    token: str
    id: str = ""

    async def __call__(self, method: str, path: str, body: Any = None, **more: Any) -> httpx2.Response:
        headers = self.headers | more.pop("headers", {})
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        return await self.relay.client.request(method, path, content=content, headers=headers, **more)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    async def refused(self, method: str, path: str, body: Any = None) -> tuple[int, str]:
        """Make a call that is refused; return its status, and the field that is wrong, or ""."""
        response = await self(method, path, body)
        return response.status_code, response.json().get("field", "")

    @asynccontextmanager
    async def events(self, path: str, **headers: str) -> AsyncIterator[AsyncIterator[str]]:
        """Listen to events; yields their lines."""
        async with self.relay.client.stream("GET", path, headers=self.headers | headers) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            yield stream.aiter_lines()


@dataclass
class TestPairing:
    """A pairing, its terminal and its devices."""

    __test__ = False

    relay: RunningRelay
    id: str
    terminal: Caller
    key: str
    devices: list[Caller] = field(default_factory=list)

    @property
    def device(self) -> Caller:
        return self.devices[0]

    @property
    def known(self) -> Pairing:
        """The pairing as its terminal keeps it."""
        return Pairing(self.id, self.relay.url, self.relay.url, self.terminal.token, self.key)

    async def invite(self, wrapped: str = "") -> Code:
        code = Code.new()
        body = {"pairingId": self.id, "invitation": code.invitation, "proofHash": digest(code.secret)}
        response = await self.terminal("POST", "/invitations", body | {"wrapped": wrapped})
        assert response.status_code == 200, response.text
        return code

    async def join(self, name: str) -> Caller:
        body = redeeming(await self.invite(), name=name)
        given = (await self.relay.nobody("POST", "/pair", body)).json()
        return Caller(self.relay, given["token"], given["deviceId"])

    async def request(self, request: dict[str, Any] | None = None) -> str:
        """Publish a request; return its id."""
        asked = request or a_request()
        response = await self.terminal("POST", "/request", {"pairingId": self.id, "request": asked})
        assert response.json() == {"success": True}, response.text
        return str(asked["id"])


def redeeming(code: Code, **changes: Any) -> dict[str, Any]:
    """The body of a call that redeems an invitation."""
    return {"invitation": code.invitation, "proof": code.secret, "name": "x"} | changes


def question_of(request: str) -> str:
    """The id of the first question of a request."""
    return str(uuid.uuid5(uuid.UUID(request), "1"))


def in_days(days: float) -> str:
    """A time, as a request has it."""
    return (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def a_body(**changes: Any) -> dict[str, Any]:
    """The body of a request, as it is published: a permission."""
    request = PermissionRequest("toolu_1", "s", "Bash", {"command": "make"})
    asked = StoredRequest(1, request, "I build it.", RequestState.PENDING, datetime(2026, 11, 27, tzinfo=UTC))
    return {**Channel(Pairing("p", "", "", "")).publication(asked, None).body, **changes}


def a_request(**changes: Any) -> dict[str, Any]:
    """A plain request."""
    return {"id": str(uuid.uuid4()), "expires": in_days(6.5), "body": a_body()} | changes


def a_subscription(endpoint: str) -> dict[str, Any]:
    """The body of a call that subscribes to Web Push."""
    keys = {"p256dh": "p", "auth": "a"}
    return {"subscription": {"endpoint": endpoint, "expirationTime": None, "keys": keys}}


@asynccontextmanager
async def running(directory: Path, *, store: str = "", **options: Any) -> AsyncIterator[RunningRelay]:
    """Serve a relay until the block ends."""
    where = store or f"sqlite:{directory / 'relay' / 'relay.db'}"
    limits = httpx2.Limits(max_connections=None)
    async with open_store(where) as opened, httpx2.AsyncClient(timeout=30, limits=limits) as client:
        relay = RunningRelay(RelayOptions(where, **{"port": 0, **options}), opened, client)
        await relay.start()
        try:
            yield relay
        finally:
            await relay.stop()


@contextmanager
def redis_server(directory: Path) -> Iterator[str]:
    """Run a Redis server on a socket until the block ends; skip the test where there is none."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed: apt install redis-server")
    socket = directory / "redis.sock"
    words = [program, "--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(directory)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert any("accept connections" in line for line in server.stdout)
        try:
            yield f"unix://{socket}"
        finally:
            server.terminate()
