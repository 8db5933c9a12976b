"""A wrapped program: the relay runs in this process, the watcher in another one beside it."""

import os
import select
import signal
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from ccq_tui.bridges.terminal import WRAPPED
from ccq_tui.bridges.terminal.link import ASKED, Link, ToWatcher
from ccq_tui.bridges.terminal.program import NotStartedError, Program, Size, size_of, start
from ccq_tui.bridges.terminal.relay import Relay

FAILED = (
    "its prompts were not in the inbox to the end, as their watcher failed; see the log: ccq-tui config path"
)

TERMINAL = 0
"""The person's terminal, which is standard input."""


def wrap(command: Sequence[str], name: str) -> tuple[int, list[str]]:
    """Run a program, and ask its prompts in the inbox beside that.

    Where its standard input is no terminal, so that no key could answer it, or one that is wrapped already,
    this process becomes the program.

    Args:
        command: The program and its arguments.
        name: The name under which it asks.

    Returns:
        Its exit code, and the lines of the watcher's message to the person.

    Raises:
        NotStartedError: It cannot be started.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # if it were ignored, no child would report its state
    if not os.isatty(TERMINAL) or os.environ.get(WRAPPED) == os.ttyname(TERMINAL):
        become(command)
    _fill_streams()
    size = size_of(TERMINAL)
    program = start(command, [stream for stream in (0, 1, 2) if os.isatty(stream)], TERMINAL, size)
    link, watcher = _start_watcher(name, program, size or (80, 24))
    try:
        code = Relay(TERMINAL, program, link).run()
        link.send(ToWatcher.ENDED, b"%d" % code)
    finally:
        program.close()
        lines = _farewell(link, watcher)
    return code, lines


def _directory() -> str:
    """Return the working directory, under its old name if it was deleted, or ""."""
    try:
        return os.getcwd()  # noqa: PTH109 - a text
    except OSError:
        return os.environ.get("PWD", "")


def _fill_streams() -> None:
    """Open closed standard streams, so that no other file gets their numbers."""
    for stream in (0, 1, 2):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)


def become(command: Sequence[str]) -> NoReturn:
    """Replace this process by the program; raises `NotStartedError`."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGPIPE, signal.SIGXFSZ)}
    try:
        os.execvp(command[0], list(command))  # noqa: S606 (the person's own command)
    except OSError as error:
        for number, handler in before.items():  # Python ignores them; else a closed pipe would end this one
            signal.signal(number, handler)
        raise NotStartedError(command[0], error) from error


def _start_watcher(name: str, program: Program, size: Size) -> tuple[Link, int]:
    """Start the watcher as a fork, so that it runs at once and shares the imported modules."""
    ours, theirs = socket.socketpair()
    watcher = os.fork()
    if watcher == 0:
        ours.close()
        os.close(program.states)
        _watch(name, program.master, size, theirs)
    theirs.close()
    return Link(ours), watcher


def _watch(name: str, master: int, size: Size, end: socket.socket) -> NoReturn:
    """Run the watcher, apart from the terminal and its signals."""
    code = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        with suppress(OSError):
            os.nice(5)
        from ccq_tui.bridges.terminal.watcher import watch

        watch(name, _directory(), master, size, end)
        code = 0
    finally:
        os._exit(code)


def _farewell(link: Link, watcher: int) -> list[str]:
    """Let the watcher record the end, if it has asked anything, and return the lines of its message."""
    until = time.monotonic() + 2.0  # for the watcher to record the end of its requests
    while link.messages and not link.over and time.monotonic() < until:
        select.select([link.descriptor], [link.descriptor] if link.unsent else [], [], 0.1)
        link.exchange()
    lines = [line for line in link.messages.replace(ASKED, b"").decode(errors="replace").splitlines() if line]
    if not link.over:
        os.kill(watcher, signal.SIGKILL)
    with suppress(ChildProcessError):
        _, status = os.waitpid(watcher, 0)
        if link.over and status:
            lines.append(FAILED)
    link.close()
    return lines
