"""Checks of what reaches a person elsewhere: relays, their certificates and clocks, and channels."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from urllib.parse import urlsplit

from ccq_tui.doctor.check import Check, Level
from ccq_tui.remote.pairings import Pairing, PairingsError, pairings_file, read_pairings
from ccq_tui.text import one_line
from ccq_tui.words import duration, plural

AREA = "Phone"
LIMIT = 5.0
"""Seconds for all checks together."""
SKEW_SECONDS, EXPIRY_DAYS = 60.0, 14


def examine_pairings() -> list[Check]:
    """Check each pairing with a relay, all at once; return nothing where none is paired."""
    try:
        pairings = read_pairings(pairings_file())
    except PairingsError as error:
        return [Check(AREA, "Pairings", str(error), Level.WARNING, "Until then nothing is published.")]
    return asyncio.run(_examined(pairings)) if pairings else []


def examine_channels(urls: Sequence[str]) -> list[Check]:
    """Check that what the channels for notifications need is installed."""
    from ccq_tui.config.values import shown_url

    others = [shown_url(url) for url in urls if not url.lower().startswith(("ntfy://", "ntfys://"))]
    if not others or find_spec("apprise"):
        return [Check(AREA, "Channels", ", ".join(map(shown_url, urls)))] if urls else []
    advice = 'Install it: pip install "ccq-tui[notify]". ntfy needs nothing.'
    return [Check(AREA, "Channels", f"apprise is missing for {', '.join(others)}", Level.WARNING, advice)]


async def _examined(pairings: tuple[Pairing, ...]) -> list[Check]:
    found = await asyncio.gather(*map(_checks, pairings))
    return [check for checks in found for check in checks]


async def _checks(pairing: Pairing) -> list[Check]:
    from ccq_tui.remote.client import RelayClient, RelayError, Unpaired

    relay, forget = one_line(pairing.public, 200), f"ccq-tui devices forget {pairing.public}"
    try:
        async with asyncio.timeout(LIMIT), RelayClient(pairing) as client:
            health, members = await asyncio.gather(client.health(), client.devices())
            ends = await _certificate_end(pairing)
        there = datetime.fromisoformat(str(health.get("time", "")))
    except Unpaired:
        advice = f"Run “{forget}”, then pair again by “ccq-tui phone” or “ccq-tui pair {pairing.relay}”."
        return [Check(AREA, "Relay", f"{relay} does not know this machine", Level.WARNING, advice)]
    except (RelayError, OSError, TimeoutError, ValueError) as error:
        why = "no answer within 5 s" if isinstance(error, TimeoutError) else one_line(str(error), 200)
        advice = f"Start it with “ccq-tui phone”, or where it is. If it is gone for good: “{forget}”."
        return [Check(AREA, "Relay", f"{relay}: {why}", Level.WARNING, advice)]
    count = sum(one.get("role") == "device" for one in members)
    found = f"{relay}, {plural(count, 'device')}, {'encrypted' if pairing.is_sealed else 'not encrypted'}"
    return [Check(AREA, "Relay", found), *_clock(there), *_certificate(ends)]


def _clock(there: datetime) -> Iterator[Check]:
    ahead = (there.astimezone(UTC) - datetime.now(UTC)).total_seconds()
    if abs(ahead) > SKEW_SECONDS:
        found = f"the relay's is {duration(abs(ahead))} {'ahead' if ahead > 0 else 'behind'}"
        advice = "Set both clocks by the network: invitations last five minutes, and requests expire."
        yield Check(AREA, "Clock", found, Level.WARNING, advice)


def _certificate(ends: datetime | None) -> Iterator[Check]:
    if ends is not None:
        advice = "Restart “ccq-tui phone”, which renews it, or renew it where the relay is."
        if (ends - datetime.now(UTC)).days >= EXPIRY_DAYS:
            advice = ""
        level = Level.WARNING if advice else Level.OK
        yield Check(AREA, "Certificate", f"good until {ends:%Y-%m-%d}", level, advice)


async def _certificate_end(pairing: Pairing) -> datetime | None:
    """Return when the certificate that a relay serves ends, or None without TLS."""
    parts = urlsplit(pairing.relay)
    if parts.scheme != "https":
        return None
    trust = ssl.create_default_context(cafile=pairing.certificate or None)
    _, writer = await asyncio.open_connection(parts.hostname, parts.port or 443, ssl=trust)
    writer.close()
    served = writer.get_extra_info("peercert")
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(str(served["notAfter"])), UTC)
