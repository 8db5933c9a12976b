"""The commands to a session of another ccq-tui: park, send, interrupt and end."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ccq_tui.cli.exits import CRASHED, ENDED, Refused
from ccq_tui.cli.options import as_json_flag
from ccq_tui.cli.session import end_on_signals
from ccq_tui.cli.store import complete_sessions, find_session, opened_store, print_lines
from ccq_tui.output import echo
from ccq_tui.text import one_line

if TYPE_CHECKING:
    from ccq_tui.inbox.sent_commands import CommandResult, SentCommand
    from ccq_tui.inbox.store.store import Store

NONE_RUNNING = "name a session; no running one has a request waiting. ccq-tui sessions lists all."
SOME_RUNNING = "name a session. These running ones have a request waiting:"
WHICH = "SESSION is an id or any unambiguous prefix."
_session = click.argument("session", shell_complete=complete_sessions)


@click.command()
@click.argument("session", metavar="SESSION", required=False, shell_complete=complete_sessions)
@as_json_flag
def park(session: str | None, as_json: bool) -> int:
    """Stop a session's process; its questions keep waiting.

    The ccq-tui that runs the session does it. SESSION is an id or any unambiguous prefix.
    """
    if session is None:
        with opened_store() as store:
            raise Refused(_which(store))
    return _command("park", session, as_json)


@click.command()
@_session
@click.argument("text")
@as_json_flag
def send(session: str, text: str, as_json: bool) -> int:
    """Give a session a prompt.

    The ccq-tui that runs or shows the session takes it. SESSION is an id or any unambiguous prefix.
    """
    if not text.strip():
        raise Refused("the prompt is empty: give a text.")
    return _command("send", session, as_json, {"text": text})


def _without_text(kind: str, does: str) -> click.Command:
    """Return a command that takes a session alone."""

    @click.command(kind, help=f"{does}\n\nThe ccq-tui that runs the session does it. {WHICH}")
    @_session
    @as_json_flag
    def command(session: str, as_json: bool) -> int:
        return _command(kind, session, as_json)

    return command


interrupt = _without_text("interrupt", "End the running turn of a session.")
end = _without_text(
    "end", "End a session's process, also in the middle of a turn; its questions keep waiting."
)


def _command(kind: str, session: str, as_json: bool, body: Mapping[str, Any] | None = None) -> int:
    from ccq_tui.inbox.actors import Actor, Surface
    from ccq_tui.inbox.records import report
    from ccq_tui.inbox.sent_commands import Ending, SentCommand
    from ccq_tui.inbox.store.rows import CommandKind

    end_on_signals()
    with opened_store() as store:
        key = find_session(store, session)
        known = store.sessions.get(key)
        actor = Actor.here(Surface.COMMAND, f"ccq-tui {kind}")
        result = _followed(store, SentCommand(CommandKind(kind), key, actor, body))
    name = one_line((known.name if known else "") or key, 60)
    words = f"{name} {one_line(result.words, 300)}."
    if result.ending is Ending.REFUSED:
        raise Refused(words)
    if result.ending is Ending.SLOW:
        echo(words, err=True)
        return CRASHED
    done = {"kind": kind, "session": key, "result": result.ending, "words": result.words}
    print_lines(report("command", done) if as_json else words)
    return ENDED


def _followed(store: Store, command: SentCommand) -> CommandResult:
    from ccq_tui.inbox.sent_commands import LOOK_SECONDS

    try:
        while (result := command.look(store)) is None:
            time.sleep(LOOK_SECONDS)
    except BaseException:
        # Ctrl+C or a signal: nothing must be done later, when nobody wants it any more.
        command.withdraw(store)
        raise
    return result


def _which(store: Store) -> str:
    """List the sessions that can be parked, when none was named."""
    from ccq_tui.inbox.format import session_lines, shortener
    from ccq_tui.processes import alive

    waiting = store.requests.waiting_counts()
    sessions = [one for one in store.sessions.page(limit=-1) if one.id in waiting]
    running = [one for one in reversed(sessions) if alive(one.owner)]
    if not running:
        return NONE_RUNNING
    lines = session_lines(running, waiting, shortener(store.ids.sessions()))
    return "\n".join([SOME_RUNNING, *lines])
