"""The devices of a pairing: their invitations, by a link and by a code, and their names, opened."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ccq_tui.inbox.actors import MOST_NAME
from ccq_tui.remote import seal
from ccq_tui.remote.client import RelayClient, RelayError
from ccq_tui.remote.pairings import Pairing
from ccq_tui.text import one_line

POLL_SECONDS = 1.0
"""Seconds between two looks for new devices; a name comes within them, after the token."""


@dataclass(frozen=True, slots=True)
class PairedDevice:
    """A device of a pairing.

    Attributes:
        id: Its id at the relay.
        name: Its name, harmless and short; "" if it has none.
        paired_at: When it was paired, as the relay reports it.
        seen_at: When it called last.
        relay: The URL by which it reaches the relay.
        mode: "sealed" or "plain".
    """

    id: str
    name: str
    paired_at: str
    seen_at: str
    relay: str
    mode: str


async def link_for_device(client: RelayClient) -> str:
    """Invite a device; return the link that pairs it, once. Raises `RelayError`."""
    pairing, invitation = client.pairing, seal.Code.new().invitation
    # Bytes of a link's proof, which has five tries in five minutes; more would not fit into 24 lines.
    proof = seal.to_base64(secrets.token_bytes(16))
    await client.invite(invitation=invitation, proof_hash=seal.digest(proof))
    key = f"&k={pairing.key}" if pairing.is_sealed else ""
    # The proof is last: a link that was cut anywhere lacks some of it, as the page sees at once.
    return f"{pairing.public}/#v={seal.VERSION}&i={invitation}{key}&s={proof}"


async def code_for_device(client: RelayClient) -> str:
    """Invite a device; return the code that pairs it, once. Raises `RelayError`."""
    key = client.pairing.key
    code = seal.Code.new(plain=not key)
    proof, wrapped = code.secret, ""
    if key:
        proof, wrapping = await asyncio.to_thread(code.stretched)
        wrapped = seal.wrap_key(seal.from_base64(key), wrapping, code.invitation)
    await client.invite(invitation=code.invitation, proof_hash=seal.digest(proof), wrapped=wrapped)
    return code.shown


async def devices_of(client: RelayClient) -> list[PairedDevice]:
    """Return the devices of a client's pairing, without terminals, oldest first; raises `RelayError`."""
    found = [one for one in await client.devices() if one.get("role") == "device"]
    return sorted((_device(one, client.pairing) for one in found), key=lambda one: one.paired_at)


async def arrivals(client: RelayClient) -> AsyncIterator[PairedDevice]:
    """Yield each device that is paired from now on, without end; a relay that is away is asked again."""
    known: set[str] | None = None
    seen: set[str] = set()
    while True:
        found: list[PairedDevice] = []
        with suppress(RelayError):  # the publisher reports it
            found = await devices_of(client)
            known = {one.id for one in found} if known is None else known
        for one in found:
            if known is not None and one.id not in known and (one.name or one.id in seen):
                known.add(one.id)
                yield one
            seen.add(one.id)
        await asyncio.sleep(POLL_SECONDS)


def _device(record: dict[str, Any], pairing: Pairing) -> PairedDevice:
    texts = {key: str(record.get(key, "")) for key in ("id", "name", "invitation", "pairedAt", "seenAt")}
    name, mode = texts["name"], "plain"
    if pairing.is_sealed:
        about, mode = seal.About(seal.Sealed.NAME, texts["invitation"]), "sealed"
        try:
            opened = seal.Sealer(seal.from_base64(pairing.key), pairing.id).open(name, about)
            name = str(opened.get("name", ""))
        except seal.SealError:  # none yet, or not from a device that has the key
            name = ""
    name, device = one_line(name, MOST_NAME), one_line(texts["id"], MOST_NAME)
    return PairedDevice(device, name, texts["pairedAt"], texts["seenAt"], pairing.public, mode)
