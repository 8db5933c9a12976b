"""The relay of this machine, as long as ``ccq-tui phone`` runs, and this inbox's pairing with it."""

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

from ccq_tui.remote.client import RelayClient, RelayError
from ccq_tui.remote.pairings import Pairing, PairingsError, change_pairings, read_pairings
from ccq_tui.remote.phone.address import Address
from ccq_tui.remote.relay.members import TOKENS, members_of, new_pairing, revoke
from ccq_tui.remote.relay.serve import RelayOptions, serve_relay
from ccq_tui.remote.relay.sqlite import open_store
from ccq_tui.remote.relay.store import RelayStore, StoreError
from ccq_tui.remote.seal import KEY_BYTES, digest, to_base64

ANSWER_SECONDS = 5.0
"""Seconds for another process to answer that serves the relay."""


@asynccontextmanager
async def home_relay(
    address: Address, directory: Path, file: Path, *, sealed: bool
) -> AsyncIterator[tuple[Pairing, asyncio.Task[None] | None]]:
    """Serve a relay while the block runs, and give this inbox's pairing with it, and the task that serves.

    The task is None if another process serves it already.

    Args:
        address: Where it is.
        directory: Where its store is kept.
        file: The file of pairings.
        sealed: Whether the pairing is sealed.

    Raises:
        PairingsError: The file of pairings cannot be used.
        ServeError: It cannot be served.
        StoreError: The store cannot be used.
    """
    store = f"sqlite:{directory / 'relay.db'}"
    async with open_store(store) as opened:
        pairings, lost = await _pairings(opened, address, file, sealed=sealed)
    pairing = pairings[-1]
    if await _is_served(pairing):
        change_pairings(file, add=pairings, remove=lost)
        yield pairing, None
        return
    options = RelayOptions(
        store=store,
        host=address.host,
        port=address.port,
        public_url=address.public,
        certificate=address.certificate,
        key=address.certificate,
        plain=not sealed,
    )
    stop, started = asyncio.Event(), asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve_relay(options, started=started.set_result, stop=stop))
    try:
        await asyncio.wait({serving, started}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            await serving
        change_pairings(file, add=pairings, remove=lost)
        yield pairing, serving
    finally:
        stop.set()
        await asyncio.wait({serving})
        with suppress(StoreError, PairingsError):  # it stays, as one that devices have
            await _forget_unused(store, pairing, file)


async def _forget_unused(store: str, pairing: Pairing, file: Path) -> None:
    """End a pairing that no device has: its invitation was only looked at."""
    async with open_store(store) as opened:
        members = await members_of(opened, pairing.id)
        if all(one["role"] != "device" for one in members):
            for one in members:
                await revoke(opened, pairing.id, one["id"])
            change_pairings(file, remove=[pairing.id])


async def _is_served(pairing: Pairing) -> bool:
    """Return whether another process serves the relay."""
    with suppress(RelayError, TimeoutError):
        async with asyncio.timeout(ANSWER_SECONDS), RelayClient(pairing) as client:
            await client.devices()
            return True
    return False


async def _pairings(
    store: RelayStore, address: Address, file: Path, *, sealed: bool
) -> tuple[list[Pairing], list[str]]:
    """Return the pairings with this relay under its present address, and the ids of those it lost.

    The last one is the one to use, a new one if there is none.
    """
    certificate = str(address.certificate) if address.is_self_signed else ""
    place = {"relay": address.relay, "public": address.public, "certificate": certificate}
    ours: list[Pairing] = []
    lost: list[str] = []
    for one in read_pairings(file):
        if await store.get(TOKENS, digest(one.token)) is not None:
            ours.append(replace(one, is_home=True, **place))
        elif one.relay == address.relay:  # of a store that was removed
            lost.append(one.id)
    if not any(one.is_sealed is sealed for one in ours):
        name, token = await new_pairing(store, sealed, socket.gethostname())
        key = to_base64(secrets.token_bytes(KEY_BYTES)) if sealed else ""
        ours.append(Pairing(name, token=token, key=key, is_home=True, **place))
    return sorted(ours, key=lambda one: one.is_sealed is sealed), lost
