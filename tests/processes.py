"""The processes of this machine, as /proc has them, and copies of the one that tests."""

import os
from collections.abc import Callable
from pathlib import Path


def about(pid: int, name: str) -> str:
    """Return what /proc says of a process, such as its environment, in lines; "" if it has ended."""
    try:
        return Path(f"/proc/{pid}/{name}").read_text(errors="replace").replace("\0", "\n")
    except OSError:
        return ""  # it ended meanwhile, or is another user's


def everything() -> list[int]:
    """Return all processes."""
    return [int(path.name) for path in Path("/proc").glob("[0-9]*")]


def with_variable(text: str) -> list[int]:
    """Return the processes that were started with a text in their environment."""
    return [pid for pid in everything() if text in about(pid, "environ")]


def command(pid: int) -> str:
    """Return how a process was started, or "" when it is gone."""
    return about(pid, "cmdline").replace("\n", " ")


def stat(pid: int) -> list[str]:
    """Return /proc/PID/stat from the state and the parent on, or nothing when the process has ended."""
    # The name in parentheses may hold anything.
    return about(pid, "stat").rpartition(")")[2].split()


def children(pid: int) -> list[int]:
    """Return the processes that a process has started and that still run."""
    found = ((one, stat(one)) for one in everything())
    return [one for one, fields in found if fields and int(fields[1]) == pid and fields[0] not in "ZX"]


def begun(work: Callable[[], object]) -> int:
    """Do something in a process of its own; return its id."""
    if (child := os.fork()) == 0:
        code = 70
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return child


def in_child(work: Callable[[], object]) -> int:
    """Return how that ended, as `os.waitstatus_to_exitcode` has it."""
    return os.waitstatus_to_exitcode(os.waitpid(begun(work), 0)[1])
