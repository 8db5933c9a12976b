"""Commands that resume a session, or export it."""

import asyncio
import os
from datetime import datetime
from pathlib import Path

import click

from ccq_tui.cli.exits import Refused, Taken, refusing
from ccq_tui.cli.options import given_settings, plain_flag, setting_flags
from ccq_tui.cli.session import begin, plain_why
from ccq_tui.cli.store import complete_sessions, known_session
from ccq_tui.output import echo
from ccq_tui.processes import alive
from ccq_tui.text import one_line


@click.command()
@click.argument("session", shell_complete=complete_sessions)
@click.option("--fork", is_flag=True, help="Continue under a new id and leave the session unchanged.")
@plain_flag
@setting_flags(hidden=True)
def resume(session: str, fork: bool, **_flags: object) -> int:
    """Resume a session on the screen, in its directory.

    A question that waits in it opens at once. SESSION is an id or any unambiguous prefix.
    """
    from ccq_tui.cli.worktrees import there_again

    name, known = known_session(session)
    if known is not None and known.owner is not None and alive(known.owner) and not fork:
        raise Taken(
            f"the session runs in another ccq-tui (process {known.owner.pid}): "
            f"continue there, or fork it: ccq-tui resume {one_line(name, 40)} --fork"
        )
    given = given_settings()
    if known is not None and known.directory and "cwd" not in given:
        if not there_again(Path(known.directory)):
            where = one_line(known.directory, 300)
            raise Refused(f"the session's directory {where} does not exist; --cwd names another one.")
        given["cwd"] = known.directory
    return begin(given, resume=name, fork=fork, plain=plain_why())


@click.command()
@click.argument("session", shell_complete=complete_sessions)
@click.option("--format", "form", type=click.Choice(("md", "json")), default="md", help="[default: md]")
def export(session: str, form: str) -> None:
    """Print a session's transcript.

    SESSION is an id or any unambiguous prefix.
    """
    from ccq_tui.agent.events import HistoryLoaded
    from ccq_tui.agent.history import read_history
    from ccq_tui.agent.reader import ReaderError
    from ccq_tui.config.launch import Launch
    from ccq_tui.config.settings import Settings
    from ccq_tui.transcript.export import export_json, export_markdown
    from ccq_tui.transcript.model import TranscriptModel
    from ccq_tui.widgets.transcript.painter import plain_text

    name, known = known_session(session)
    directory = known.directory if known is not None else ""
    launch = Launch(settings=Settings.model_construct(cwd=Path(directory or os.curdir)), resume=name)
    with refusing(ReaderError, begin="the session cannot be read: "):
        past = asyncio.run(read_history(launch))
    if not past.events:
        where = one_line(directory, 300) or "this directory"
        raise Refused(
            f"Claude Code has no record of session {one_line(name, 80)} in {where}: check CLAUDE_CONFIG_DIR."
        )
    facts = {"name": known.name if known is not None else "", "id": name, "cwd": directory}
    model, make = TranscriptModel(), export_json if form == "json" else export_markdown
    model.apply(HistoryLoaded(past.events))
    written = make(model.blocks, session=facts, at=datetime.now().astimezone(), draw=plain_text)
    echo(written.rstrip("\n"))
