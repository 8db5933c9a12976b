"""The commands to a session of another ccq-tui: park, send, interrupt and end."""

import time
from collections.abc import Mapping
from typing import Any

import click

from ccq_tui.cli.exits import CRASHED, ENDED, Refused
from ccq_tui.cli.options import as_json_flag
from ccq_tui.cli.session import end_on_signals
from ccq_tui.cli.store import complete_sessions, find_session, opened_store
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.records import report
from ccq_tui.inbox.sent_commands import POLL_SECONDS, Ending, SentCommand
from ccq_tui.inbox.store.rows import CommandKind
from ccq_tui.output import echo
from ccq_tui.text import one_line


def _to_session(kind: str, does: str, *more: click.Parameter) -> click.Command:
    """Return a command to a session."""
    which = "The ccq-tui that runs or shows the session does it. SESSION is an id or any unambiguous prefix."
    session = click.Argument(["session"], shell_complete=complete_sessions)

    @click.command(kind, help=f"{does}\n\n{which}", params=[session, *more])
    @as_json_flag
    def command(session: str, as_json: bool, **body: str) -> int:
        if not body.get("text", kind).strip():
            raise Refused("the prompt is empty: give a text.")
        return _command(kind, session, as_json, body)

    return command


park = _to_session("park", "Stop a session's process; its questions keep waiting.")
send = _to_session("send", "Give a session a prompt.", click.Argument(["text"]))
interrupt = _to_session("interrupt", "End the running turn of a session.")
end = _to_session("end", "Stop a session now, even mid-turn. Its questions stay in the inbox.")


def _command(kind: str, session: str, as_json: bool, body: Mapping[str, Any]) -> int:

    end_on_signals()
    with opened_store() as store:
        key = find_session(store, session)
        known = store.sessions.get(key)
        actor = Actor.here(Surface.COMMAND, f"ccq-tui {kind}")
        command = SentCommand(CommandKind(kind), key, actor, body)
        try:
            while (result := command.step(store)) is None:
                time.sleep(POLL_SECONDS)
        except BaseException:
            # Ctrl+C or a signal: nothing must be done later, when nobody wants it any more.
            command.withdraw(store)
            raise
    name = one_line((known.name if known else "") or key, 60)
    words = f"{name} {one_line(result.words, 300)}."
    if result.ending is Ending.REFUSED:
        raise Refused(words)
    if result.ending is Ending.SLOW:
        echo(words, err=True)
        return CRASHED
    done = {"kind": kind, "session": key, "result": result.ending, "words": result.words}
    echo(report("command", done) if as_json else words)
    return ENDED
