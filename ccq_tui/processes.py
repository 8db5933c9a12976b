"""Identifies processes, so that a reused process number is not taken for an owner, and our own program."""

import os
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Owner:
    """A process.

    Attributes:
        pid: Its number.
        start: Its start time, in a system-specific form, or "" if unknown.
    """

    pid: int
    start: str = ""


def this_process() -> Owner:
    """Return the process we are in."""
    return _with_start(os.getpid())  # changes after a fork


def owner_of(pid: int) -> Owner:
    """Return the process that has a number now, which may not be running."""
    return Owner(pid, _start(pid) or "")


_with_start = cache(owner_of)


def own_command() -> list[str]:
    """Return the words that start this program from any directory, also after an update."""
    import shutil

    sibling = Path(sys.executable).with_name("ccq-tui")
    named = shutil.which("ccq-tui")
    if named and Path(named).resolve() == sibling.resolve():
        return [named]
    return [str(sibling)] if sibling.exists() else [sys.executable, "-m", "ccq_tui"]


def started_at(owner: Owner) -> float:
    """Return the start time of a running process, in seconds since 1970; the present time if unknown."""
    ticks = owner.start.rpartition(":")[2]
    if not (ticks.isdigit() and hasattr(time, "CLOCK_BOOTTIME")):
        return time.time()
    booted = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return booted + int(ticks) / os.sysconf("SC_CLK_TCK")


def alive(owner: Owner | None) -> bool:
    """Whether a process still runs; nothing is sent to it.

    Where the system does not report start times, any process with its number counts.
    """
    if owner is None or owner.pid <= 0:
        return False
    if _PROC.joinpath("self").exists():
        start = _start(owner.pid)
        return start is not None and owner.start in ("", start)
    try:
        os.kill(owner.pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _start(pid: int) -> str | None:
    """Return a process's start time, unique across reboots; None if it does not run."""
    try:
        stat = _PROC.joinpath(str(pid), "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name in parentheses may hold anything; the state is field 3, the start field 22.
    after = stat.rpartition(")")[2].split()
    return None if after[0] in "ZX" else f"{_boot()}:{after[19]}"


@cache
def _boot() -> str:
    try:
        return _PROC.joinpath("sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
