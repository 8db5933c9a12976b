"""The command that parks a session of another ccq-tui."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from ccq_tui.cli.exits import CRASHED, ENDED, Refused
from ccq_tui.cli.session import end_on_signals
from ccq_tui.cli.store import complete_sessions, find_session, opened_store, print_lines
from ccq_tui.output import echo
from ccq_tui.text import one_line

if TYPE_CHECKING:
    from ccq_tui.inbox.park_requests import Parking, ParkWish
    from ccq_tui.inbox.store.store import Store

NONE_RUNNING = "name a session; no running one has a request waiting. ccq-tui sessions lists all."
SOME_RUNNING = "name a session. These running ones have a request waiting:"


@click.command()
@click.argument("session", metavar="SESSION", required=False, shell_complete=complete_sessions)
def park(session: str | None) -> int:
    """Stop a session's process; its questions keep waiting.

    The ccq-tui that runs the session does it. SESSION is an id or any unambiguous prefix.
    """
    from ccq_tui.inbox.actors import Actor, Surface
    from ccq_tui.inbox.park_requests import Ending, ParkWish

    end_on_signals()
    with opened_store() as store:
        if session is None:
            raise Refused(_which(store))
        key = find_session(store, session)
        if store is None:
            raise Refused("no inbox exists yet: start a session with ccq-tui first.")
        known = store.sessions.get(key)
        parking = _followed(store, ParkWish(key, Actor.here(Surface.COMMAND, "ccq-tui park")))
    name = one_line((known.name if known else "") or key, 60)
    words = f"{name} {one_line(parking.words, 300)}."
    if parking.ending is Ending.REFUSED:
        raise Refused(words)
    if parking.ending is Ending.SLOW:
        echo(words, err=True)
        return CRASHED
    print_lines(words)
    return ENDED


def _followed(store: Store, wish: ParkWish) -> Parking:
    from ccq_tui.inbox.park_requests import LOOK_SECONDS

    try:
        while (parking := wish.look(store)) is None:
            time.sleep(LOOK_SECONDS)
    except BaseException:
        # Ctrl+C or a signal: the session must not be parked later, when nobody wants it any more.
        wish.withdraw(store)
        raise
    return parking


def _which(store: Store | None) -> str:
    """List the sessions that can be parked, when none was named."""
    from ccq_tui.inbox.format import session_lines, shortener
    from ccq_tui.processes import alive

    waiting = store.requests.waiting_counts() if store else {}
    sessions = [one for one in store.sessions.page(limit=-1) if one.id in waiting] if store else []
    running = [one for one in reversed(sessions) if alive(one.owner)]
    if store is None or not running:
        return NONE_RUNNING
    lines = session_lines(running, waiting, shortener(store.ids.sessions()))
    return "\n".join([SOME_RUNNING, *lines])
