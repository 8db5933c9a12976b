"""The relay of this machine: its pairing is made once, its invitations work, and it runs once."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from ccq_tui.cli import phone as cli
from ccq_tui.remote.client import RelayClient, Unpaired
from ccq_tui.remote.pairings import Pairing, read_pairings
from ccq_tui.remote.phone import devices, serving
from ccq_tui.remote.phone.address import Address, fingerprint_of
from ccq_tui.remote.phone.devices import arrivals, code_for_device, link_for_device
from ccq_tui.remote.phone.serving import home_relay
from ccq_tui.remote.relay.members import Invitation, join
from ccq_tui.remote.relay.sqlite import open_store
from ccq_tui.web.serving import ServeError
from tests.steps import until_true
from tests.unit.remote.phone.device import Device
from tests.unit.remote.phone.threads import loopback


@asynccontextmanager
async def relay(tmp_path: Path, where: Address) -> AsyncIterator[Pairing]:
    sealed, file = where.public.startswith("https:"), tmp_path / "pairings.json"
    async with home_relay(where, tmp_path / "relay", file, sealed=sealed) as (pairing, _):
        yield pairing


async def test_a_pairing_is_made_once_and_moves_with_the_address(tmp_path: Path) -> None:
    first, second, third = loopback(tmp_path), loopback(tmp_path), loopback(tmp_path, plain=True)
    async with relay(tmp_path, first) as before:
        assert (before.is_sealed, before.is_home) == (True, True)
        async with open_store(f"sqlite:{tmp_path / 'relay' / 'relay.db'}") as store:
            await join(store, Invitation(role="device", pairing=before.id), "phone", "")
    async with relay(tmp_path, second) as after:
        assert (after.id, after.token, after.key) == (before.id, before.token, before.key)
        assert after.relay == second.relay != before.relay
        assert read_pairings(tmp_path / "pairings.json") == (after,)
    async with relay(tmp_path, third) as plain:
        assert (plain.is_sealed, plain.is_home) == (False, True)
        both = {one.id: one.relay for one in read_pairings(tmp_path / "pairings.json")}
        assert both == {after.id: third.relay, plain.id: third.relay}
    for file in (tmp_path / "relay").glob("relay.db*"):
        file.unlink()
    async with relay(tmp_path, third) as new:
        assert new.id != plain.id
        assert read_pairings(tmp_path / "pairings.json") == (new,)


async def test_a_look_at_an_invitation_leaves_no_pairing(tmp_path: Path) -> None:
    async with relay(tmp_path, where := loopback(tmp_path)) as pairing:
        assert read_pairings(tmp_path / "pairings.json") == (pairing,)
    assert read_pairings(tmp_path / "pairings.json") == ()
    async with relay(tmp_path, where) as other, RelayClient(replace(pairing, relay=other.relay)) as client:
        with pytest.raises(Unpaired):
            await client.devices()


async def test_a_port_of_another_program_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "ANSWER_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = loopback(tmp_path, port=taken.getsockname()[1])
        with pytest.raises(ServeError, match="choose another --port"):
            async with relay(tmp_path, where):
                pass
    assert read_pairings(tmp_path / "pairings.json") == (), "nothing is said of a relay that never ran"


async def test_a_lost_file_of_pairings_is_made_again_beside_the_process_that_serves(tmp_path: Path) -> None:
    where, file = loopback(tmp_path), tmp_path / "pairings.json"
    async with relay(tmp_path, where):
        file.unlink()
        async with relay(tmp_path, where) as beside:
            assert read_pairings(file) == (beside,)


async def test_a_new_device_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "POLL_SECONDS", 0.3)
    async with relay(tmp_path, loopback(tmp_path)) as pairing, RelayClient(pairing) as client:
        link, code, coming = await link_for_device(client), await code_for_device(client), arrivals(client)
        assert re.fullmatch(rf"{pairing.public}/#v=1&i=\w{{4}}&k={pairing.key}&s=[-\w]{{22}}", link)

        def pair(name: str) -> None:
            with Device(pairing.public, fingerprint_of(Path(pairing.certificate))) as device:
                device.open_link(link, name) if name else device.type_code(code, name)

        for name in ("Anna’s phone", ""):
            arrival = asyncio.create_task(anext(coming))
            await asyncio.to_thread(pair, name)
            assert (await asyncio.wait_for(arrival, 10)).name == name


async def test_a_used_code_does_not_expire(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "LASTS", timedelta(seconds=2))
    written: list[str] = []

    def has(text: str) -> bool:
        written.append(capsys.readouterr().out)
        return text in "".join(written)

    async with relay(tmp_path, loopback(tmp_path)) as pairing, RelayClient(pairing) as client:
        used = asyncio.Event()
        first = asyncio.create_task(cli._keep_inviting(client, used))
        await until_true(lambda: has("Ctrl+C  end"))
        used.set()
        second = asyncio.create_task(cli._keep_inviting(client, asyncio.Event()))
        await until_true(lambda: has("The code has expired. Enter shows a new one."))
        for one in (first, second):
            one.cancel()
        await asyncio.wait([first, second])
    assert "".join(written).count("expired") == 1, "the first would have expired earlier"
