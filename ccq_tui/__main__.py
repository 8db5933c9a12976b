"""Lets ``python -m ccq_tui`` start the program."""

import sys

from ccq_tui.cli import main

sys.exit(main())
