"""The command line. Each command itself imports whatever is slow to load."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - before anything that an older Python cannot import
    sys.exit(f"ccq-tui needs Python 3.11 or newer; this is {sys.version.split()[0]}.")

from ccq_tui.cli.main import main

__all__ = ["main"]
