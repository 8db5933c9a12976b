"""A relay, a pairing and a desk, as most tests need them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ccq_tui.remote.relay.access import RelayLimits
from tests.unit.remote.publishing import Desk, published
from tests.unit.remote.relays import RunningRelay, TestPairing, running


@pytest.fixture
async def relay(tmp_path: Path) -> AsyncIterator[RunningRelay]:
    async with running(tmp_path, limits=RelayLimits(wrong=10_000.0)) as made:
        yield made


@pytest.fixture
async def pairing(relay: RunningRelay) -> TestPairing:
    return await relay.pairing()


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with published(tmp_path) as made:
        yield made
