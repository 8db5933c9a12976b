"""Screens: they own the handlers and the state of what is shown."""
