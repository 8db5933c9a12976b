"""A recording as labelled lines."""

from __future__ import annotations

from ccq_tui.agent.events import HistoryLoaded, SessionState, StateChanged
from ccq_tui.agent.recorded import Recording
from ccq_tui.plain.lines import Lines
from ccq_tui.plain.transcript import PlainTranscript
from ccq_tui.transcript.model import TranscriptModel


def print_recording(recording: Recording) -> None:
    """Print a recording as a transcript; its events are past, so that nothing in it asks for anything."""
    transcript = PlainTranscript(TranscriptModel(), Lines())
    for event in recording.events():
        transcript.apply(HistoryLoaded((event,), goes_on=True))
    transcript.apply(StateChanged(SessionState.ENDED))
