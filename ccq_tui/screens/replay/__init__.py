"""The screen on which a recording is read."""

from ccq_tui.screens.replay.screen import ReplayScreen as ReplayScreen
