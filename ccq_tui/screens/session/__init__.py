"""The screen of one session: transcript, prompt or panel, status."""

from ccq_tui.screens.session.screen import SessionScreen

__all__ = ["SessionScreen"]
