"""The relay against its own OpenAPI document."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from ccq_tui.remote.relay.access import RelayLimits
from ccq_tui.remote.relay.endpoints import ENDPOINTS
from ccq_tui.remote.relay.openapi import document
from tests.unit.remote.relays import TestPairing, a_question, running

EXAMPLES = 6
"""Bodies and queries tried for each call; more find nothing new, and take long."""


def tried(operation: Any, pairing: TestPairing, headers: dict[str, str]) -> None:
    """Make a call with generated parameters and bodies, and check each response."""
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    @given(case=operation.as_strategy())
    @settings(
        max_examples=EXAMPLES,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
        derandomize=True,
        database=None,
    )
    def check(case: Any) -> None:
        for part in (case.path_parameters, case.body):
            if isinstance(part, dict) and "pairingId" in part:
                part["pairingId"] = pairing.id
        # The relay has rules that no schema says: times, indices, one's own pairing.
        more = {"headers": headers, "timeout": 30, "excluded_checks": [positive_data_acceptance]}
        case.call_and_validate(base_url=pairing.relay.url, **more)

    check()


async def test_every_call_keeps_to_the_document(tmp_path: Path) -> None:
    async with running(tmp_path, limits=RelayLimits(wrong=1e9, burst=1e9)) as relay:
        pairing = await relay.pairing()
        await pairing.ask(a_question(id="00000000-0000-4000-8000-000000000000"))
        await asyncio.to_thread(try_all, pairing)


def try_all(pairing: TestPairing) -> None:
    """Make every call but the stream, which has no end, by whoever may make it."""
    import schemathesis  # it takes seconds, which no other worker needs to spend

    schema = schemathesis.openapi.from_dict(json.loads(json.dumps(document(ENDPOINTS))))
    roles = {(one.method, one.path): one.roles for one in ENDPOINTS if one.returns}
    tokens = {"terminal": pairing.terminal.token, "device": pairing.device.token}
    for found in schema.get_all_operations():
        operation = found.ok()
        of = roles.pop((operation.method.upper(), operation.path), None)
        if of is not None:
            tried(operation, pairing, {"Authorization": f"Bearer {tokens[of[0]]}"} if of else {})
    assert roles == {}
