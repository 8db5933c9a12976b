"""The tests and the bench: each program that they start finds its modules compiled."""

import os
import sys
from pathlib import Path

if sys.dont_write_bytecode:
    # Without it each worker compiles all tests anew, and each program that a test starts all of its modules.
    # Whoever wants none of it in the tree gets it into the environment that is used.
    sys.dont_write_bytecode = False
    sys.pycache_prefix = sys.pycache_prefix or str(Path(sys.prefix) / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
