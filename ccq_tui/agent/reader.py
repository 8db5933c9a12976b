"""Reads earlier sessions with the SDK, in a process of its own.

The SDK reads only the configuration directory of its own process's environment, which may differ from the
session's, and parses transcripts of any size in one go.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable

from ccq_tui.agent.options import SessionOptions
from ccq_tui.child_process import end

_logger = logging.getLogger(__name__)

GO = b"go\n"
"""Starts the work of a module that waits; without it the parent is gone or does not want the work."""


class ReaderError(Exception):
    """A session could not be read; the message is for a person."""


async def read_by(
    module: str,
    options: SessionOptions,
    *arguments: str,
    seconds: float,
    allow: Callable[[str], Awaitable[object]] | None = None,
) -> bytes:
    """Run a module that prints its result, and return that; raises `ReaderError`.

    ``allow`` takes the first line: the module waits until it returns, and is ended if it raises.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # the working directory holds the person's project, and must not lend it modules
            "-m",
            module,
            *arguments,
            env=options.environ() | {"PYTHONPATH": _module_path()},
            stdin=asyncio.subprocess.DEVNULL if allow is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except ValueError as error:  # a NUL in an argument
        raise ReaderError(str(error)) from error
    try:
        async with asyncio.timeout(seconds):
            if allow is not None and process.stdout is not None and (line := await process.stdout.readline()):
                await allow(line.decode().strip())
            output, problem = await process.communicate(None if allow is None else GO)
    except TimeoutError as error:
        raise ReaderError(f"it took longer than {seconds:.0f} seconds") from error
    finally:
        if process.returncode is None:
            await end(process)
    if problem and not process.returncode:
        _logger.warning("%s: %s", module, problem.decode(errors="replace").strip())
    if process.returncode:
        lines = problem.decode(errors="replace").strip().splitlines()
        raise ReaderError(lines[-1] if lines else f"exit code {process.returncode}")
    return output


def _module_path() -> str:
    """Return the module search path of this process, whatever the session's environment says."""
    return os.pathsep.join(place for place in sys.path if place)
