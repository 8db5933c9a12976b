"""A command that a person runs in the shell, in the session's directory."""

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL
from collections.abc import Callable
from contextlib import suppress

from ccq_tui.agent.claude_settings import chosen_settings, managed_settings
from ccq_tui.config.launch import Launch
from ccq_tui.prompts.shell_runs import ShellRun
from ccq_tui.timeouts import set_within

MOST_BYTES = 200_000
"""Most bytes kept of a stream: one half from its beginning, one from its end."""
STOP_SECONDS = 2.0
"""Seconds for a command to end after SIGINT, then after SIGTERM."""
NOT_RUN = 127
"""The exit code of a command that could not be started, as shells have it."""


def answers_shell(launch: Launch) -> bool:
    """Return Claude Code's `respondToBashCommands`: does Claude answer a command's output? For a thread."""
    layers = (*managed_settings(), *chosen_settings(launch))
    found = (one["respondToBashCommands"] for one in layers if "respondToBashCommands" in one)
    return next(found, True) is not False


class Capture:
    """The beginning and the end of a stream that may be endless."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._left_out = 0

    def add(self, data: bytes) -> None:
        """Add the next part of the stream."""
        room = MOST_BYTES // 2 - len(self._head)
        self._head += data[:room] if room > 0 else b""
        self._tail += data[max(0, room) :]
        if (over := len(self._tail) - MOST_BYTES // 2) > 0:
            self._left_out += over
            del self._tail[:over]

    def text(self) -> str:
        """Return the text; if something is left out, a line says how much."""
        if not self._left_out:
            return (self._head + self._tail).decode("utf-8", "replace")
        head, tail = self._head.decode("utf-8", "replace"), self._tail.decode("utf-8", "replace")
        return f"{head}\n… {self._left_out:,} bytes left out …\n{tail}"

    def newest(self) -> str:
        """Return the part that a person sees while it grows."""
        # Bytes at the end of the output that are shown while the command runs.
        return (self._tail or self._head)[-8_000:].decode("utf-8", "replace")


class ShellProcess(asyncio.SubprocessProtocol):
    """Runs one command, once."""

    def __init__(self, command: str, launch: Launch, grown: Callable[[str], None]) -> None:
        self.command = command
        self.stopped = False
        """Whether a person stopped it."""
        self.output = Capture()
        """The text of both streams, in the order in which it came."""
        self._launch = launch
        self._grown = grown
        self._process: asyncio.SubprocessTransport | None = None
        self._streams = {1: Capture(), 2: Capture()}
        self._open = set(self._streams)
        self._ended = asyncio.Event()
        self._silent = asyncio.Event()
        self._telling: asyncio.TimerHandle | None = None
        self._stops: list[asyncio.TimerHandle] = []

    async def run(self) -> ShellRun:
        """Run the command and wait for its end, however long that takes; cancelling this ends it.

        If the command cannot be started, its standard error says why.
        """
        start = asyncio.get_running_loop().subprocess_exec(
            lambda: self,
            os.environ.get("SHELL") or "/bin/sh",
            "-c",
            self.command,
            stdin=DEVNULL,
            cwd=self._launch.settings.directory,
            env=self._launch.environ(),
            start_new_session=True,
        )
        # Cancelled by itself it would wait for all that the shell has started, and end the shell alone.
        starting = asyncio.ensure_future(start)
        try:
            process, _ = await asyncio.shield(starting)
            self._process = process
            if self.stopped:
                self.stop()
            await self._ended.wait()
            # Processes that the command left may keep the streams open.
            await set_within(self._silent, 0.3)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            return ShellRun(self.command, stderr=f"The command was not started: {reason}", code=NOT_RUN)
        except asyncio.CancelledError:
            with suppress(OSError, ValueError):
                self._process, _ = await starting
            self.kill()
            if self._process is not None:
                await set_within(self._ended, STOP_SECONDS)
            raise
        finally:
            for handle in (*self._stops, *([self._telling] if self._telling else [])):
                handle.cancel()
            if self._process is not None:
                self._process.close()
        out, errors = (stream.text() for stream in self._streams.values())
        return ShellRun(self.command, out, errors, process.get_returncode() or 0)

    def stop(self) -> None:
        """End the command by SIGINT, then by SIGTERM and SIGKILL; a second call kills it at once."""
        again, self.stopped = self.stopped and bool(self._stops), True
        if self._process is None:
            return  # it is about to start
        if again:
            self.kill()
            return
        loop = asyncio.get_running_loop()
        self._signal(signal.SIGINT)
        self._stops = [
            loop.call_later(STOP_SECONDS, self._signal, signal.SIGTERM),
            loop.call_later(2 * STOP_SECONDS, self._signal, signal.SIGKILL),
        ]

    def kill(self) -> None:
        """Kill the command, with all that it started."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        """Signal the command, with all that it started."""
        if self._process is not None and self._process.get_returncode() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.get_pid(), number)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Keep what the command writes."""
        self._streams[fd].add(data)
        self.output.add(data)
        if self._telling is None:
            # Seconds between two updates.
            self._telling = asyncio.get_running_loop().call_later(0.1, self._tell)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002
        """Note that one of the streams has ended."""
        self._open.discard(fd)
        if not self._open:
            self._silent.set()

    def process_exited(self) -> None:
        """Note that the command has ended; processes that it left may still write."""
        self._ended.set()

    def _tell(self) -> None:
        self._telling = None
        self._grown(self.output.newest())
