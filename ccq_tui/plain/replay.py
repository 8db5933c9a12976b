"""A recording as labelled lines."""

from __future__ import annotations

from ccq_tui.agent.recorded import Recording
from ccq_tui.agent.recorded.reader import ReplayedSession
from ccq_tui.plain.lines import Lines
from ccq_tui.plain.transcript import PlainTranscript
from ccq_tui.transcript.model import TranscriptModel


async def print_recording(recording: Recording) -> None:
    """Print a recording as a transcript."""
    transcript = PlainTranscript(TranscriptModel(), Lines())
    await ReplayedSession(recording, transcript.apply).run()
