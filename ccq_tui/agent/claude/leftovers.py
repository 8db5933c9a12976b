"""Ends what a killed program left running: a CLI without anybody to ask goes on by itself.

When its program is killed, the CLI does not end in the middle of a turn. It takes every question and
permission for refused, tells the model so, and writes into the record of the session that is about to be
resumed.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

_logger = logging.getLogger(__name__)

END_SECONDS = 5.0
_LOOK_SECONDS = 0.02
_PROC = Path("/proc")
_NAMES = ("--session-id=", "--resume=")
"""How the SDK tells the CLI its session; one that is a fork has both, and the first is its own."""


async def any_leftovers() -> bool:
    """Say whether a CLI runs, of whatever session, whose program is gone."""
    return await asyncio.to_thread(lambda: any(_is_left(pid, "") for pid in _processes()))


async def end_leftovers(session_id: str) -> bool:
    """End the CLIs of a session whose programs are gone; those of living programs are left alone.

    Where the system has no ``/proc``, none is found.

    Args:
        session_id: The session, or "" for none.

    Returns:
        Whether there was one. None of them runs any more then, or an error is logged.
    """
    return bool(session_id) and await asyncio.to_thread(_end, session_id)


def _end(session_id: str) -> bool:
    found = [pid for pid in _processes() if _is_left(pid, session_id)]
    for pid in found:
        _logger.warning("A Claude process without its program is ended: %d", pid)
        try:
            os.kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            _logger.info("It was not there to be ended")
    deadline = time.monotonic() + END_SECONDS
    while any(_is_left(pid, session_id) for pid in found):
        if time.monotonic() > deadline:
            _logger.error("A Claude process without its program does not end")
            break
        time.sleep(_LOOK_SECONDS)
    return bool(found)


def _processes() -> list[int]:
    try:
        return [int(path.name) for path in _PROC.iterdir() if path.name.isdecimal()]
    except OSError:
        return []


def _is_left(pid: int, session_id: str) -> bool:
    """Whether a process is a CLI of the session ("": of any) that outlived its program."""
    try:
        words = _PROC.joinpath(str(pid), "cmdline").read_bytes().decode(errors="replace").split("\0")
        found = _session_of(words) if "stream-json" in words else ""
        if not found or session_id not in ("", found):
            return False
        stat = _PROC.joinpath(str(pid), "stat").read_text(errors="replace")
        # The name in parentheses may hold anything; behind it are the state and the parent.
        state, parent = stat.rpartition(")")[2].split()[:2]
        # A CLI is in the login session of its program; who takes orphans over is not.
        orphan = parent == "1" or os.getsid(int(parent)) != os.getsid(pid)
        return state not in "ZX" and orphan and int(parent) != os.getpid()
    except (OSError, ValueError):
        return False  # it ended meanwhile


def _session_of(words: Sequence[str]) -> str:
    named = (word.removeprefix(name) for name in _NAMES for word in words if word.startswith(name))
    return next(named, "")
