"""The log pane: a session's transcript as data, drawn only where it is seen."""

from ccq_tui.widgets.transcript.model import TranscriptModel
from ccq_tui.widgets.transcript.order import BlockChange
from ccq_tui.widgets.transcript.pen import Counters
from ccq_tui.widgets.transcript.widget import Transcript

__all__ = ["BlockChange", "Counters", "Transcript", "TranscriptModel"]
