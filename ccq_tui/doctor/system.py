"""Checks of the terminal and of the directories to write to."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ccq_tui.config.paths import config_dir, log_dir, state_dir
from ccq_tui.doctor.check import Check, Level
from ccq_tui.output import colourless

TERMINAL = "Terminal"
DIRECTORIES = "Directories"


def examine_terminal() -> list[Check]:
    """Check the terminal that this program runs in."""
    return [_colours(), _encoding()]


def examine_directories() -> list[Check]:
    """Check that the program's directories can be written, without making them."""
    return [
        _writable("Configuration", config_dir(), Level.WARNING),
        _writable("State", state_dir(), Level.FAILURE),
        _writable("Logs", log_dir(), Level.WARNING),
    ]


def _colours() -> Check:
    if colourless():
        return Check(TERMINAL, "Colours", "none, because of NO_COLOR or TERM")
    if os.environ.get("COLORTERM", "").lower() in {"truecolor", "24bit"} or os.name == "nt":
        return Check(TERMINAL, "Colours", "16 million")
    advice = "The themes use 16 million colours: if the terminal supports them, set COLORTERM=truecolor."
    return Check(TERMINAL, "Colours", "256 or fewer", Level.WARNING, advice)


def _encoding() -> Check:
    encoding = (getattr(sys.stdout, "encoding", None) or "unknown").lower()  # noqa: TID251 - asked
    if encoding.replace("-", "") == "utf8":
        return Check(TERMINAL, "Encoding", "UTF-8")
    advice = "Set a UTF-8 locale, for example LC_ALL=C.UTF-8."
    return Check(TERMINAL, "Encoding", encoding, Level.FAILURE, advice)


def _writable(name: str, directory: Path, level: Level) -> Check:
    # Path.exists raises PermissionError below a directory that cannot be entered.
    nearest = next(path for path in (directory, *directory.parents) if os.path.exists(path))  # noqa: PTH110
    if nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK):
        later = "" if nearest == directory else "  (not created yet)"
        return Check(DIRECTORIES, name, f"{directory}{later}")
    problem = "cannot be written" if nearest.is_dir() else "is not a directory"
    advice = f"Make {nearest} a directory that you can write to."
    return Check(DIRECTORIES, name, f"{directory}: {nearest} {problem}", level, advice)
