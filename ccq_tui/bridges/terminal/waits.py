"""Whether a program waits for its terminal, as far as Linux says."""

from __future__ import annotations

import os
import platform
import stat
import sys
from pathlib import Path

_PROC = Path("/proc")
_READ = {"x86_64": {0}, "aarch64": {63}}.get(platform.machine(), set())
_READING = ("wait_woken", "n_tty_read", "tty_read")
_POLLING = ("ep_poll", "do_epoll_wait", "poll_schedule_timeout", "do_select", "do_sys_poll", "do_poll")
MOST_PROCESSES = 200


def waits_for(group: int, terminal: int, *, lines: bool) -> bool | None:
    """Return whether a process group waits for a terminal.

    Args:
        group: The process group in the terminal's foreground.
        terminal: The number of the terminal's device.
        lines: Whether the terminal gives lines: programs then read without polling first.

    Returns:
        True if one of its processes reads from the terminal, or polls for keys; False if none of them can;
        None if that cannot be known.
    """
    if sys.platform != "linux" or group <= 0 or not _PROC.joinpath("self/stat").exists():
        return None
    members = _members(group)
    if not members:
        return None
    found = {_one(pid, state, terminal, None if lines else True) for pid, state in members}
    return next(known for known in (True, None, False) if known in found)


def _members(group: int) -> list[tuple[int, str]]:
    """Return the process and the state of each member of a group."""
    members: list[tuple[int, str]] = []
    for name in os.listdir(_PROC):  # noqa: PTH208 - names alone, of many
        if not name.isdigit():
            continue
        try:
            said = _PROC.joinpath(name, "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # ended meanwhile
        after = said.rpartition(")")[2].split()
        if int(after[2]) == group and after[0] not in "ZX":
            members.append((int(name), after[0]))
            if len(members) >= MOST_PROCESSES:
                break
    return members


def _one(pid: int, state: str, terminal: int, polls: bool | None) -> bool | None:
    """Return whether one process reads from a terminal, ``polls`` if it polls files; None if it may."""
    if state != "S":
        return False
    place = _PROC / str(pid)
    try:
        words = place.joinpath("syscall").read_text(encoding="ascii").split()
    except OSError:
        words = []
    if words[:1] and words[0].isdigit() and _READ:
        if int(words[0]) in _READ:
            return _is_terminal(place / "fd" / str(int(words[1], 16)), terminal)
        return polls if _channel(place).startswith(_POLLING) else False
    if words[:1] == ["running"]:
        return False
    channel = _channel(place)
    if channel.startswith(_READING):
        return None if _has_sockets(place) else True
    if channel.startswith(_POLLING):
        return polls
    return None if channel in ("", "0") else False


def _channel(place: Path) -> str:
    try:
        return place.joinpath("wchan").read_text(encoding="ascii")
    except OSError:
        return ""


def _is_terminal(descriptor: Path, terminal: int) -> bool | None:
    try:
        found = descriptor.stat()
    except OSError:
        return None
    if not stat.S_ISCHR(found.st_mode):
        return False
    return found.st_rdev == terminal or (os.major(found.st_rdev), os.minor(found.st_rdev)) == (5, 0)


def _has_sockets(place: Path) -> bool:
    """Whether a process has a socket open: a wait for one has the same name in the kernel."""
    try:
        names = os.listdir(place / "fd")  # noqa: PTH208 - names alone, of many
        return any(str((place / "fd" / name).readlink()).startswith("socket:") for name in names)
    except OSError:
        return True
