"""The processes of this machine, as /proc has them, and copies of the one that tests."""

import os
import sys
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path

from ccq_tui.cli import main


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


def begun(work: Callable[[], object]) -> BaseProcess:
    """Do something in a process of its own, which ends with this one at the latest."""
    child = get_context("fork").Process(target=work, daemon=True)
    child.start()
    return child


def codes(*children: BaseProcess) -> list[int | None]:
    """Wait for the ends of processes; return their exit codes."""
    for child in children:
        child.join()
    return [child.exitcode for child in children]


def program(
    *words: str, stdin: int = 0, stdout: int, stderr: int, first: Callable[[], object] = bool
) -> BaseProcess:
    """Run ccq-tui in a copy of this process, after something ``first``, with these files and no other.

    No inbox may be open here meanwhile: what SQLite knows of its locks would be copied too.
    """

    def run() -> None:
        first()
        for number, file in enumerate((stdin, stdout, stderr)):
            os.dup2(file, number)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")
        sys.exit(main(words))

    return begun(run)
