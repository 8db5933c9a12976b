"""The commands about the devices that may answer: listing and revoking them, and forgetting a relay."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

import click

from ccq_tui.cli.exits import ENDED, Refused
from ccq_tui.cli.options import as_json_flag
from ccq_tui.cli.phone import known_pairings, refusing_remote
from ccq_tui.cli.store import print_lines
from ccq_tui.output import echo
from ccq_tui.text import one_line

if TYPE_CHECKING:
    from ccq_tui.remote.pairings import Pairing
    from ccq_tui.remote.phone.devices import PairedDevice

    Found = tuple[list[tuple[Pairing, PairedDevice]], list[str]]


@click.group(invoke_without_command=True)
@as_json_flag
@click.pass_context
def devices(context: click.Context, /, as_json: bool) -> int:
    """List the phones and other devices that may answer, of all relays."""
    if context.invoked_subcommand is not None:
        return ENDED
    found, problems = asyncio.run(_found())
    if as_json:
        from ccq_tui.inbox.records import list_report

        print_lines(list_report("devices", [asdict(device) for _, device in found]))
    elif found:
        from ccq_tui.inbox.layout import table

        heads = ("NAME", "ID", "PAIRED", "LAST SEEN", "RELAY")
        print_lines("\n".join(table(heads, [_row(device) for _, device in found])))
    elif not problems:
        echo("No device is paired. To pair one: ccq-tui phone")
    if problems:
        raise Refused("\n".join(problems))
    return ENDED


@devices.command()
@click.argument("device", metavar="NAME|ID")
def revoke(device: str) -> int:
    """Take a device's right to read and answer, at once."""
    found, problems = asyncio.run(_found())
    matching = [row for row in found if device and (row[1].name == device or row[1].id.startswith(device))]
    if len(matching) != 1:
        missing = f" ({'; '.join(problems)})" if problems else ""
        many = len(matching) or "no"
        raise Refused(f"{many} devices have this name or id{missing}; ccq-tui devices lists their ids.")
    ((pairing, one),) = matching
    with refusing_remote():
        asyncio.run(_revoke(pairing, one.id))
    echo(f"{one.name or one.id} is revoked: it can no longer read or answer.")
    return ENDED


@devices.command()
@click.argument("relay", metavar="URL")
def forget(relay: str) -> int:
    """End the pairing with a relay: revoke its devices, and forget its secrets."""
    from ccq_tui.remote.client import RelayError
    from ccq_tui.remote.pairings import change_pairings, pairings_file

    matching = known_pairings(relay)
    if not matching:
        raise Refused("this inbox is not paired with that relay; ccq-tui devices lists them.")
    for pairing in matching:
        try:
            asyncio.run(_revoke(pairing))
        except RelayError as error:
            echo(f"Its devices were not revoked: {one_line(str(error), 300)}.", err=True)
    with refusing_remote():
        change_pairings(pairings_file(), remove=[one.id for one in matching])
    echo(f"{matching[0].public} is forgotten: nothing is published to it.")
    return ENDED


async def _found() -> Found:
    """Return the devices of each relay that is reached, and what is wrong with the others."""
    from ccq_tui.remote.client import RelayClient, RelayError
    from ccq_tui.remote.phone.devices import devices_of

    found: list[tuple[Pairing, PairedDevice]] = []
    problems: list[str] = []
    for pairing in known_pairings():
        try:
            async with RelayClient(pairing) as client:
                found += [(pairing, one) for one in await devices_of(client)]
        except RelayError as error:
            start = "start it with “ccq-tui phone”, or " if pairing.is_home else ""
            advice = f"{start}forget it: ccq-tui devices forget {pairing.public}"
            problems.append(f"{pairing.public}: {one_line(str(error), 300)}; {advice}")
    return found, problems


async def _revoke(pairing: Pairing, device: str = "") -> None:
    """Revoke a device, or all of a pairing's tokens, this machine's own last."""
    from ccq_tui.remote.client import RelayClient

    async with RelayClient(pairing) as client:
        found = [{"id": device}] if device else await client.devices()
        for one in sorted(found, key=lambda one: one.get("role") == "terminal"):
            await client.revoke(str(one.get("id", "")))


def _row(device: PairedDevice) -> tuple[str, ...]:
    from ccq_tui.words import SHORT

    times = map(_brief, (device.paired_at, device.seen_at))
    return device.name or "(no name)", device.id[:SHORT], *times, device.relay


def _brief(text: str) -> str:
    from ccq_tui.inbox.format import brief

    try:
        return brief(datetime.fromisoformat(text))
    except ValueError:
        return "?"
