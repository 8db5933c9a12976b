"""A relay, a pairing and a desk, as most tests need them."""

from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from ccq_tui.remote.relay.access import RelayLimits
from tests.unit.remote.publishing import Desk, published
from tests.unit.remote.relays import RunningRelay, TestPairing, redis_server, running


@pytest.fixture(params=["sqlite", "redis"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A store of each kind."""
    file = nullcontext(f"sqlite:{tmp_path / 'relay' / 'relay.db'}")
    with redis_server(tmp_path) if request.param == "redis" else file as url:
        yield url


@pytest.fixture
async def relay(tmp_path: Path) -> AsyncIterator[RunningRelay]:
    async with running(tmp_path, limits=RelayLimits(wrong=10_000.0)) as made:
        yield made


@pytest.fixture
async def pairing(relay: RunningRelay) -> TestPairing:
    return await relay.pairing()


@pytest.fixture
async def desk(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    """A desk that publishes sealed; a parameter says whether."""
    async with published(tmp_path, sealed=getattr(request, "param", True)) as made:
        yield made
