"""Reads recordings: stream-json, and the files in which Claude Code keeps its sessions."""

from ccq_tui.agent.recorded.reader import Recording, RecordingError, open_recording

__all__ = ["Recording", "RecordingError", "open_recording"]
