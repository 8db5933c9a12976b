"""The log pane: a session's transcript, drawn only where it is seen."""

from ccq_tui.widgets.transcript.widget import Transcript

__all__ = ["Transcript"]
