"""Run by ``python -m tests.ui.keystrokes``."""

import sys

from tests.ui.keystrokes.driver import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
