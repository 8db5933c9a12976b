"""Checks of the terminal and of the directories to write to."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from ccq_tui.config.paths import config_dir, inbox_path, log_dir, state_dir
from ccq_tui.doctor.check import Check, Level
from ccq_tui.output import colourless, not_terminals
from ccq_tui.words import bytes_counted

SMALLEST = (40, 12)
LARGE = 200_000_000
"""Most bytes of an inbox, with its copies, without a word about it."""
TERMINAL = "Terminal"
DIRECTORIES = "Directories"


def examine_terminal() -> list[Check]:
    """Check the terminal that this program runs in."""
    return [_tty(), _size(), _kind(), _colours(), _encoding()]


def examine_directories() -> list[Check]:
    """Check that the program's directories can be written, without making them."""
    return [
        _writable("Configuration", config_dir(), Level.WARNING),
        _writable("State", state_dir(), Level.FAILURE),
        _writable("Logs", log_dir(), Level.WARNING),
        *_inbox(inbox_path()),
    ]


def _tty() -> Check:
    if not (missing := not_terminals()):
        return Check(TERMINAL, "Screen", "input and output are a terminal")
    found = f"standard {' and '.join(missing)}: not a terminal"
    # The doctor's own output may well go to a file, so this says nothing about the next start.
    return Check(TERMINAL, "Screen", found, Level.WARNING, "Start ccq-tui without a pipe or a redirection.")


def _size() -> Check:
    columns, rows = shutil.get_terminal_size()
    found = f"{columns} × {rows}"
    if columns >= SMALLEST[0] and rows >= SMALLEST[1]:
        return Check(TERMINAL, "Size", found)
    advice = f"Make the window larger: {SMALLEST[0]} × {SMALLEST[1]} is the least, 80 × 24 is comfortable."
    return Check(TERMINAL, "Size", found, Level.WARNING, advice)


def _kind() -> Check:
    kind = os.environ.get("TERM", "")
    if kind == "dumb":
        advice = "ccq-tui goes line by line here; for the screen, use a terminal that can move the cursor."
        return Check(TERMINAL, "TERM", kind, Level.WARNING, advice)
    if not kind and os.name != "nt":
        return Check(TERMINAL, "TERM", "not set", Level.WARNING, "Set TERM, for example to xterm-256color.")
    return Check(TERMINAL, "TERM", kind or "not needed here")


def _colours() -> Check:
    if os.environ.get("NO_COLOR"):
        return Check(TERMINAL, "Colours", "none, because NO_COLOR is set")
    if colourless():
        return Check(TERMINAL, "Colours", "none: TERM names a terminal without colours")
    if os.environ.get("COLORTERM", "").lower() in {"truecolor", "24bit"} or os.name == "nt":
        return Check(TERMINAL, "Colours", "16 million")
    found = "256" if "256" in os.environ.get("TERM", "") else "16"
    advice = "The themes use 16 million colours: if the terminal supports them, set COLORTERM=truecolor."
    return Check(TERMINAL, "Colours", found, Level.WARNING, advice)


def _encoding() -> Check:
    encoding = (getattr(sys.stdout, "encoding", None) or "unknown").lower()  # noqa: TID251 - asked
    if encoding.replace("-", "") == "utf8":
        return Check(TERMINAL, "Encoding", "UTF-8")
    return Check(
        TERMINAL, "Encoding", encoding, Level.FAILURE, "Set a UTF-8 locale, for example LC_ALL=C.UTF-8."
    )


def _writable(name: str, directory: Path, level: Level) -> Check:
    # Path.exists raises PermissionError below a directory that cannot be entered.
    nearest = next(path for path in (directory, *directory.parents) if os.path.exists(path))  # noqa: PTH110
    problem = _problem(nearest, exact=nearest == directory)
    if problem is None:
        return Check(
            DIRECTORIES, name, str(directory) + ("" if nearest == directory else "  (not created yet)")
        )
    advice = f"Make {nearest} a directory that you can write to."
    return Check(DIRECTORIES, name, f"{directory}: {problem}", level, advice)


def _inbox(path: Path) -> list[Check]:
    """Measure the inbox, if there is one that can be looked at."""
    try:
        size = sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))
    except OSError:
        return []
    if size <= LARGE:
        return [Check(DIRECTORIES, "Inbox", bytes_counted(size))] if size else []
    advice = "ccq-tui inbox prune --before 90d deletes what was answered and delivered before."
    return [Check(DIRECTORIES, "Inbox", bytes_counted(size), Level.WARNING, advice)]


def _problem(directory: Path, *, exact: bool) -> str | None:
    """Return why a directory cannot be written; a parent (not ``exact``) is only asked, not written to."""
    if not directory.is_dir():
        return f"{directory} is not a directory"
    if not exact:
        return None if os.access(directory, os.W_OK | os.X_OK) else f"{directory} cannot be written"
    try:
        with tempfile.TemporaryFile(dir=directory):
            return None
    except OSError as error:
        return error.strerror or str(error)
