"""Lists to choose from, over the session's screen."""

from ccq_tui.screens.pickers.picker import Picker

__all__ = ["Picker"]
