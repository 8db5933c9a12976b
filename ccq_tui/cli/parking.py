"""Parks a session that another ccq-tui runs."""

from __future__ import annotations

import time

import click

from ccq_tui.cli.exits import CRASHED, ENDED, Refused
from ccq_tui.cli.store import complete_sessions, find_session, opened_store, print_lines
from ccq_tui.text import one_line

SURFACE = "ccq-tui park"


@click.command()
@click.argument("session", shell_complete=complete_sessions)
def park(session: str) -> int:
    """Let the process of a session go while its questions wait.

    The ccq-tui that runs the session does it. SESSION is its id, which may be cut short where no other
    begins alike.
    """
    from ccq_tui.inbox.parking import LOOK_SECONDS, Ending, ParkWish

    with opened_store() as store:
        key = find_session(store, session)
        if store is None:
            raise Refused("there is no inbox.")
        known = store.session(key)
        wish = ParkWish(key, SURFACE)
        while (parking := wish.look(store)) is None:
            time.sleep(LOOK_SECONDS)
    name = one_line((known.name if known else "") or key, 60)
    words = f"{name} {one_line(parking.words, 300)}."
    if parking.ending is Ending.REFUSED:
        raise Refused(words)
    if parking.ending is Ending.SLOW:
        click.echo(words, err=True)
        return CRASHED
    print_lines(words)
    return ENDED
