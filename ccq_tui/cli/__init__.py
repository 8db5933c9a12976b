"""The command line. Whatever is slow to load is loaded by the command that needs it."""

from ccq_tui.cli.main import main

__all__ = ["main"]
