"""What ``ccq-tui wrap`` costs a program: beside the bare one, its output and the echo of keys."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import signal
import tempfile
import time
from collections.abc import Iterator
from statistics import median

from ccq_tui.testing import clean_environment
from tests.bench.measures import Effort, Family, Figures, Measure
from tests.bench.programs import OURS, Program

LINE = b"%07d a line of output as a build prints it, of eighty columns or so, all in all\n"
BARE = Measure("wrap.bare", "200 MB of output, bare program", "s")
WRAPPED = Measure("wrap.wrapped", "the same under ccq-tui wrap", "s", aim=1.5, against=OURS, base="wrap.bare")
ECHO_BARE = Measure("wrap.echo_bare", "key to echo, bare program, p50", "ms")
ECHO = Measure("wrap.echo", "key to echo under ccq-tui wrap, p50", "ms")
ECHO_MORE = Measure("wrap.echo_more", "key to echo: what wrap adds", "ms", limit=1.0)
START = Measure(
    "wrap.start", "ccq-tui wrap to the program's first byte, over the bare program", "ms", limit=150
)
LIMIT = 120.0


class Bare:
    """A terminal that reads as fast as it can, and draws nothing.

    Args:
        command: The program.
        env: Its environment.
    """

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self.began = time.monotonic()
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], command, env)  # noqa: S606 (our own)

    def close(self) -> None:
        """End the program, and wait for it."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._master)

    def read(self) -> bytes:
        """Wait for output; b"" at the end."""
        if not select.select([self._master], [], [], LIMIT)[0]:
            raise TimeoutError("no output came")
        try:
            return os.read(self._master, 1 << 16)
        except OSError:
            return b""

    def all(self) -> tuple[float, int]:
        """Read to the end; return seconds from the first byte on, and how many came."""
        size = len(self.read())
        first = time.monotonic()
        while data := self.read():
            size += len(data)
        return time.monotonic() - first, size

    def echo(self) -> float:
        """Type a letter; return how long its echo took."""
        at = time.monotonic()
        os.write(self._master, b"x")
        while b"x" not in self.read():
            pass
        return time.monotonic() - at


@contextlib.contextmanager
def running(command: list[str], env: dict[str, str]) -> Iterator[Bare]:
    """Run a program in such a terminal."""
    terminal = Bare(command, env)
    try:
        yield terminal
    finally:
        terminal.close()


def play(program: Program, effort: Effort) -> Figures:
    """Print a large file, and echo keys, bare and wrapped in turns."""
    wrap = [program.command[0], "wrap", "--"]
    home = clean_environment("http://127.0.0.1:9")
    try:
        with tempfile.NamedTemporaryFile(dir=home.root, delete=False) as file:
            for number in range(effort.printed // len(LINE % 0)):
                file.write(LINE % number)
        show = ["cat", file.name]
        sizes = set()
        for measure, lead in ((BARE, []), (WRAPPED, wrap)):
            with running([*lead, *show], home.env) as terminal:
                seconds, size = terminal.all()
                sizes.add(size)
                yield measure, seconds
        if len(sizes) != 1:
            raise AssertionError(f"not the same output: {sizes} bytes")
        echoes, starts = [], []
        for lead in ([], wrap):
            with running([*lead, "sh", "-c", "echo ready; exec cat"], home.env) as terminal:
                while b"ready" not in terminal.read():
                    pass
                starts.append(time.monotonic() - terminal.began)
                time.sleep(effort.settled)  # the watcher has loaded what it needs
                echoes.append(median(_echoes(terminal, effort.presses)))
        yield ECHO_BARE, echoes[0]
        yield ECHO, echoes[1]
        yield ECHO_MORE, echoes[1] - echoes[0]
        yield START, starts[1] - starts[0]
    finally:
        home.remove()


def _echoes(terminal: Bare, presses: int) -> Iterator[float]:
    for _ in range(presses):
        time.sleep(0.02)
        yield terminal.echo()


FAMILY = Family("wrap", (OURS,), (BARE, WRAPPED, ECHO_BARE, ECHO, ECHO_MORE, START), play)
