"""Runs a relay, alone or inside another program."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from ccq_tui.remote.relay.access import Access, RelayLimits
from ccq_tui.remote.relay.endpoints import RelayParts, relay_app
from ccq_tui.remote.relay.push import Pusher
from ccq_tui.remote.relay.sqlite import open_store
from ccq_tui.web.serving import Listening, Served, serve_app


@dataclass(frozen=True, slots=True)
class RelayOptions(Listening):
    """How a relay is served.

    Attributes:
        store: ``sqlite:PATH`` or the URL of a Redis server.
        push_anywhere: Whether push services may be on this machine and in its network.
        limits: How much it takes.
    """

    store: str
    push_anywhere: bool = False
    limits: RelayLimits = field(default_factory=RelayLimits)


async def serve_relay(
    options: RelayOptions, *, started: Callable[[str], None] | None = None, stop: asyncio.Event | None = None
) -> None:
    """Serve a relay until it is stopped or cancelled; the process's signals are left alone.

    Args:
        options: How.
        started: Called with the URL by which this machine reaches it, as soon as it takes calls.
        stop: Ends it when it is set.

    Raises:
        ServeError: Its address, its certificate or its options cannot be used.
        StoreError: Its store cannot be used.
    """

    @asynccontextmanager
    async def opened(_url: str) -> AsyncIterator[Served]:
        async with open_store(options.store) as store:
            pusher = Pusher(store, options.public_url, anywhere=options.push_anywhere)
            relay = RelayParts(store, Access(store, options.limits), options.limits, pusher)
            yield await asyncio.to_thread(relay_app, relay), store.news.close

    await serve_app(options, opened, started=started, stop=stop)
