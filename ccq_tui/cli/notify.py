"""The command that tries notifications."""

import asyncio

import click

from ccq_tui.cli.exits import CRASHED, ENDED, Refused, refusing
from ccq_tui.cli.options import given_settings, setting_flags
from ccq_tui.output import echo
from ccq_tui.text import one_line

_NOTHING = (
    "No channel is configured: set notify_urls in your config.toml, "
    'such as notify_urls = ["ntfys://ntfy.sh/your-topic"]; ccq-tui config path prints its path.'
)


@click.group()
def notify() -> None:
    """Notifications that reach you away from the terminal."""


@notify.command()
@setting_flags(hidden=True)
def test(**_flags: object) -> int:
    """Send a test through every channel, and say what failed."""
    from ccq_tui.config.load import load_settings
    from ccq_tui.remote.notify.channels import try_channels
    from ccq_tui.remote.pairings import PairingsError, pairings_file, read_pairings

    settings = load_settings(given_settings()).settings
    with refusing(PairingsError):
        pairings = read_pairings(pairings_file())
    receipts = asyncio.run(try_channels(settings, pairings))
    if not receipts:
        raise Refused(_NOTHING)
    for number, one in enumerate(receipts, 1):
        outcome = f"failed: {one.problem}" if one.problem else "delivered"
        if not (one.problem or one.sent):
            outcome = "no device has turned notifications on; open the page there"
        echo(f"{number}  {one_line(one.channel, 100)}: {outcome}")
    return CRASHED if any(one.problem for one in receipts) else ENDED
