"""A parked session is answered on a phone, and goes on although no ccq-tui is open."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.requests import QuestionRequest, call_of
from ccq_tui.remote.publisher import Publisher
from ccq_tui.remote.waker import Waker
from ccq_tui.runtime.person import Configured
from ccq_tui.runtime.runtime import Runtime
from ccq_tui.testing import CleanHome
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Play
from tests.agent.test_runtime import COLOR, DATABASE, REDIS, House, WatchedSession, house, state_of
from tests.steps import until_true
from tests.unit.remote.publishing import Phone, beside
from tests.unit.remote.relays import running

SECOND = {"answers": [{"selected": [2]}]}


@asynccontextmanager
async def kept(
    home: CleanHome, directory: Path, *, grace: float, **settings: object
) -> AsyncIterator[tuple[Runtime, Phone]]:
    """What `ccq-tui phone --keep` runs: a relay, a publisher and a waker, on the inbox of a home."""
    program = ProgramArguments(environment=home.overrides(), state=state_of(home))
    runtime = Runtime(Launch(settings=Settings(**settings), program=program), Configured([]))  # type: ignore[arg-type]
    async with running(directory) as relay:
        made = await relay.pairing(sealed=True)
        publisher, waker = Publisher(runtime.inbox, made.known), Waker(runtime, grace=grace, idle=0.5)
        async with beside(publisher.run(), waker.run()):
            yield runtime, Phone(made.known, made.device)
        assert await runtime.close()


async def parked(one: House, **settings: object) -> tuple[WatchedSession, str]:
    """Open a session that asks, and park it; return it and its request."""
    received = one.open(**settings)
    received.session.send("Build it")
    asked = (await received.until(QuestionRequest)).request
    one.pid_of(received)
    received.session.agent.park()
    await received.state(ev.SessionState.PARKED)
    return received, asked.id


async def test_a_phone_wakes_a_parked_session_that_asks_parks_and_is_woken_again(
    play: Play, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "ccq_tui.remote.waker")
    model, home = play(Scenario("again").asks(DATABASE).asks(COLOR).says("Blue it is.").ends_turn())
    async with house(home) as one:
        received, request_id = await parked(one)
        name = received.session.facts.session_id
    settings = {"park_after": "1s", "permission_mode": "default"}
    async with kept(home, tmp_path, grace=0.1, **settings) as (runtime, phone):
        first = await phone.shown(call_of(request_id))
        assert phone.body(first)["session"]["parked"] is True
        await phone.answer(first, SECOND)
        (color,) = await until_true(lambda: others(runtime, request_id))
        record = await phone.shown(call_of(color))
        await phone.says(record["id"], end="parked")
        await until_true(lambda: not runtime.sessions)
        await phone.answer(record, SECOND)
        body = {"end": "answered", "by": "on Anna's phone", "taken": True}
        await phone.says(record["id"], text="Blue", **body)
        await phone.says(first["id"], text="Redis", **body)
        assert model.result(call_of(request_id)).text.startswith(REDIS)
        text = model.result(call_of(color)).text
        assert text.startswith('Your questions have been answered: "Which color?"="Blue".')

        await until_true(lambda: not runtime.sessions)
        assert await runtime.inbox.run(lambda store: store.sessions.get(name).owner) is None  # type: ignore[union-attr]
    assert f"Session {name[:8]} was resumed for an answer" in caplog.text


async def others(runtime: Runtime, request_id: str) -> list[str]:
    waiting = await runtime.inbox.run(lambda store: store.requests.waiting())
    return [one.request.id for one in waiting if one.request.id != request_id]


async def test_an_open_terminal_wakes_its_session_itself(play: Play, tmp_path: Path) -> None:
    model, home = play(Scenario("open").asks(DATABASE).says("Thanks.").ends_turn())
    async with house(home) as one, kept(home, tmp_path, grace=60.0) as (runtime, phone):
        received, request_id = await parked(one)
        record = await phone.shown(call_of(request_id))
        await phone.answer(record, SECOND)
        await received.state(ev.SessionState.IDLE)
        one.pid_of(received)
        await phone.says(record["id"], end="answered", by="on Anna's phone", text="Redis", taken=True)
        assert model.result(call_of(request_id)).text.startswith(REDIS)
        assert runtime.sessions == ()
