"""A process of the CLI, as the SDK uses it, and the guard that ends it if this program is killed."""

import logging
import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, cast

import anyio
import anyio.to_thread
from anyio.abc import ByteReceiveStream, ByteSendStream

from ccq_tui.agent.claude.spawn import start

_logger = logging.getLogger(__name__)
_SHELL = "/bin/sh"
_SCRIPT = """
trap '' HUP INT TERM
read -r line && exit 0
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


class Guard:
    """A shell that waits for the program's end, and then ends a CLI.

    It needs hardly any memory, starts in a millisecond, and has a login session of its own, so that no signal
    of the terminal reaches it. It keeps the CLI's input open: a CLI whose input ended with its program would
    refuse the open question before it is ended.
    """

    def __init__(self, pid: int, stdin: int) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._process = subprocess.Popen(  # noqa: S603 - ours, and a number
                [_SHELL, "-c", _SCRIPT, "ccq-tui-guard", str(pid)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"PATH": os.defpath},
                start_new_session=True,
                pass_fds=(stdin,),
                bufsize=0,
            )
        except OSError as error:
            _logger.info("Nothing ends Claude when this program is killed: %s", error)

    async def release(self) -> None:
        """End the guard: the program ends the CLI itself."""
        process, self._process = self._process, None
        if process is not None:
            await anyio.to_thread.run_sync(_end, process)


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.communicate(b"over\n", timeout=2.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class CliProcess:
    """A started CLI, with what the SDK uses of a process of anyio."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.pid, self.terminate, self.kill = process.pid, process.terminate, process.kill
        self.send_signal = process.send_signal
        stdin = cast("IO[bytes]", process.stdin)
        self.stdin = PipeWriter(stdin, Guard(process.pid, stdin.fileno()))
        self.stdout = PipeReader(cast("IO[bytes]", process.stdout))
        self.stderr = PipeReader(cast("IO[bytes]", process.stderr))

    async def wait(self) -> int:
        """Wait for the end of the process; return its exit code."""
        while (code := self.returncode) is None:  # noqa: ASYNC110 - nothing else says so everywhere
            await anyio.sleep(0.01)
        return code

    async def aclose(self) -> None:
        """Close the pipes, and wait for the end of the process."""
        for stream in (self.stdin, self.stdout, self.stderr):
            await stream.aclose()
        await self.wait()

    @property
    def returncode(self) -> int | None:
        """The exit code, or None while the process runs."""
        return self._process.poll()


def opened(command: Sequence[str], cwd: str | None, env: Mapping[str, str]) -> CliProcess:
    """Start a CLI for the SDK; as `start`."""
    return CliProcess(start(command, cwd, env))


class _Pipe:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        os.set_blocking(file.fileno(), False)

    async def aclose(self) -> None:
        """Close the pipe; what waits for it raises `ClosedResourceError`."""
        if not self._file.closed:
            anyio.notify_closing(self._file)
            with suppress(OSError):
                self._file.close()


class PipeReader(_Pipe, ByteReceiveStream):
    """Reads from a process."""

    async def receive(self, max_bytes: int = 65_536) -> bytes:
        """Return what is there, once something is; raises `EndOfStream`, and then closes the pipe."""
        await anyio.lowlevel.checkpoint()
        while not self._file.closed:
            # None stands for "nothing yet".
            if found := self._file.read(max_bytes):
                return found
            if found is not None:
                await self.aclose()
                raise anyio.EndOfStream
            await anyio.wait_readable(self._file)
        raise anyio.ClosedResourceError


class PipeWriter(_Pipe, ByteSendStream):
    """Writes to a process, whose input ends with this and its guard."""

    def __init__(self, file: IO[bytes], guard: Guard) -> None:
        super().__init__(file)
        self._guard = guard

    async def aclose(self) -> None:
        """End the input of the process."""
        await self._guard.release()
        await super().aclose()

    async def send(self, item: bytes) -> None:
        """Write all; raises `BrokenResourceError` if nobody can read it any more."""
        left = memoryview(item)
        while left:
            if self._file.closed:
                raise anyio.ClosedResourceError
            try:
                written = self._file.write(left)
            except OSError as error:
                raise anyio.BrokenResourceError from error
            if written is None:
                await anyio.wait_writable(self._file)
            else:
                left = left[written:]
