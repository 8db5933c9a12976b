"""The command that prints a recorded session."""

import sys

import click

from ccq_tui.cli.exits import Refused, refusing
from ccq_tui.cli.options import as_json_flag, plain_flag
from ccq_tui.output import echo

STDIN = "-"


@click.command()
@click.argument("file", metavar="FILE|-", type=click.Path(allow_dash=True))
@as_json_flag
@plain_flag
def replay(*, file: str, as_json: bool, **_flags: object) -> None:
    """Print a recording as a transcript, or its questions and answers as JSON.

    FILE is the output of "claude -p --output-format stream-json", or a session's .jsonl file (Claude Code
    keeps these under ~/.claude/projects); - reads standard input.
    """
    from ccq_tui.agent.events import HistoryLoaded, SessionState, StateChanged
    from ccq_tui.agent.recorded import RecordingError, open_recording, recorded_questions
    from ccq_tui.inbox.records import list_report
    from ccq_tui.plain.lines import Lines
    from ccq_tui.plain.transcript import PlainTranscript
    from ccq_tui.transcript.model import TranscriptModel

    if file == STDIN and (sys.stdin is None or sys.stdin.isatty()):
        raise Refused(
            "standard input is the terminal: pipe a recording into it, "
            "as in claude -p --verbose --output-format stream-json ... | ccq-tui replay -"
        )
    with refusing(RecordingError):
        recording = open_recording(sys.stdin.fileno() if file == STDIN else file)
    try:
        if as_json:
            echo(list_report("questions", recorded_questions(recording)))
            return
        transcript = PlainTranscript(TranscriptModel(), Lines())
        for event in recording.events():  # as the past, so that nothing in it asks for anything
            transcript.apply(HistoryLoaded((event,), goes_on=True))
        transcript.apply(StateChanged(SessionState.ENDED))
    finally:
        if recording.bad:
            echo(f"{recording.name}: {recording.trouble}", err=True)
