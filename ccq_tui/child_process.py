"""Ends a child process whose output is read."""

import asyncio
import logging
import os
import signal
from asyncio.subprocess import Process
from contextlib import suppress

_logger = logging.getLogger(__name__)


async def end(process: Process) -> None:
    """Kill a program at once, with its whole group where it leads one.

    Read its output to the end: until then asyncio holds the streams open, and would close them after the
    event loop is gone. Pass a program that has already ended only if it led a group: members may be left.
    """
    with suppress(ProcessLookupError, PermissionError):
        if _led_group(process.pid):
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()
    try:
        async with asyncio.timeout(2.0):
            for stream in (process.stdout, process.stderr):
                while stream is not None and await stream.read(65_536):
                    pass
            await process.wait()
    except TimeoutError:
        _logger.warning("A program that was killed has not ended, or left its output open")


def _led_group(pid: int) -> bool:
    """Whether a program leads a group; True for one that is gone, which can no longer be asked."""
    try:
        return os.getpgid(pid) == pid
    except ProcessLookupError:
        return True
