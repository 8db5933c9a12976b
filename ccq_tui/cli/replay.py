"""The command that shows a recorded session."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from ccq_tui.cli.exits import CRASHED, ENDED, Refused
from ccq_tui.cli.options import given_settings, plain_flag, setting_flags
from ccq_tui.cli.session import plain_why, require_terminal, say_where_the_log_is
from ccq_tui.output import echo

if TYPE_CHECKING:
    from ccq_tui.agent.recorded import Recording

STDIN = "-"


@click.command()
@click.argument("file", metavar="FILE|-", type=click.Path(allow_dash=True))
@plain_flag
@setting_flags(hidden=True)
@click.pass_context
def replay(context: click.Context, /, file: str, **_flags: object) -> int:
    """Read a recording as a transcript.

    FILE is the output of "claude -p --output-format stream-json", or a session's .jsonl file (Claude Code
    keeps these under ~/.claude/projects); - reads standard input.
    """
    from ccq_tui.config.launch import Launch, load_trusted

    settings = load_trusted(given_settings(context))[0].settings
    plain = plain_why(context)
    recording = _opened(file, keys=not plain)
    try:
        require_terminal(plain)
    except Refused:
        recording.lines.close()
        raise
    from ccq_tui.logs import start_logging

    start_logging(settings.log_level)
    if plain:
        import asyncio

        from ccq_tui.plain.replay import print_recording

        asyncio.run(print_recording(recording))
        return _reported(recording)
    from ccq_tui.cli.replay_app import ReplayApp

    app = ReplayApp(Launch(settings=settings), recording)
    try:
        app.run()
    finally:
        app.end_threads()
    if app.return_code == CRASHED:
        say_where_the_log_is()
    return _reported(recording) or app.return_code or 0


def _reported(recording: Recording) -> int:
    """Print what could not be read of a recording."""
    if recording.bad:
        echo(f"{recording.name}: {recording.trouble}", err=True)
    return ENDED


def _opened(file: str, *, keys: bool) -> Recording:
    from ccq_tui.agent.recorded import RecordingError, open_recording

    try:
        if file == STDIN:
            return open_recording(None, _taken_input(keys=keys))
        return open_recording(file)
    except RecordingError as error:
        raise Refused(str(error)) from error


def _taken_input(*, keys: bool) -> int:
    """Take standard input for the recording, and put the terminal in its place where it has ``keys``.

    Returns a descriptor of what standard input was; raises `Refused`.
    """
    if sys.stdin is None or sys.stdin.isatty():
        raise Refused(
            "standard input is the terminal: pipe a recording into it, "
            "as in claude -p --verbose --output-format stream-json ... | ccq-tui replay -"
        )
    number = sys.stdin.fileno()
    recorded = os.dup(number)
    if not keys:
        return recorded
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError as error:
        os.close(recorded)
        raise Refused(f"there is no terminal to read keys from: {error.strerror}.") from error
    os.dup2(terminal, number)
    os.close(terminal)
    return recorded
