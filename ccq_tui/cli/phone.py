"""The commands that let a phone answer: the relay of this machine, pairings with others, paired devices."""

import asyncio
import os
import secrets
import shlex
import shutil
import signal
import sys
from collections import deque
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import click

from ccq_tui.cli.exits import Refused, refusing, serve
from ccq_tui.cli.options import as_json_flag
from ccq_tui.config.load import load_settings
from ccq_tui.config.paths import state_dir
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.format import brief
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.layout import table
from ccq_tui.inbox.port import InboxChange, Settled
from ccq_tui.inbox.records import list_report
from ccq_tui.inbox.requests import Denied
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.output import Styled, echo, encodable, not_terminals, sign
from ccq_tui.processes import own_command
from ccq_tui.questions import Declined
from ccq_tui.remote.client import RelayClient, RelayError, Unpaired
from ccq_tui.remote.pairings import Pairing, PairingsError, change_pairings, pairings_file, read_pairings
from ccq_tui.remote.phone.address import AddressError, find_address, fingerprint_of, origin_of
from ccq_tui.remote.phone.devices import PairedDevice, arrivals, code_for_device, devices_of, link_for_device
from ccq_tui.remote.phone.service import SYSTEMS, service_steps, service_text
from ccq_tui.remote.seal import KEY_BYTES, Code, SealError, to_base64
from ccq_tui.text import one_line
from ccq_tui.words import SHORT

PORT = 8765
LASTS = timedelta(minutes=5)
"""How long an invitation lasts."""
KEYS = ("Enter   a new code", "Ctrl+C  end")
RECENT: deque[tuple[Styled, str]] = deque(maxlen=12)
"""What was printed last, which stays when a used code is cleared away."""
ERRORS = (AddressError, InboxError, PairingsError, RelayError, SealError)
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
) -> None:
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
        _print_service([*words, *(["--plain"] if plain else [])])
    elif relay:
        serve(_publish(_known_pairing(relay), keep=keep), *ERRORS)
    else:
        serve(_publish_here(port, host, public_url, plain=plain, keep=keep), *ERRORS)


def _print_service(words: list[str]) -> None:
    """Print a service that runs ``ccq-tui phone`` with these words, and how it is installed."""
    system = SYSTEMS.get(sys.platform)
    if system is None:
        raise Refused("services are for systemd and launchd; here, start “ccq-tui phone --keep” at login.")
    echo(service_text(system, [*own_command(), "phone", "--keep", *words], os.environ))
    echo(service_steps(system, shlex.join(["ccq-tui", "phone", "--service", *words])), err=True)


@click.command()
@click.argument("url", required=False)
@click.argument("code", required=False)
@_plain
def pair(url: str | None, code: str | None, plain: bool) -> None:
    """Pair this inbox with the relay at URL, or invite another device to it.

    CODE is from “ccq-tui relay invite”; without it, this asks for it. Once the inbox is paired with the
    relay, this shows an invitation; with only one relay, URL may be left out.
    """
    if not url or not (code or plain or not _known_pairings(url)):
        serve(_invite(_known_pairing(url)), *ERRORS)
        return
    if not code:  # typed, it stays out of the list of processes
        echo("Code of “ccq-tui relay invite”:", err=True)
        code = sys.stdin.readline() if sys.stdin else ""
    serve(_pair(url, code, sealed=not plain), *ERRORS)


# -- publishing ---------------------------------------------------------------------------------------------


async def _publish_here(port: int, host: str, public: str, *, plain: bool, keep: bool) -> None:
    """Serve a relay of this machine, and publish to it."""
    from ccq_tui.remote.phone.serving import home_relay
    from ccq_tui.remote.relay.store import StoreError
    from ccq_tui.web.serving import ServeError

    _say("Starting the relay of this machine.")
    directory = state_dir() / "relay"
    with refusing(ServeError, StoreError):
        address = await asyncio.to_thread(
            find_address, port, directory, _say, host=host, public=public, plain=plain
        )
        is_known = any(".ts.net:" in one.public for one in _known_pairings())
        if keep and is_known and not host and address.is_self_signed:
            # At the start of the machine, Tailscale may come up later than this, which is started again.
            raise Refused("devices know this machine by Tailscale: run: tailscale up")
        relay = home_relay(address, directory, pairings_file(), sealed=not plain)
        async with relay as (pairing, serving):
            if serving is None:
                if keep:
                    raise Refused("the relay of this machine runs already: end that “ccq-tui phone” first.")
                _say("The relay of this machine runs already, in another “ccq-tui phone”.")
            await _publish(pairing, keep=keep, relay=serving)


async def _publish(pairing: Pairing, *, keep: bool, relay: asyncio.Task[None] | None = None) -> None:
    """Publish the inbox, and invite devices, until a signal comes or a part of it ends."""
    from ccq_tui.remote.leader import Leader
    from ccq_tui.remote.waker import waking

    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    settings = load_settings(project=False).settings
    async with waking(settings) as waker, RelayClient(pairing) as client:
        await waker.inbox.opened()
        # Whatever asks here is asked: a person can answer.
        waker.inbox.listen()
        if not keep:  # a journal is no place for texts of questions
            waker.inbox.subscribe(_say_settled)
        leader = Leader(settings, inbox=waker.inbox, on_sign=_say_reached)
        parts: list[Coroutine[Any, Any, Any]] = [leader.run(), waker.run()]
        if keep:
            _say(f"Published to {pairing.public}. Ctrl+C or SIGTERM ends it.")
            parts.append(_say_arrivals(client))
        else:
            used = asyncio.Event()
            parts += [_keep_inviting(client, used), _say_arrivals(client, used)]
        tasks = [asyncio.create_task(one) for one in (stop.wait(), *parts)]
        try:
            watched = [*tasks, relay] if relay else tasks
            done, _ = await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=5.0)
    if not keep:
        with suppress(OSError):  # the terminal may be gone
            echo("")  # Ctrl+C left its sign on the line
            _say("Ended. Paired devices stay paired.")


# -- inviting ---------------------------------------------------------------------------------------------


async def _show_invitation(client: RelayClient, keys: tuple[str, ...] = ()) -> None:
    """Invite a device, and show how.

    Args:
        client: The client of the pairing.
        keys: What the keys do.

    Raises:
        RelayError: The relay did not take the invitation.
    """
    from ccq_tui.remote.phone.card import InvitationCard

    pairing = client.pairing
    link, code = await asyncio.gather(link_for_device(client), code_for_device(client))
    until = f"{datetime.now().astimezone() + LASTS:%H:%M}"
    fingerprint = fingerprint_of(Path(pairing.certificate)) if pairing.certificate else ""
    card = InvitationCard(pairing.public, pairing.is_sealed, link, code, until, fingerprint, keys)
    draws = "output" not in not_terminals() and encodable("█", sys.stdout) == "█"  # noqa: TID251 - asked
    columns, rows = shutil.get_terminal_size()
    for line in card.lines(columns, rows, draws=draws):
        echo(*line)


async def _keep_inviting(client: RelayClient, used: asyncio.Event) -> None:
    """Show an invitation, and another one at each Enter, until cancelled; ``used`` once a device has it."""
    enter, loop = asyncio.Event(), asyncio.get_running_loop()

    def typed() -> None:
        with suppress(OSError):  # the terminal is gone
            if os.read(sys.stdin.fileno(), 4096):
                return enter.set()
        return signal.raise_signal(signal.SIGHUP)

    if "input" not in not_terminals():
        loop.add_reader(sys.stdin, typed)
    while True:
        try:
            used.clear()
            await _show_invitation(client, KEYS)
            await asyncio.wait_for(enter.wait(), LASTS.total_seconds())
        except RelayError as error:
            _say(f"No code: {one_line(str(error), 300)}. Enter tries again.")
        except TimeoutError:
            if not used.is_set():
                _say("The code has expired. Enter shows a new one.")
        await enter.wait()
        enter.clear()


# -- saying -----------------------------------------------------------------------------------------------


def _say(line: str) -> None:
    """Print what has happened, with its time."""
    RECENT.append((Styled(f"{datetime.now().astimezone():%H:%M}  ", dim=True), line))
    echo(*RECENT[-1])


def _say_reached(sign: str) -> None:
    _say(f"{sign[:1].upper()}{sign[1:]}: see ccq-tui devices." if sign else "The relay is reached.")


async def _say_arrivals(client: RelayClient, used: asyncio.Event | None = None) -> None:
    """Print each device that is paired, until cancelled; the invitation on the screen is used then."""
    async for device in arrivals(client):
        name = device.name or "A device without a name"
        if used is None:
            _say(f"{name} is paired, and shows what waits.")
            continue
        used.set()
        sign("\x1b[H\x1b[2J")
        for line in RECENT:
            echo(*line)
        _say(f"{name} is paired. Enter shows a code for another device.")


def _say_settled(change: InboxChange) -> None:
    """Print what a device decided."""
    if isinstance(change, Settled) and change.actor and change.actor.surface is Surface.DEVICE:
        what = "Declined" if isinstance(change.outcome, Declined | Denied) else "Answered"
        summary = one_line(kind_of(change.request).summary(change.request), 200)
        _say(f"{what} {change.actor.where}: {summary}")


# -- pairings ---------------------------------------------------------------------------------------------


async def _pair(url: str, code: str, *, sealed: bool) -> None:
    """Redeem an invitation of a relay, and invite a first device."""
    relay, read = origin_of(url, "URL"), Code.read(code)
    async with RelayClient(Pairing("", relay, relay, "")) as client:
        invited = {"invitation": read.invitation, "proof": read.secret}
        # The machine's name would reach the relay unsealed.
        name, token = await client.new_pairing(**invited, sealed=sealed, name="")
    key = to_base64(secrets.token_bytes(KEY_BYTES)) if sealed else ""
    pairing = Pairing(name, relay, relay, token, key)
    lost = [one.id for one in _known_pairings(relay) if await _is_lost(one)]
    change_pairings(pairings_file(), add=[pairing], remove=lost)
    echo(f"This inbox is paired with {relay}.")
    echo(f"To publish also while no ccq-tui runs: ccq-tui phone --keep --relay {relay}")
    await _invite(pairing)


async def _is_lost(pairing: Pairing) -> bool:
    """Whether a relay no longer knows a pairing."""
    try:
        async with RelayClient(pairing) as client:
            await client.devices()
    except RelayError as error:
        return isinstance(error, Unpaired)
    return False


async def _invite(pairing: Pairing) -> None:
    """Invite a device to a pairing."""
    async with RelayClient(pairing) as client:
        await _show_invitation(client)


def _known_pairings(relay: str | None = None) -> list[Pairing]:
    """Return all pairings, or those with a relay; raises `Refused`."""
    with refusing(PairingsError):
        found = read_pairings(pairings_file())
    return [one for one in found if relay is None or relay.rstrip("/") in (one.relay, one.public)]


def _known_pairing(relay: str | None) -> Pairing:
    """Return the pairing with a relay, or with the only one."""
    found = _known_pairings(relay)
    if not found:
        raise Refused("nothing is paired: run “ccq-tui phone”, or “ccq-tui pair URL” for a relay elsewhere.")
    names = sorted({one.public for one in found})
    if len(names) > 1:
        raise Refused(f"there are several relays: name one, as in ccq-tui pair {' or '.join(names)}")
    return found[-1]


# -- devices ----------------------------------------------------------------------------------------------


@click.group(invoke_without_command=True)
@as_json_flag
def devices(as_json: bool) -> None:
    """List paired devices."""
    if click.get_current_context().invoked_subcommand is not None:
        return

    found, problems = asyncio.run(_found_devices())
    if as_json:
        echo(list_report("devices", [asdict(device) for _, device in found]))
    elif found:
        heads = ("NAME", "ID", "PAIRED", "LAST SEEN", "RELAY")
        echo("\n".join(table(heads, [_row(device) for _, device in found])))
    elif not problems:
        echo("No device is paired. To pair one: ccq-tui phone")
    if problems:
        raise Refused("\n".join(problems))


@devices.command()
@click.argument("device", metavar="NAME|ID")
def revoke(device: str) -> None:
    """Revoke a device immediately. It can no longer read or answer."""
    found, problems = asyncio.run(_found_devices())
    matching = [row for row in found if device and (row[1].name == device or row[1].id.startswith(device))]
    if len(matching) != 1:
        missing = f" ({'; '.join(problems)})" if problems else ""
        many = len(matching) or "no"
        raise Refused(f"{many} devices have this name or id{missing}; ccq-tui devices lists their ids.")
    ((at, one),) = matching
    with refusing(RelayError):
        asyncio.run(_revoke(at, one.id))
    echo(f"{one.name or one.id} is revoked: it can no longer read or answer.")


@devices.command()
@click.argument("relay", metavar="URL")
def forget(relay: str) -> None:
    """End the pairing with a relay. Its devices are revoked, its secrets forgotten."""
    matching = _known_pairings(relay)
    if not matching:
        raise Refused("this inbox is not paired with that relay; ccq-tui devices lists them.")
    for one in matching:
        try:
            asyncio.run(_revoke(one))
        except RelayError as error:
            echo(f"Its devices were not revoked: {one_line(str(error), 300)}.", err=True)
    with refusing(PairingsError):
        change_pairings(pairings_file(), remove=[one.id for one in matching])
    echo(f"{matching[0].public} is forgotten: nothing is published to it.")


async def _found_devices() -> tuple[list[tuple[Pairing, PairedDevice]], list[str]]:
    """Return the devices of each relay that is reached, and what is wrong with the others."""
    found: list[tuple[Pairing, PairedDevice]] = []
    problems: list[str] = []
    for pairing in _known_pairings():
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
    async with RelayClient(pairing) as client:
        found = [{"id": device}] if device else await client.devices()
        for one in sorted(found, key=lambda one: one.get("role") == "terminal"):
            await client.revoke(str(one.get("id", "")))


def _row(device: PairedDevice) -> tuple[str, ...]:
    """Return a device as a row of a table."""
    times = map(_brief, (device.paired_at, device.seen_at))
    return device.name or "(no name)", device.id[:SHORT], *times, device.relay


def _brief(text: str) -> str:
    try:
        return brief(datetime.fromisoformat(text))
    except ValueError:
        return "?"
