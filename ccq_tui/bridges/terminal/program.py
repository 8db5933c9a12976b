"""A program in a pseudo-terminal of its own, with a parent in its session so that it can be stopped.

A process group without such a parent is orphaned, and the kernel drops Ctrl+Z for it. So the session's leader
is a small process of ours, which starts the program in the foreground and reports each change of its state.
"""

import errno
import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ccq_tui.bridges.terminal import WRAPPED

PROC = Path("/proc")
NOT_FOUND = 127
_STATUS = struct.Struct("=i")
_STARTED = struct.Struct("=ii")
Size = tuple[int, int]
"""Columns and rows."""


class NotStartedError(Exception):
    """A program cannot be started; the message says why.

    Attributes:
        code: The exit code of a shell in that case.
    """

    def __init__(self, command: str, error: OSError) -> None:
        super().__init__(f"{command} cannot be started: {error.strerror}")
        self.code = NOT_FOUND if isinstance(error, FileNotFoundError) else 126  # what shells use


@dataclass(frozen=True, slots=True)
class Program:
    """A running program.

    Attributes:
        pid: Its process, which is also its process group.
        leader: The process that leads its session and reports its state.
        master: Our end of its terminal, which never blocks.
        states: The pipe of its states: the statuses of ``os.waitpid``, in order.
    """

    pid: int
    leader: int
    master: int
    states: int

    def signal(self, number: int) -> None:
        """Send a signal to the foreground of its terminal, and to the program."""
        groups = {self.pid}
        with suppress(OSError):  # nobody has the terminal any more
            groups.add(os.tcgetpgrp(self.master))
        for group in groups:
            if group > 0:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(group, number)

    def read_states(self) -> list[int]:
        """Return its new states since the last look; nothing once its leader is gone."""
        data = os.read(self.states, _STATUS.size * 64)
        return [status for (status,) in _STATUS.iter_unpack(data[: len(data) // 4 * 4])]

    def close(self) -> None:
        """Close its terminal; processes that it left there are hung up."""
        os.close(self.master)
        os.close(self.states)
        with suppress(ChildProcessError):
            os.waitpid(self.leader, 0)


def start(command: Sequence[str], streams: Sequence[int], like: int, size: Size | None) -> Program:
    """Start a program in a pseudo-terminal of its own.

    Args:
        command: The program and its arguments.
        streams: The standard streams, 0 to 2, that get the terminal; it inherits the others.
        like: The terminal whose modes the new one begins with.
        size: The new terminal's size, or None for none.

    Returns:
        The running program.

    Raises:
        NotStartedError: It cannot be started, or no pseudo-terminal is available.
    """
    try:
        master, slave = pty.openpty()
        states, report = os.pipe()
    except OSError as error:
        raise NotStartedError(command[0], error) from error
    with suppress(termios.error):
        termios.tcsetattr(slave, termios.TCSANOW, termios.tcgetattr(like))
    if size is not None:
        set_size(slave, size)
    leader = os.fork()
    if leader == 0:
        os.close(master)
        os.close(states)
        _lead(command, streams, slave, report)
    os.close(slave)
    os.close(report)
    started = os.read(states, _STARTED.size)
    pid, number = _STARTED.unpack(started) if started else (0, errno.EIO)
    program = Program(pid, leader, master, states)
    if not pid:
        program.close()
        raise NotStartedError(command[0], OSError(number, os.strerror(number)))
    os.set_blocking(master, False)
    return program


def _lead(command: Sequence[str], streams: Sequence[int], slave: int, report: int) -> NoReturn:
    """Lead the session: start the program, report that and then its states."""
    code = 1

    def in_front() -> None:
        os.tcsetpgrp(slave, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)

    try:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # it gives the foreground away from the background
        os.environ[WRAPPED] = os.ttyname(slave)
        stdin, stdout, stderr = (slave if stream in streams else None for stream in (0, 1, 2))
        try:
            program = subprocess.Popen(  # noqa: S603 - the person's own command
                command, stdin=stdin, stdout=stdout, stderr=stderr,
                close_fds=False, process_group=0, preexec_fn=in_front,
            )  # fmt: skip
        except OSError as error:
            os.write(report, _STARTED.pack(0, error.errno or errno.EIO))
        else:
            os.write(report, _STARTED.pack(program.pid, 0))
            for stream in (0, 1, 2):  # a reader of the caller's pipe waits until all of its writers are gone
                os.close(stream)
            _report(program.pid, slave, report)
        code = 0
    finally:
        os._exit(code)


def _report(pid: int, slave: int, report: int) -> None:
    """Report each state of the program until it has ended."""
    while True:
        _, status = os.waitpid(pid, os.WUNTRACED)
        if os.WIFSTOPPED(status) and os.WSTOPSIG(status) in (signal.SIGTTIN, signal.SIGTTOU):
            # It belongs in the foreground: nothing else of the session wants to be there.
            os.tcsetpgrp(slave, pid)
            os.killpg(pid, signal.SIGCONT)
            continue
        if not os.WIFSTOPPED(status):
            # The end of a session's leader hangs up its foreground; children left there must live on.
            os.tcsetpgrp(slave, os.getpgrp())
        os.write(report, _STATUS.pack(status))
        if not os.WIFSTOPPED(status):
            return


def size_of(terminal: int) -> Size | None:
    """Return the size of a terminal, or None if it has none."""
    try:
        size = os.get_terminal_size(terminal)
    except OSError:
        return None
    return (size.columns, size.lines) if size.columns and size.lines else None


def set_size(terminal: int, size: Size) -> None:
    """Give a terminal a size."""
    with suppress(OSError):
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))


def foreground_waits(master: int) -> bool:
    """Whether all processes in the foreground of a terminal sleep, as far as the system tells.

    A process that waits for keys sleeps. One that is about to write, to compute or to end does not, however
    long a busy machine keeps it from that.
    """
    if not PROC.joinpath("self", "stat").exists():
        return True
    try:
        group = str(os.tcgetpgrp(master))
    except OSError:
        return False
    states = set()
    for path in PROC.glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            state, _, its_group, *_ = path.read_bytes().decode(errors="replace").rpartition(")")[2].split()
            states |= {state} if its_group == group else set()
    return states - {"Z"} == {"S"}
