"""A program in a pseudo-terminal, and an emulated screen on which what it writes can be drawn."""

import fcntl
import pty
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from ccq_tui.bridges.terminal.screen import Screen


class NotShownError(AssertionError):
    """A state did not come; the message holds the screen."""


class PseudoTerminal:
    """Runs a program; a thread of it runs ``_read``.

    Attributes:
        began: When it was started, by ``time.monotonic()``.

    Args:
        command: The program and its arguments.
        env: Its whole environment.
        cwd: Its directory.
        size: Columns and rows.
    """

    def __init__(
        self, command: list[str], env: Mapping[str, str], cwd: Path, size: tuple[int, int] = (80, 24)
    ) -> None:
        self.screen = Screen(*size)
        self._closing = False
        self._master, self._slave = pty.openpty()
        self._set_size(size)
        self._before = termios.tcgetattr(self._slave)
        self._reader = threading.Thread(target=self._read, name="terminal", daemon=True)
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            command,
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            cwd=cwd,
            env=dict(env) | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"},
            start_new_session=True,
            preexec_fn=_of_a_terminal,
        )
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def _read(self) -> None:
        """Read what the program writes, until ``_closing``."""
        raise NotImplementedError

    def _set_size(self, size: tuple[int, int]) -> None:
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))


def _of_a_terminal() -> None:
    """Let a program be a terminal's, with its signals: a run in the background ignores some of them."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
