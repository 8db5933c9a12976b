"""Commands that resume a session, or export it."""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ccq_tui.cli.exits import ENDED, Refused, Taken
from ccq_tui.cli.options import given_settings, setting_flags
from ccq_tui.cli.store import complete_sessions, find_session, opened_store, print_lines
from ccq_tui.output import echo
from ccq_tui.text import one_line, reason

if TYPE_CHECKING:
    from ccq_tui.agent.history import SessionPast

_WHOLE = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@click.command()
@click.argument("session", shell_complete=complete_sessions)
@click.option("--fork", is_flag=True, help="Continue under a new id and leave the session unchanged.")
@setting_flags(hidden=True)
@click.pass_context
def resume(context: click.Context, /, session: str, fork: bool, **_flags: object) -> int:
    """Resume a session on the screen, in its directory.

    A question that waits in it opens at once. SESSION is an id or any unambiguous prefix.
    """
    from ccq_tui.cli.session import begin
    from ccq_tui.cli.worktrees import there_again

    known = _known(session)
    if known.process and not fork:
        raise Taken(
            f"the session runs in another ccq-tui (process {known.process}): "
            f"continue there, or fork it: ccq-tui resume {one_line(known.id, 40)} --fork"
        )
    given = given_settings(context)
    if known.directory and "cwd" not in given:
        if not there_again(Path(known.directory)):
            where = one_line(known.directory, 300)
            raise Refused(f"the session's directory {where} does not exist; --cwd names another one.")
        given["cwd"] = known.directory
    return begin(given, resume=known.id, fork=fork)


@click.command()
@click.argument("session", shell_complete=complete_sessions)
@click.option("--format", "form", type=click.Choice(("md", "json")), default="md", help="[default: md]")
def export(session: str, form: str) -> int:
    """Print a session's transcript.

    SESSION is an id or any unambiguous prefix. The last 200,000 messages that Claude Code keeps of it
    are printed.
    """
    import asyncio

    from ccq_tui.agent.history import read_history
    from ccq_tui.agent.options import SessionOptions
    from ccq_tui.agent.reader import ReaderError

    known = _known(session)
    options = SessionOptions(cwd=Path(known.directory or os.curdir), resume=known.id)
    try:
        past = asyncio.run(read_history(options))
    except ReaderError as error:
        raise Refused(f"the session cannot be read: {one_line(reason(error), 300)}.") from error
    if not past.events:
        where = one_line(known.directory, 300) or "this directory"
        raise Refused(
            f"Claude Code has no record of session {one_line(known.id, 80)} in {where}: "
            "check CLAUDE_CONFIG_DIR."
        )
    print_lines(_written(known, past, form).rstrip("\n"))
    if past.cut:
        echo("Older messages are left out.", err=True)
    return ENDED


class _Known(NamedTuple):
    """A session's id, what the inbox knows of it or "", and the process that runs it or 0."""

    id: str
    directory: str = ""
    name: str = ""
    process: int = 0


def _known(name: str) -> _Known:
    """Find a session; a whole id may be one that Claude Code alone knows."""
    from ccq_tui.processes import alive

    with opened_store() as store:
        known = store.sessions.get(name)
        if known is None and _WHOLE.fullmatch(name):
            return _Known(name)
        key = find_session(store, name)
        known = store.sessions.get(key)
    if known is None:
        return _Known(key)
    process = known.owner.pid if known.owner is not None and alive(known.owner) else 0
    return _Known(key, known.directory, known.name, process)


def _written(known: _Known, past: SessionPast, form: str) -> str:
    from ccq_tui.agent.events import HistoryLoaded
    from ccq_tui.text import safe
    from ccq_tui.transcript.export import export_json, export_markdown
    from ccq_tui.transcript.model import TranscriptModel
    from ccq_tui.widgets.transcript.painter import plain_text

    model = TranscriptModel()
    model.apply(HistoryLoaded(past.events, past.cut))
    facts = {"name": known.name, "id": known.id, "cwd": known.directory}
    at = datetime.now().astimezone()
    if form == "json":
        return export_json(model.blocks, session=facts, at=at, draw=plain_text)
    return safe(export_markdown(model.blocks, session=facts, at=at, draw=plain_text))
