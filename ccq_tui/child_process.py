"""Reads the output of a child process, and ends it."""

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


async def output_of(process: Process, most: int, given: bytes = b"") -> tuple[bytes, int | None]:
    """Return at most so many bytes of what a program prints, and its exit code; None if it prints more.

    ``given`` goes to its standard input, which it need not read.
    """
    printed = bytearray()
    try:
        if process.stdin is not None:
            with suppress(BrokenPipeError, ConnectionResetError):
                process.stdin.write(given)
                await process.stdin.drain()
            process.stdin.close()
        while process.stdout and (part := await process.stdout.read(most - len(printed))):
            printed += part
        return bytes(printed), await process.wait() if len(printed) < most else None
    finally:
        if process.returncode is None:
            await end(process)


def _led_group(pid: int) -> bool:
    """Whether a program leads a group; True for one that is gone, which can no longer be asked."""
    try:
        return os.getpgid(pid) == pid
    except ProcessLookupError:
        return True
