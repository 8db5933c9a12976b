"""The command that serves a relay, and invites terminals to it."""

from collections.abc import Coroutine
from typing import Any

import click

from ccq_tui.cli.exits import saying, serve
from ccq_tui.cli.options import flag, listening_flags, port_flag, with_flags
from ccq_tui.config.paths import state_dir
from ccq_tui.output import echo
from ccq_tui.web.serving import ServeError, check_public, stopped_by_signals

_of_store = with_flags(
    flag("--store", "URL", "Where it keeps everything: sqlite:PATH or redis://HOST:PORT/NUMBER."),
    flag("--public-url", "URL", "By which others reach it.", default=""),
)


@click.group(invoke_without_command=True)
@listening_flags
@port_flag(8765)
@_of_store
def relay(store: str | None, **options: Any) -> None:
    """Serve a relay, through which phones answer questions.

    For a relay on a server; on your own machine "ccq-tui phone" starts one by itself.
    """
    if click.get_current_context().invoked_subcommand is not None:
        return
    from ccq_tui.remote.relay.serve import RelayOptions, serve_relay

    async def serving() -> None:
        how = RelayOptions(_store(store), **options)
        started = saying("a relay", "To pair a terminal with it: ccq-tui relay invite")
        await serve_relay(how, started=started, stop=stopped_by_signals())

    _run(serving())


@relay.command()
@_of_store
def invite(store: str | None, public_url: str) -> None:
    """Print a code with which one terminal pairs, once within 5 minutes."""
    from ccq_tui.remote.relay.members import new_invitation
    from ccq_tui.remote.relay.sqlite import open_store

    async def inviting() -> None:
        check_public(public_url)
        async with open_store(_store(store)) as opened:
            code, _ = await new_invitation(opened)
        echo(f"ccq-tui pair {public_url or 'URL'} {code.shown}")
        echo("Run this within 5 minutes on the machine that has the inbox; it works once.", err=True)

    _run(inviting())


def _store(given: str | None) -> str:

    return given or f"sqlite:{state_dir() / 'relay.db'}"


def _run(running: Coroutine[Any, Any, None]) -> None:
    from ccq_tui.remote.relay.store import StoreError

    serve(running, ServeError, StoreError)
