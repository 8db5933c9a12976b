"""The commands that let a phone answer: the relay of this machine, pairings with others, paired devices."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import asdict

import click

from ccq_tui.cli import pairing
from ccq_tui.cli.exits import ENDED, Refused
from ccq_tui.cli.options import as_json_flag
from ccq_tui.cli.store import print_lines
from ccq_tui.inbox.layout import table
from ccq_tui.inbox.records import list_report
from ccq_tui.output import echo

PORT = 8765

_plain = click.option("--plain", is_flag=True, help="No encryption: anyone in the network can read along.")


@click.command()
@click.option("--keep", is_flag=True, help="Show no code, and need no terminal.")
@click.option("--service", is_flag=True, help="Print a service for systemd or launchd that does so.")
@click.option("--host", metavar="ADDRESS", default="", help="The address of this machine to listen on.")
@click.option("--port", metavar="N", type=click.IntRange(1, 65535), default=PORT, show_default=True)
@click.option("--public-url", metavar="URL", default="", help="The URL for devices, if a proxy is in front.")
@_plain
@click.option("--relay", metavar="URL", help="A relay elsewhere, paired before by “ccq-tui pair”.")
def phone(
    keep: bool, service: bool, host: str, port: int, public_url: str, plain: bool, relay: str | None
) -> int:
    """Answer from a phone: scan the QR code that this shows.

    It starts a relay on this machine, which the phone reaches by Tailscale or in the local network. It
    publishes the inbox there, and resumes paused sessions once they are answered. Everything is encrypted
    from end to end.
    """
    if relay and (host or public_url or plain):
        raise Refused("--host, --public-url and --plain are for a relay of this machine: leave out --relay.")
    if service:
        given = {"--host": host, "--public-url": public_url, "--relay": relay}
        given["--port"] = str(port) if port != PORT else ""
        words = [word for name, value in given.items() if value for word in (name, value)]
        return pairing.print_service([*words, *(["--plain"] if plain else [])])
    if relay:
        return pairing.run(pairing.publish(pairing.known_pairing(relay), keep=keep))
    return pairing.run(pairing.publish_here(port, host, public_url, plain=plain, keep=keep))


@click.command()
@click.argument("url", required=False)
@click.argument("code", required=False)
@_plain
def pair(url: str | None, code: str | None, plain: bool) -> int:
    """Pair this inbox with the relay at URL, or invite another device to it.

    CODE is from “ccq-tui relay invite”; without it, this asks for it. Once the inbox is paired with the
    relay, this shows an invitation; with only one relay, URL may be left out.
    """
    if url and (code or plain or not pairing.known_pairings(url)):
        return pairing.run(pairing.pair(url, code or _asked_code(), sealed=not plain))
    return pairing.run(pairing.invite(pairing.known_pairing(url)))


def _asked_code() -> str:
    """Ask for a code, which so stays out of the list of processes."""
    echo("Code of “ccq-tui relay invite”:", err=True)
    return sys.stdin.readline() if sys.stdin else ""


@click.group(invoke_without_command=True)
@as_json_flag
@click.pass_context
def devices(context: click.Context, /, as_json: bool) -> int:
    """List paired devices."""
    if context.invoked_subcommand is not None:
        return ENDED

    found, problems = asyncio.run(pairing.found_devices())
    if as_json:
        print_lines(list_report("devices", [asdict(device) for _, device in found]))
    elif found:
        heads = ("NAME", "ID", "PAIRED", "LAST SEEN", "RELAY")
        print_lines("\n".join(table(heads, [pairing.device_row(device) for _, device in found])))
    elif not problems:
        echo("No device is paired. To pair one: ccq-tui phone")
    if problems:
        raise Refused("\n".join(problems))
    return ENDED


@devices.command()
@click.argument("device", metavar="NAME|ID")
def revoke(device: str) -> int:
    """Revoke a device immediately. It can no longer read or answer."""
    found, problems = asyncio.run(pairing.found_devices())
    matching = [row for row in found if device and (row[1].name == device or row[1].id.startswith(device))]
    if len(matching) != 1:
        missing = f" ({'; '.join(problems)})" if problems else ""
        many = len(matching) or "no"
        raise Refused(f"{many} devices have this name or id{missing}; ccq-tui devices lists their ids.")
    ((at, one),) = matching
    with pairing.refusing_remote():
        asyncio.run(pairing.revoke(at, one.id))
    echo(f"{one.name or one.id} is revoked: it can no longer read or answer.")
    return ENDED


@devices.command()
@click.argument("relay", metavar="URL")
def forget(relay: str) -> int:
    """End the pairing with a relay. Its devices are revoked, its secrets forgotten."""
    matching = pairing.known_pairings(relay)
    if not matching:
        raise Refused("this inbox is not paired with that relay; ccq-tui devices lists them.")
    pairing.forget(matching)
    echo(f"{matching[0].public} is forgotten: nothing is published to it.")
    return ENDED
