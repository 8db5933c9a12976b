"""Turns what the program was launched with into what a session is started with."""

from ccq_tui.agent.launching import session_options

__all__ = ["session_options"]
