"""Checks of the relays that reach a person elsewhere."""

from __future__ import annotations

import asyncio

from ccq_tui.doctor.check import Check, Level
from ccq_tui.remote.pairings import Pairing, PairingsError, pairings_file, read_pairings
from ccq_tui.text import one_line
from ccq_tui.words import plural

AREA = "Phone"
LIMIT = 5.0
"""Seconds for all checks together."""


def examine_pairings() -> list[Check]:
    """Check each pairing with a relay, all at once; return nothing where none is paired."""
    try:
        pairings = read_pairings(pairings_file())
    except PairingsError as error:
        return [Check(AREA, "Pairings", str(error), Level.WARNING, "Until then nothing is published.")]
    return asyncio.run(_examined(pairings)) if pairings else []


async def _examined(pairings: tuple[Pairing, ...]) -> list[Check]:
    return await asyncio.gather(*map(_check, pairings))


async def _check(pairing: Pairing) -> Check:
    from ccq_tui.remote.client import RelayClient, RelayError, Unpaired

    relay, forget = one_line(pairing.public, 200), f"ccq-tui devices forget {pairing.public}"
    try:
        async with asyncio.timeout(LIMIT), RelayClient(pairing) as client:
            members = await client.devices()
    except Unpaired:
        advice = f"Run “{forget}”, then pair again by “ccq-tui phone” or “ccq-tui pair {pairing.relay}”."
        return Check(AREA, "Relay", f"{relay} does not know this machine", Level.WARNING, advice)
    except (RelayError, OSError, TimeoutError, ValueError) as error:
        why = "no answer within 5 s" if isinstance(error, TimeoutError) else one_line(str(error), 200)
        advice = f"Start it with “ccq-tui phone”, or where it is. If it is gone for good: “{forget}”."
        return Check(AREA, "Relay", f"{relay}: {why}", Level.WARNING, advice)
    count = sum(one.get("role") == "device" for one in members)
    sealed = "encrypted" if pairing.is_sealed else "not encrypted"
    return Check(AREA, "Relay", f"{relay}, {plural(count, 'device')}, {sealed}")
