"""What the terminal makes of a relay's responses, and of what is no relay."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from ccq_tui.remote import client
from ccq_tui.remote.client import RelayClient, RelayEvent, RelayRefused, RelayUnreachable, Unpaired
from ccq_tui.remote.pairings import Pairing
from ccq_tui.testing.server import ServerThread
from tests.tables import each_row

PAIRING = Pairing("6b0c7e5e-5a44-4f7a-9d2f-0d2f6a3b1c11", "", "", "token")


@asynccontextmanager
async def calling(handle: Response | Callable[[Request], Any]) -> AsyncIterator[RelayClient]:
    """Call a server that returns a response, or whatever ``handle`` returns."""

    async def called(scope: Any, receive: Any, send: Any) -> None:
        found = handle if isinstance(handle, Response) else await handle(Request(scope, receive))
        await (found if isinstance(found, Response) else JSONResponse(found))(scope, receive, send)

    server = ServerThread(called)
    async with RelayClient(replace(PAIRING, relay=f"http://127.0.0.1:{server.port}")) as relay:
        yield relay
    server.stop()


def problem(status: int, retry_after: str = "", **more: Any) -> Response:
    body = {"type": "about:blank", "title": "Wrong", "status": status, "detail": "It is wrong.", **more}
    headers = {"retry-after": retry_after}
    return JSONResponse(body, status, headers, "application/problem+json")


async def test_a_refusal_says_why() -> None:
    refusal = problem(400, detail="answer.choice is wrong:\x1b no such choice.", field="answer.choice")
    why = r"the relay refused this: answer\.choice is wrong:␛"
    async with calling(refusal) as relay:
        with pytest.raises(RelayRefused, match=why) as refused:
            await relay.publish({})
        assert (refused.value.status, refused.value.field) == (400, "answer.choice")
    async with calling(problem(401)) as relay:
        with pytest.raises(Unpaired):
            await relay.requests()


NO_RELAY = [
    PlainTextResponse("<h1>Sign in</h1>", 200),
    PlainTextResponse("", 401),
    JSONResponse([], 200),
    Response(status_code=302, headers={"location": "/login"}),
]


@each_row(*NO_RELAY)
async def test_what_is_no_relay_unpairs_nothing(response: Response) -> None:
    async with calling(response) as relay:
        with pytest.raises(RelayUnreachable, match="what answers there is no relay"):
            await relay.requests()


async def test_it_waits_as_long_as_a_busy_relay_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[float] = []

    async def busy(_: Request) -> Any:
        calls.append(time.monotonic())
        return {"success": True} if len(calls) == 2 else problem(429, "1")

    monkeypatch.setattr(client, "CALL_SECONDS", 1.5)
    async with calling(busy) as relay:
        await relay.publish({})
        assert calls[1] - calls[0] >= 1
        with pytest.raises(RelayUnreachable, match="in time"):
            await relay.publish({})


async def test_a_call_and_silence_have_their_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = asyncio.Event()

    async def slow(request: Request) -> Any:
        async def reply() -> AsyncIterator[bytes]:
            yield b": ping\n\n"
            begun.set()
            await asyncio.sleep(30)

        is_stream = request.url.path.startswith("/events")
        return StreamingResponse(reply(), media_type="text/event-stream" if is_stream else "application/json")

    monkeypatch.setattr(client, "CALL_SECONDS", 0.5)
    monkeypatch.setattr(client, "SILENCE_SECONDS", 0.3)
    async with calling(slow) as relay:
        with pytest.raises(RelayUnreachable, match="does not answer in time"):
            await relay.requests()
        begun.clear()
        with pytest.raises(RelayUnreachable, match="does not answer in time"):
            await anext(relay.events(after=0))
        assert begun.is_set()


async def test_nothing_unbounded_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MOST_BYTES", 1_000)
    async with calling(PlainTextResponse("x" * 2_000)) as relay:
        with pytest.raises(RelayUnreachable, match="more than 1,000 bytes"):
            await relay.requests()


async def test_events_that_cannot_be_read_are_left_out() -> None:
    async def body(_: Request) -> Response:
        async def lines() -> AsyncIterator[str]:
            for data in ("[]", "x", '{"seq": "1", "id": "a"}'):
                yield f"event: answered\ndata: {data}\n\n"
            yield 'event: answered\ndata: {"seq": 2, "id": "a"}\n\n'

        return StreamingResponse(lines(), media_type="text/event-stream")

    async with calling(body) as relay:
        events = relay.events(after=0)
        assert await anext(events) == RelayEvent("answered", 2, "a")
        with pytest.raises(RelayUnreachable, match="ended the stream"):
            await anext(events)


async def test_no_relay_and_no_certificate(tmp_path: Path) -> None:
    async with RelayClient(Pairing(PAIRING.id, "http://127.0.0.1:9", "", "token")) as relay:
        with pytest.raises(RelayUnreachable, match="the relay cannot be reached"):
            await relay.devices()
    with pytest.raises(RelayUnreachable, match=r"the certificate .* cannot be read"):
        RelayClient(Pairing(PAIRING.id, "https://127.0.0.1:9", "", "token", "", str(tmp_path / "none.pem")))
