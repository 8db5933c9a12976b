"""The command that waits for a request or a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ccq_tui.cli.exits import CRASHED, ENDED, Refused
from ccq_tui.cli.options import as_json_flag, seconds_in
from ccq_tui.cli.session import end_on_signals
from ccq_tui.cli.store import complete_waiting, find_request, find_session, looks, opened_store, print_lines
from ccq_tui.inbox.records import report, session_record, whole_record
from ccq_tui.inbox.store.rows import RequestState, SessionState
from ccq_tui.output import echo
from ccq_tui.processes import alive
from ccq_tui.text import one_line

if TYPE_CHECKING:
    from ccq_tui.inbox.store.store import Store

Found = tuple[str, dict[str, Any]]
"""The state and the record of what was waited for."""


@click.command()
@click.argument("name", metavar="REQUEST|SESSION", shell_complete=complete_waiting)
@click.option(
    "--until",
    type=click.Choice(("answered", "idle", "ended")),
    help="Nothing waits for a person; the turn is over; no process runs. "
    "[default: answered for a request, idle for a session]",
)
@click.option(
    "--timeout", metavar="T", help="At most this long, as in 90s, 15m, 2h; 0 looks once. Then end with 1."
)
@as_json_flag
def wait(name: str, until: str | None, timeout: str | None, as_json: bool) -> int:
    """Wait until a request is decided, or a session's turn is over.

    REQUEST or SESSION is an id or any unambiguous prefix.
    """
    end_on_signals()
    once = timeout in ("0", "0s")
    seconds = 0.0 if once else seconds_in("--timeout", timeout)
    with opened_store() as store:
        what = "request" if name and store.ids.requests(name, 1) else "session"
        if what == "request" and until in ("idle", "ended"):
            raise Refused(f"--until {until} needs a session; a request is only answered.")
        if what == "request":
            asked = find_request(store, name).request
            key, called = asked.id, store.ids.name_of(asked)
        else:
            key = find_session(store, name)
            known = store.sessions.get(key)
            called = (known.name if known else "") or key
        for _ in looks(store, seconds):
            found = _request(store, key) if what == "request" else _session(store, key, until)
            if found is not None:
                words = f"{one_line(called, 80)}: {found[0]}."
                print_lines(report(what, found[1]) if as_json else words)
                return ENDED
    echo(f"{one_line(called, 80)}: still waits{'' if once else f' after {timeout}'}.", err=True)
    return CRASHED


def _request(store: Store, key: str) -> Found | None:

    now = store.requests.get(key)
    if now is None:
        raise Refused("the request was deleted; ccq-tui history has what became of it.")
    return None if now.state is RequestState.PENDING else (now.state, whole_record(now))


def _session(store: Store, key: str, until: str | None) -> Found | None:

    now, waiting = store.sessions.get(key), store.requests.waiting_counts().get(key, 0)
    if now is None:
        raise Refused("the session was deleted; ccq-tui sessions lists those that are left.")
    match until:
        case "answered":
            has_come = not waiting
        case "ended":
            has_come = not alive(now.owner)
        case _:
            has_come = not alive(now.owner) or (now.state is SessionState.IDLE and not waiting)
    rounds = len(store.requests.question_sets(key))
    return (now.state, {**session_record(now, waiting, rounds=rounds)}) if has_come else None
