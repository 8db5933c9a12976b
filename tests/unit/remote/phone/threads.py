"""A relay in a thread of its own, for what is not a coroutine."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anyio.from_thread import start_blocking_portal

from ccq_tui.config.paths import state_dir
from ccq_tui.remote.pairings import Pairing, pairings_file
from ccq_tui.remote.phone.address import Address, find_address
from ccq_tui.remote.phone.serving import home_relay
from ccq_tui.remote.relay.members import new_invitation
from tests.unit.remote.relays import running


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def loopback(directory: Path, *, plain: bool = False, port: int = 0) -> Address:
    return find_address(port or free_port(), directory, print, host="127.0.0.1", plain=plain)


@contextmanager
def home_relay_running(*, plain: bool = False) -> Iterator[Pairing]:
    """Serve this machine's relay; yield this inbox's pairing with it."""
    directory = state_dir() / "relay"
    relay = home_relay(loopback(directory, plain=plain), directory, pairings_file(), sealed=not plain)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(relay) as (pairing, _):
        yield pairing


@contextmanager
def relay_elsewhere(directory: Path) -> Iterator[tuple[str, str]]:
    """Serve a relay as on a server; yield its URL, and the code of an invitation for a terminal."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(running(directory)) as relay:
        yield relay.url, portal.call(new_invitation, relay.store)[0].shown
