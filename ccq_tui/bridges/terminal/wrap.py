"""Runs a program wrapped: the relay in this process, the watcher in another one beside it."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NoReturn

from ccq_tui.bridges.terminal import WRAPPED
from ccq_tui.bridges.terminal.link import Link, ToWatcher, pair
from ccq_tui.bridges.terminal.program import NotStartedError, Size, Watched, size_of, start
from ccq_tui.bridges.terminal.relay import Relay

FAREWELL = 2.0
"""Seconds that the watcher has to note the end of what it asked."""
FAILED = (
    "its prompts were not in the inbox to the end, as their watcher failed; see the log: ccq-tui config path"
)
NICENESS = 5
USUAL: Size = (80, 24)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a wrapped program ended.

    Attributes:
        code: Its exit code.
        said: What the watcher wants the person to know, line by line.
    """

    code: int
    said: Sequence[str] = field(default_factory=tuple)


def terminal() -> int | None:
    """Return the person's terminal: a standard stream or the process's own; None for none."""
    for stream in (0, 1, 2):
        with suppress(OSError):
            if os.isatty(stream):
                return stream
    with suppress(OSError):
        return os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    return None


def wrap(command: Sequence[str], name: str, *, explain: bool = False) -> Ended:
    """Run a program, and ask its prompts in the inbox beside that.

    Without a terminal, or where it is wrapped already, this process becomes the program.

    Args:
        command: The program and its arguments.
        name: What it is called where it asks.
        explain: Whether the watcher says at the end which rule saw what.

    Returns:
        How it ended.

    Raises:
        NotStartedError: It cannot be started.
    """
    _fill_streams()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored by the caller, no state of a child could be told
    given = terminal()
    if given is None or _is_wrapped(given):
        become(command)
    streams = [stream for stream in (0, 1, 2) if os.isatty(stream)]
    program = start(command, streams, given, size_of(given))
    link, watcher, problem = None, 0, ""
    try:
        # A program that reads elsewhere is not asked for: nobody could answer it here.
        if 0 in streams:
            size = size_of(given) or USUAL
            watched = Watched(name, _directory(), program.master, program.device, size, explain)
            try:
                link, watcher = _start_watcher(watched, program.states)
            except OSError as error:
                problem = f"prompts were not in the inbox: {error.strerror}"
        code = Relay(given, program, link).run()
        if link is not None:
            link.send(ToWatcher.ENDED, b"%d" % code)
    finally:
        program.close()
        said = _farewell(link, watcher)
    return Ended(code, [problem, *said] if problem else said)


def _directory() -> str:
    """Return the directory, as it was called before somebody deleted it, or ""."""
    try:
        return os.getcwd()  # noqa: PTH109 - a text
    except OSError:
        return os.environ.get("PWD", "")


def _fill_streams() -> None:
    """Occupy standard streams that are closed, so that nothing else gets their numbers."""
    for stream in (0, 1, 2):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)


def become(command: Sequence[str]) -> NoReturn:
    """Let this process be the program.

    Raises:
        NotStartedError: It cannot be started.
    """
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGPIPE, signal.SIGXFSZ)}
    try:
        os.execvp(command[0], list(command))  # noqa: S606 (the person's own command)
    except OSError as error:
        for number, handler in before.items():  # Python ignores them; else a closed pipe would end this one
            signal.signal(number, handler)
        raise NotStartedError(command[0], error) from error


def _is_wrapped(terminal: int) -> bool:
    try:
        return os.environ.get(WRAPPED) == os.ttyname(terminal)
    except OSError:
        return False


def _start_watcher(watched: Watched, states: int) -> tuple[Link, int]:
    """Start the watcher; a fork, so that it is there at once and shares what is imported."""
    ours, theirs = pair()
    watcher = os.fork()
    if watcher == 0:
        ours.close()
        os.close(states)
        _watch(theirs, watched)
    theirs.close()
    return Link(ours), watcher


def _watch(end: socket.socket, watched: Watched) -> NoReturn:
    """Watch, apart from the terminal and its signals."""
    code = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        with suppress(OSError):
            os.nice(NICENESS)
        from ccq_tui.bridges.terminal.watcher import watch

        watch(watched, end)
        code = 0
    finally:
        os._exit(code)


def _farewell(link: Link | None, watcher: int) -> list[str]:
    """Let the watcher note the end, if it has asked anything, and return what it says."""
    if link is None:
        return []
    until = time.monotonic() + FAREWELL
    while link.asked and not link.over and time.monotonic() < until:
        select.select([link.descriptor], [link.descriptor] if link.owes else [], [], 0.1)
        link.exchange()
    said = [line for line in link.said.splitlines() if line]
    if not link.over:
        os.kill(watcher, signal.SIGKILL)
    with suppress(ChildProcessError):
        _, status = os.waitpid(watcher, 0)
        if link.over and status:
            said.append(FAILED)
    link.close()
    return said
