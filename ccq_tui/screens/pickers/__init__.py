"""Lists to choose from, over the session's screen."""

from ccq_tui.screens.pickers.pick_list import PickRow
from ccq_tui.screens.pickers.picker import Picker
from ccq_tui.screens.pickers.sessions import SessionPicker
from ccq_tui.screens.pickers.shelf import Shelf, shelf_of

__all__ = ["PickRow", "Picker", "SessionPicker", "Shelf", "shelf_of"]
