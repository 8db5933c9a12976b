"""What a program and all processes under it use, as the system counts it."""

import contextlib
import os
from pathlib import Path

from tests.processes import about, everything, stat

_TICK = os.sysconf("SC_CLK_TCK")


def tree(pid: int) -> list[int]:
    """List a process and those under it that run.

    Args:
        pid: The process.

    Returns:
        Their ids, the process itself first; empty when it has ended.
    """
    all_fields = {one: stat(one) for one in everything()}
    parents = {one: int(fields[1]) for one, fields in all_fields.items() if fields and fields[0] not in "ZX"}
    found = [pid] if pid in parents else []
    for one in found:  # grows meanwhile
        found += [child for child, parent in parents.items() if parent == one]
    return found


def processor_seconds(pid: int) -> float:
    """Add up the processor time of a process, those under it, and those of them that ended.

    Args:
        pid: The process.

    Returns:
        Seconds in user and system mode.
    """
    # utime, stime, cutime, cstime; the list begins with the third field of /proc/PID/stat.
    return sum(sum(map(int, fields[11:15])) for one in tree(pid) if (fields := stat(one))) / _TICK


def running_seconds(pid: int) -> float:
    """Add up the processor time of a process and those under it, to the microsecond.

    Args:
        pid: The process.

    Returns:
        Seconds of the threads that there are; `processor_seconds` has those that ended too.
    """
    nanoseconds = 0
    for one in tree(pid):
        for path in Path(f"/proc/{one}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):  # ended meanwhile
                nanoseconds += int(path.read_text().split()[0])
    return nanoseconds / 1e9


def memory(pid: int, *, alone: bool = False, peak: bool = False) -> float:
    """Add up the resident memory of a process and those under it.

    Args:
        pid: The process.
        alone: Without those under it.
        peak: The most that each of them ever had, instead of what they have now.

    Returns:
        Megabytes (2**20 bytes).
    """
    name = "VmHWM:" if peak else "VmRSS:"
    kilobytes = 0
    for one in [pid] if alone else tree(pid):
        lines = about(one, "status").splitlines()
        kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith(name))
    return kilobytes / 1024
