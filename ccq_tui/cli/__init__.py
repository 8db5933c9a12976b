"""The command line. Each command itself imports whatever is slow to load."""

from ccq_tui.cli.main import main

__all__ = ["main"]
