"""Lists to choose from, over the session's screen."""

from ccq_tui.screens.pickers.picker import Picker
from ccq_tui.screens.pickers.sessions import SessionPicker, Shelf

__all__ = ["Picker", "SessionPicker", "Shelf"]
