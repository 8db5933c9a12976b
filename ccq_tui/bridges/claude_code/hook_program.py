"""The program that a hook runs: its command, and the check of an installed one."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from ccq_tui import __version__
from ccq_tui.bridges.claude_code.hook_settings import COMMAND, TIMEOUT, InstalledHook
from ccq_tui.processes import own_command
from ccq_tui.text import one_line

VERSION_SECONDS = 10.0
AGAIN = "run ccq-tui hooks install again"


def hook_command() -> str:
    """Return the command for Claude Code."""
    return shlex.join([*own_command(), COMMAND])


def problem_of(hook: InstalledHook, *, trusted: bool, off: Path | None) -> str:
    """Say what is wrong with an installed hook and what to do, or "".

    ``off`` is the settings file that turns all hooks off, or None. Only a ``trusted`` hook's program is run
    for its version: the program in a project's file may be anybody's.
    """
    if off is not None:
        return f"“disableAllHooks” turns it off: take that out of {one_line(str(off), 300)}"
    if shutil.which(os.path.expanduser(hook.words.program)) is None:  # noqa: PTH111 - as a shell does it
        return f"its program is gone: {AGAIN}"
    if hook.timeout is None or hook.timeout < TIMEOUT:
        return f"Claude Code drops it too early: {AGAIN}"
    if shlex.join(hook.words.plain) == hook_command():
        return ""
    if not trusted:
        return "it runs another ccq-tui than this one"
    version = _version_of(hook) or "unknown"
    return "" if version == __version__ else f"it runs version {version}, this is {__version__}: {AGAIN}"


def _version_of(hook: InstalledHook) -> str:
    command = [*hook.words.plain[:-1], "--version"]
    try:
        done = subprocess.run(  # noqa: S603 - the person's own settings have it run at every question
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            timeout=VERSION_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return one_line(done.stdout.strip().rpartition(" ")[2], 40) if done.returncode == 0 else ""
