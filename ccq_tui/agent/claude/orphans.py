"""Ends the CLIs of killed programs: without anybody to ask, a CLI continues by itself.

When its program is killed, the CLI does not end in the middle of a turn. It treats every question and
permission as refused, tells the model so, and writes into the record of the session that is about to be
resumed.
"""

import asyncio
import logging
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from ccq_tui.agent.claude.spawn import PROGRAM

_logger = logging.getLogger(__name__)


_PROC = Path("/proc")
_PS = ("ps", "-A", "-ww", "-o", "pid=", "-o", "ppid=", "-o", "stat=", "-o", "command=")
"""Used where the system has no ``/proc``, as on macOS; every ``ps`` reads these arguments alike."""
_PS_LINE = re.compile(r"\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)")

_NAMES = ("--session-id=", "--resume=")
"""The flags with which the SDK names a session; a fork has both, and the first is its own."""


async def end_leftovers(session_id: str) -> bool:
    """End the CLIs of a session whose programs are gone; returns whether there was one.

    Where the system does not list its processes, none is found.
    """
    return bool(session_id) and await asyncio.to_thread(_end, session_id)


def _end(session_id: str) -> bool:
    found = _left(session_id)
    if not found:
        return False
    _logger.warning("Claude processes without their program are ended: %s", sorted(found))
    # The first signal lets the CLI write its record, and end its own processes.
    for number in (signal.SIGTERM, signal.SIGKILL):
        left = _ended(found, number)
        if not left:
            return True
    _logger.error("A Claude process without its program does not end: %s", sorted(left))
    return True


def _ended(found: set[int], number: int) -> set[int]:
    """Send processes a signal, and return those that are still there after a time."""
    for pid in found:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            _logger.info("It was not there to be ended")
    deadline = time.monotonic() + 5.0
    # Not by command line: a process that is just ending has none any more.
    while (found := found & {pid for pid, _parent, _words in _processes()}) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def _left(session_id: str) -> set[int]:
    """Return the CLIs of a session that outlived their programs."""
    return {
        pid
        for pid, parent, words in _processes()
        if "stream-json" in words and session_id == _session_of(words) and _is_orphan(pid, parent)
    }


def _is_orphan(pid: int, parent: int) -> bool:
    """Return whether another process than its program adopted a CLI; on Linux that need not be the first."""
    if parent == 1:
        return True
    try:
        variables = _PROC.joinpath(str(pid), "environ").read_bytes().split(b"\0")
    except OSError:
        return False  # it ended meanwhile, or the system does not tell
    of_program = next((each for each in variables if each.startswith(f"{PROGRAM}=".encode())), None)
    return of_program is not None and of_program != f"{PROGRAM}={parent}".encode()


def _processes() -> Iterator[tuple[int, int, Sequence[str]]]:
    """Yield the id, the parent's id and the command line of each running process."""
    if not _PROC.joinpath("self").exists():
        yield from _listed()
        return
    for path in _PROC.iterdir():
        if not path.name.isdecimal():
            continue
        try:
            words = path.joinpath("cmdline").read_bytes().decode(errors="replace").split("\0")
            stat = path.joinpath("stat").read_text(errors="replace")
        except OSError:
            continue  # it ended meanwhile
        # The name in parentheses may hold anything; after it come the state and the parent.
        state, parent = stat.rpartition(")")[2].split()[:2]
        if state not in "ZX":
            yield int(path.name), int(parent), words


def _listed() -> Iterator[tuple[int, int, Sequence[str]]]:
    """Ask ``ps``; command lines are split at blanks, which the flags searched for do not contain."""
    try:
        done = subprocess.run(_PS, capture_output=True, timeout=5.0, check=False)  # noqa: S603 - above
    except (OSError, subprocess.TimeoutExpired) as error:
        _logger.info("It is not known what runs: %s", type(error).__name__)
        return
    for line in done.stdout.decode(errors="replace").splitlines():
        if (found := _PS_LINE.match(line)) and not found[3].startswith("Z"):
            yield int(found[1]), int(found[2]), found[4].split()


def _session_of(words: Sequence[str]) -> str:
    named = (word.removeprefix(name) for name in _NAMES for word in words if word.startswith(name))
    return next(named, "")
