"""Ends the CLI with its program, even if the program is killed and can end nothing itself."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
from contextlib import suppress

_logger = logging.getLogger(__name__)

_SHELL = "/bin/sh"
_SCRIPT = """
trap '' HUP INT TERM
read -r told && exit 0
kill -TERM "$1" || exit 0
tries=0
while kill -0 "$1" && [ "$tries" -lt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -KILL "$1"
"""
"""Waits for a line, or for the end of its input, which comes when the program is gone.

SIGTERM lets the CLI write its record and end its own processes, which takes it up to four seconds.
"""
_END_SECONDS = 2.0


class Guard:
    """A shell that waits for the program's end, and then ends a CLI.

    It needs hardly any memory, starts in a millisecond, and has a login session of its own, so that no signal
    of the terminal reaches it. Windows has no such shell: there nothing ends a CLI that was left behind.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    @classmethod
    async def over(cls, pid: int, held: int | None = None) -> Guard | None:
        """Watch over a CLI; return None where there can be no guard.

        ``held`` is a descriptor that writes to the CLI, closed here. The guard keeps a copy open: a
        CLI whose input ended with its program would refuse the open question before it is ended.
        """
        starting = asyncio.create_task(asyncio.to_thread(_started, pid, held))
        try:
            return cls(await asyncio.shield(starting))
        except OSError as error:
            _logger.info("Nothing ends Claude when this program is killed: %s", error)
            return None
        except asyncio.CancelledError:
            with suppress(OSError):
                await cls(await starting).release()
            raise

    async def release(self) -> None:
        """End the guard: the program ends the CLI itself."""
        await asyncio.to_thread(_end, self._process)


def _started(pid: int, held: int | None) -> subprocess.Popen[bytes]:
    try:
        if os.name != "posix":
            raise OSError("this system has no shell for it")
        return subprocess.Popen(  # noqa: S603 - ours, and a number
            [_SHELL, "-c", _SCRIPT, "ccq-tui-guard", str(pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={"PATH": os.defpath},
            start_new_session=True,
            pass_fds=() if held is None else (held,),
            bufsize=0,
        )
    finally:
        if held is not None:
            os.close(held)


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.communicate(b"over\n", timeout=_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
